"""Files that nobody would make who means well: ELF files whose last page has the loop of fixtures/mapped.c."""
import random
import struct

LOOP = bytes([0x89, 0xF9, 0xFF, 0xC9, 0x75, 0xFC, 0xC3])
PAGE = 4096
CODE = PAGE  # where the code begins, in the file and in memory
SECTIONS = b"\0.gnu_debugdata\0.text\0.symtab\0.strtab\0.debug_line\0.debug_info\0.debug_abbrev\0.shstrtab\0"


def write(path, sections):
    """sections: (name, type, bytes or an iterable of them, link, entry size). The code covers the whole file."""
    with open(path, "wb") as file:
        file.seek(2 * PAGE)
        headers = [b"\0" * 64]
        for name, kind, content, link, entry in sections:
            begin = file.tell()
            for piece in [content] if isinstance(content, bytes) else content:
                file.write(piece)
            headers.append(struct.pack("<IIQQQQIIQQ", SECTIONS.index(name), kind, 0, 0, begin, file.tell() - begin,
                                       link, 0, 8, entry))
        begin = file.tell()
        file.write(SECTIONS)
        headers.append(struct.pack("<IIQQQQIIQQ", SECTIONS.index(b".shstrtab"), 3, 0, 0, begin, len(SECTIONS), 0, 0, 1, 0))
        table = file.tell()
        place = (table + 64 * (len(headers) + 1) + PAGE - 1) // PAGE * PAGE
        headers.append(struct.pack("<IIQQQQIIQQ", SECTIONS.index(b".text"), 1, 6, 0, 0, place + PAGE, 0, 0, 16, 0))
        file.write(b"".join(headers))
        file.seek(place)
        file.write(b"\x90" * (PAGE - 64) + LOOP + b"\0" * (64 - len(LOOP)))
        file.seek(0)
        file.write(b"\x7fELF\2\1\1" + b"\0" * 9)
        file.write(struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, CODE, 64, table, 0, 64, 56, 1, 64, len(headers),
                               len(headers) - 2))
        file.write(struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, place + PAGE, place + PAGE, PAGE))


def symbol(name, value, size, section):
    return struct.pack("<IBBHQQ", name, 0x12, 0, section, value, size)


def symbols(path, nr, seed=1):
    """So many functions that lie in one another, in no order."""
    rand = random.Random(seed)
    names = b"\0" + b"".join(b"s%07d\0" % i for i in range(1000))
    span = 24 * nr + 16 * PAGE

    def table():
        for begin in range(0, nr, 4096):
            yield b"".join(symbol(1 + 9 * (i % 1000), rand.randrange(span), rand.choice((1, 64, 4096, span)), 4)
                           for i in range(begin, min(nr, begin + 4096)))
    write(path, [(b".symtab", 2, table(), 2, 24), (b".strtab", 3, names, 0, 0)])


def symbols_large(path, nr):
    """As many, by one block that is repeated: made in a moment."""
    block = b"".join(symbol(1 + 9 * (i % 1000), PAGE + i * 16, 64, 4) for i in range(65536))
    names = b"\0" + b"".join(b"s%07d\0" % i for i in range(1000))
    write(path, [(b".symtab", 2, (block for _ in range(nr // 65536)), 2, 24), (b".strtab", 3, names, 0, 0)])


def aliases(path, nr, prefix):
    """So many names for the same place, 256 at each, that differ only behind a long beginning."""
    names = b"\0" + b"".join(b"a" * prefix + b"%07d\0" % i for i in range(256))
    table = b"".join(symbol(1 + (prefix + 8) * (i % 256), PAGE + i // 256 * 16, 16, 4) for i in range(nr))
    write(path, [(b".symtab", 2, table, 2, 24), (b".strtab", 3, names, 0, 0)])


def long_names(path, nr, length):
    """So many functions along the last page with names of such a length, which share their text."""
    names = b"\0" + b"n" * (length + nr) + b"\0"
    begin = (len(names) + 24 * nr + 5 * PAGE)
    table = b"".join(symbol(1 + i % nr, begin % PAGE + i * 64, 1 << 30, 4) for i in range(nr))
    write(path, [(b".symtab", 2, table, 2, 24), (b".strtab", 3, names, 0, 0)])


def lines(path, megabytes):
    """A unit for all of the code, whose line program takes an instruction for each byte and says nothing of the loop."""
    # version, header length, then minimal instruction length, default is_stmt, line base, range, opcode base, lengths, files
    head = bytes([1, 1, 0xFB, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]) + b"\0" + b"a.c\0\0\0\0\0"
    program = b"\0\x09\x02" + struct.pack("<Q", PAGE)
    size = megabytes << 20
    unit = struct.pack("<H", 4) + struct.pack("<I", len(head)) + head
    end = b"\0\1\1"
    total = len(unit) + len(program) + size + len(end)

    def text():
        yield struct.pack("<I", total) + unit + program
        for _ in range(megabytes):
            yield b"\x13\x12\x0d\x0e" * (1 << 18)
        yield end
    abbrevs = bytes([1, 0x11, 0, 0x11, 0x01, 0x12, 0x07, 0x10, 0x17, 0, 0, 0])
    die = bytes([1]) + struct.pack("<QQI", 16, 1 << 40, 0)
    info = struct.pack("<H", 4) + struct.pack("<IB", 0, 8) + die
    write(path, [(b".debug_line", 1, text(), 0, 0),
                 (b".debug_info", 1, struct.pack("<I", len(info)) + info, 0, 0),
                 (b".debug_abbrev", 1, abbrevs, 0, 0)])
