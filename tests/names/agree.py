#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of a program's addresses against those of tools that we did not write.

    agree.py TOOL PROGRAM [DIRECTORY [TRUTH]]

10,000 random addresses of .text. Wherever a symbol with a size covers the address, in readelf's list of the program or of its
debug file (by build id in DIRECTORY or /usr/lib/debug), the name must be that of one of them. Where no symbol does and the
tool gives none, llvm-symbolizer must know none either; without llvm-symbolizer that half says "n/a".

SEED in the environment chooses other addresses than the usual ones.

TRUTH is the same program with its symbols, for one that was stripped: it may have fewer names, and none that is wrong. Go's own
table counts the padding behind a function to it, and leaves type arguments and the mark of assembly out of names: so does this.
"""
import bisect
import os
import random
import re
import shutil
import subprocess
import sys

NR = 10000
# What llvm-symbolizer names and nobody runs: code of weak functions that others replace, which the kernel keeps without symbols
EXPLAINED = {"bpf_stackmap_copy"}
TOLD = 10  # differences that are shown one by one


def lines(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True).stdout.splitlines()


def symbols_of(path):
    for line in lines("readelf", "-sW", path):
        words = line.split()
        if len(words) > 7 and words[3] in ("FUNC", "IFUNC", "NOTYPE") and words[6] not in ("UND", "ABS"):
            size = int(words[2], 0)
            if size:
                yield int(words[1], 16), size, " ".join(words[7:]).split("@")[0]


def debug_file_of(path, directories):
    for line in lines("readelf", "-nW", path):
        found = re.search(r"Build ID: ([0-9a-f]+)", line)
        for directory in directories if found else []:
            name = "%s/.build-id/%s/%s.debug" % (directory, found[1][:2], found[1][2:])
            if os.path.exists(name):
                return name
    return None


def text_of(path):
    for line in lines("readelf", "-SW", path):
        found = re.match(r"\s*\[\s*\d+\]\s+\.text\s+PROGBITS\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)", line)
        if found:
            return int(found[1], 16), int(found[2], 16)
    sys.exit("%s: no .text" % path)


class Symbols:
    def __init__(self, listed, are_go):
        self.are_go = are_go
        self.all = sorted(listed)
        self.starts = [symbol[0] for symbol in self.all]
        self.ends = []  # the furthest end of this symbol and all before it
        for start, size, _ in self.all:
            self.ends.append(max(start + size, self.ends[-1] if self.ends else 0))

    def last_before(self, address):
        i = bisect.bisect_right(self.starts, address) - 1
        return {name for start, _, name in self.all[max(i - 8, 0):i + 1] if start == self.starts[i]} if i >= 0 else set()

    def covering(self, address):
        names, i = set(), bisect.bisect_right(self.starts, address) - 1
        while i >= 0 and self.ends[i] > address:
            start, size, name = self.all[i]
            if address < start + size:
                names.add(name)
            i -= 1
        return names


def name_in(answer):
    name = answer.rsplit("+0x", 1)[0].replace("\\\\", "\\")
    return None if answer.startswith("?? (") or re.fullmatch("fn_0x[0-9a-f]+", name) else name


def as_go_has_it(name):
    return re.sub(r"\[[^]]*\]+|\.abi0$", "", name).replace("\u00b7", ".")


def has_go_table(path):
    return any(".gopclntab" in line for line in lines("readelf", "-SW", path))


def compare(address, answer, symbols, is_stripped):
    """What is wrong with the answer, or None."""
    aliases, name = symbols.covering(address), name_in(answer)
    if symbols.are_go and is_stripped:
        right = not name or as_go_has_it(name) in map(as_go_has_it, aliases or symbols.last_before(address))
    elif is_stripped:
        right = not name or name in aliases
    else:
        right = not aliases or name in aliases
    return None if right else "%x is %s, not one of %s" % (address, answer, sorted(aliases)[:4])


def named_by_llvm(path, addresses):
    """The addresses that llvm-symbolizer has a function for; None when it is not here."""
    program = shutil.which("llvm-symbolizer-19") or shutil.which("llvm-symbolizer")
    if not program or not addresses:
        return None if not program else []
    answers = lines(program, "--obj=" + path, "--functions=linkage", "--no-inlines", "--no-demangle", "--output-style=GNU",
                    text="\n".join("0x%x" % address for address in addresses) + "\n")
    return [(address, name) for address, name in zip(addresses, answers[::2]) if name not in EXPLAINED | {"??", ""}]


def main():
    tool, path = sys.argv[1:3]
    directories = sys.argv[3:4] + ["/usr/lib/debug"]
    random.seed(int(os.environ.get("SEED") or 7))
    start, size = text_of(path)
    truth = sys.argv[4] if sys.argv[4:] else None
    debug = None if truth else debug_file_of(path, directories)
    symbols = Symbols(list(symbols_of(truth or path)) + (list(symbols_of(debug)) if debug else []), has_go_table(path))
    addresses = [random.randrange(start, start + size) for _ in range(NR)]
    command = [tool, "addr2sym", "--no-demangle", "-e", path] + (["--debug-dir", sys.argv[3]] if directories[0] and sys.argv[3:] else [])
    answers = lines(*command, text="\n".join("%x" % address for address in addresses))
    if len(answers) != NR:
        sys.exit("%s: %d answers" % (path, len(answers)))
    covered = [bool(symbols.covering(address)) for address in addresses]
    wrong = list(filter(None, (compare(*asked, symbols, truth) for asked in zip(addresses, answers))))
    nameless = [asked[0] for asked in zip(addresses, answers, covered) if not name_in(asked[1]) and (truth or not asked[2])]
    theirs = named_by_llvm(debug or path, nameless)
    print("%s: %d covered by a symbol%s, %d wrong; %d without a name, of which llvm-symbolizer names %s" %
          (path, sum(covered), " before it was stripped" if truth else "", len(wrong), len(nameless),
           "n/a" if theirs is None else len(theirs)))
    for line in wrong[:TOLD] + ["%x: llvm-symbolizer says %s" % found for found in (theirs or [])[:TOLD]]:
        print("    " + line)
    sys.exit(bool(wrong or theirs))


main()
