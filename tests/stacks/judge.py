#!/usr/bin/env python3
# Whether the callers in a saved profile can be true, by the code alone.
#   judge.py PROFILE.json
# Each pair of a frame and its caller is looked at once, and counts as often as it was sampled. In the file of the caller a call
# ends where the frame's return address is, and
#   proved    it is a direct call of the frame's function, or of one that jumps there by direct jumps
#   possible  it is an indirect call, one into the PLT, or of a function from which an indirect jump may leave
#   wrong     no call ends there, or it is a direct call from which no jump leads to the frame
# Pairs with a frame that is in no file are not judged, nor direct calls in a file that does not tell where its functions begin. Functions begin where .eh_frame_hdr and the symbols say.
# Prints one line of fields, then up to 20 wrong pairs.
import bisect
import collections
import json
import re
import struct
import subprocess
import sys

MOST_JUMPS = 8  # from the function that is called to that of the frame
RESTORE_RT = b"\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05"  # where a signal handler returns to: no call leads there
UNCONDITIONAL = ("jmp", "ret", "ud2", "hlt", "notrack jmp", "bnd jmp", "bnd ret", "repz ret")


class Elf:
    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.bytes = file.read()
        if self.bytes[:6] != b"\x7fELF\x02\x01":
            raise ValueError(path + ": no 64-bit ELF file")
        offset, = struct.unpack_from("<Q", self.bytes, 32)
        size, number = struct.unpack_from("<HH", self.bytes, 54)
        self.segments = []
        headers = [struct.unpack_from("<IIQQQQ", self.bytes, offset + i * size) for i in range(number)]
        self.segments = [(place, address, length) for kind, _, place, address, _, length in headers if kind == 1]
        self.starts = sorted(set(self.symbols()) | set(self.table_starts(headers)))
        self.exits = {}

    def address(self, place):
        return next((place - start + address for start, address, length in self.segments if start <= place < start + length), None)

    def place(self, address):
        return next((address - begin + start for start, begin, length in self.segments if begin <= address < begin + length), None)

    def table_starts(self, headers):
        for kind, _, place, address, _, length in headers:
            # .eh_frame_hdr with a sorted table of two signed words, relative to itself
            if kind != 0x6474E550 or self.bytes[place:place + 4] != b"\x01\x1b\x03\x3b":
                continue
            number, = struct.unpack_from("<I", self.bytes, place + 8)
            for i in range(min(number, (length - 12) // 8)):
                start, = struct.unpack_from("<i", self.bytes, place + 12 + 8 * i)
                yield address + start

    def symbols(self):
        offset, = struct.unpack_from("<Q", self.bytes, 40)
        size, number = struct.unpack_from("<HH", self.bytes, 58)
        for i in range(number):
            _, kind, _, _, place, length = struct.unpack_from("<IIQQQQ", self.bytes, offset + i * size)
            if kind not in (2, 11):
                continue
            for at in range(place, place + length - 23, 24):
                _, info, _, section, value, _ = struct.unpack_from("<IBBHQQ", self.bytes, at)
                if info & 15 in (2, 10) and section:
                    yield value

    def function(self, address):
        i = bisect.bisect_right(self.starts, address)
        return self.starts[i - 1] if i else None

    def at(self, address, length):
        place = self.place(address)
        return self.bytes[place:place + length] if place is not None else b""

    def leaves(self, start):
        """Where direct jumps lead from the function at start, and whether an indirect one is there."""
        if start not in self.exits:
            self.exits[start] = self.read_jumps(start)
        return self.exits[start]

    def read_jumps(self, start):
        i = bisect.bisect_right(self.starts, start)
        end = self.starts[i] if i < len(self.starts) else start + 4096
        text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", f"--start-address={start:#x}", f"--stop-address={end:#x}", self.path],
                              capture_output=True, text=True, check=True).stdout
        targets, indirect, last = set(), False, ""
        for line in text.splitlines():
            match = re.match(r"\s*[0-9a-f]+:\t(.*)", line)
            if not match:
                continue
            code = match[1].strip()
            if code.startswith(("nop", "xchg   %ax,%ax", "data16", "cs nop", "int3")):
                continue
            last = code
            jump = re.match(r"(?:bnd |notrack )?j\w+(?:,p[nt])?\s+(\*|[0-9a-f]+\b)", code)
            if jump and jump[1] == "*":
                indirect = True
            elif jump and not start <= int(jump[1], 16) < end:
                targets.add(int(jump[1], 16))
        if not last.startswith(UNCONDITIONAL) and end in self.starts:
            targets.add(end)  # it falls into the next
        return targets, indirect


class Judge:
    def __init__(self):
        self.files = {}

    def elf(self, path):
        if path not in self.files:
            try:
                self.files[path] = Elf(path)
            except (OSError, ValueError, struct.error):
                self.files[path] = None
        return self.files[path]

    def leads_to(self, elf, start, wanted):
        seen, edge = {start}, [start]
        for _ in range(MOST_JUMPS):
            following = []
            for function in edge:
                targets, indirect = elf.leaves(function)
                if indirect:
                    return "possible"
                for target in targets:
                    begin = elf.function(target)
                    if begin == wanted:
                        return "proved"
                    if begin is not None and begin not in seen:
                        seen.add(begin)
                        following.append(begin)
            edge = following
        return "wrong"

    def pair(self, inner, outer, innermost):
        """inner, outer: (path, place in the file)"""
        elf, callee = self.elf(outer[0]), self.elf(inner[0])
        if not elf or not callee:
            return "unjudged", ""
        back, here = elf.address(outer[1]), callee.address(inner[1])
        if back is None or here is None:
            return "wrong", "outside of the file's segments"
        if callee.at(here, len(RESTORE_RT)) == RESTORE_RT or elf.at(back, len(RESTORE_RT)) == RESTORE_RT:
            return "unjudged", ""
        before = elf.at(back - 8, 8)
        if len(before) < 8:
            return "wrong", "no code before it"
        target = back + struct.unpack("<i", before[4:])[0]
        if before[3] == 0xE8 and elf.place(target) is not None:
            verdict = self.direct(elf, target, callee, callee.function(here if innermost else here - 1))
            # The byte may belong to an indirect call of the same end.
            if verdict != "wrong" or not is_indirect(before):
                return verdict, f"the call is of {target:#x}"
        return ("possible", "") if is_indirect(before) else ("wrong", "no call before it")

    def direct(self, elf, target, callee, wanted):
        code = elf.at(target, 12)
        code = code[4:] if code.startswith(b"\xf3\x0f\x1e\xfa") else code
        if code.startswith((b"\xff\x25", b"\xf2\xff\x25")):
            return "possible"  # PLT
        start = elf.function(target)
        if start is None:
            return "unjudged"  # nothing tells where functions begin: stripped, and without .eh_frame_hdr
        if elf is callee and start == wanted:
            return "proved"
        return self.leads_to(elf, start, wanted if elf is callee else None)


def is_indirect(before):
    """Whether an indirect call (ff /2) ends after these eight bytes."""
    for length in range(2, 8):
        opcode, modrm = before[8 - length], before[9 - length]
        if opcode != 0xFF or modrm >> 3 & 7 != 2:
            continue
        mod, rm = modrm >> 6, modrm & 7
        expected = 2 + (mod != 3 and rm == 4) + (1 if mod == 1 else 4 if mod == 2 or (mod == 0 and rm == 5) else 0)
        if mod == 0 and rm == 4 and length > 2 and before[10 - length] & 7 == 5:
            expected += 4
        if expected == length:
            return True
    return False


def spelled(frame, files):
    name = frame.get("name")
    place = f"{files[frame['file']]}+{frame['file_offset']}" if "file" in frame else "?"
    return f"{name}+{frame.get('offset', 0):#x} ({place})" if name else place


def ends(intervals):
    """Number of stacks, of whole ones, and of others by reason."""
    whole, cut = 0, collections.Counter()
    for loss in (loss for interval in intervals for loss in interval["losses"]):
        if loss["name"] == "USER_ROOT":
            whole += loss["count"]
        elif loss["text"].startswith("user stack") and loss["count"]:
            cut[loss["text"].split(" ", 2)[2]] += loss["count"]
    return whole + sum(cut.values()), whole, cut


def main():
    with open(sys.argv[1]) as file:
        profile = json.load(file)
    files = [entry["path"] for entry in profile["files"]]
    judge, counts, wrong = Judge(), collections.Counter(), collections.Counter()
    pairs = collections.Counter()
    for interval in profile["intervals"]:
        frames = interval.get("frames", profile.get("frames"))
        for stack in interval["stacks"]:
            user = [i for i in stack.get("user", []) if not frames[i].get("inlined")]
            for depth, (inner, outer) in enumerate(zip(user, user[1:])):
                pairs[json.dumps(frames[inner]), json.dumps(frames[outer]), depth == 0] += stack["count"]
    for (inner, outer, innermost), number in pairs.items():
        inner, outer = json.loads(inner), json.loads(outer)
        if "text" in (inner["kind"], outer["kind"]):
            continue  # a label at the end of a stack that was cut
        if inner["kind"] != "file" or outer["kind"] != "file":
            counts["unjudged"] += number
            continue
        places = [(files[frame["file"]], int(frame["file_offset"], 16)) for frame in (inner, outer)]
        verdict, why = judge.pair(*places, innermost)
        counts[verdict] += number
        if verdict == "wrong":
            wrong[f"{spelled(outer, files)} -> {spelled(inner, files)}: {why}"] += number
    stacks, whole, cut = ends(profile["intervals"])
    print(f"stacks={stacks} whole={whole} proved={counts['proved']} possible={counts['possible']} wrong={counts['wrong']}"
          f" unjudged={counts['unjudged']} cut={'; '.join(f'{number} {end}' for end, number in cut.items()) or '-'}")
    for text, number in wrong.most_common(20):
        print(f"wrong, {number} times: {text}")


main()
