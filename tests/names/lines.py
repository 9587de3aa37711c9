#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Source lines and inlined calls of a program's addresses against those of llvm-symbolizer.

    lines.py TOOL PROGRAM DEBUG_FILE PERMILLE [OPTION...]

10,000 random addresses of .text (2,000 of a small one), without OPTION --inlines the line alone. At most PERMILLE of a thousand may
differ; the first three that do are shown. OPTIONs are addr2sym's.
SEED in the environment chooses other addresses than the usual ones.
"""
import os
import random
import re
import subprocess
import sys

tool, path, debug, permille, options = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5:]

def text_of(path):
    for line in subprocess.run(["readelf", "-SW", path], capture_output=True, text=True).stdout.splitlines():
        found = re.match(r"\s*\[\s*\d+\]\s+\.text\s+PROGBITS\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)", line)
        if found:
            return int(found[1], 16), int(found[2], 16)

def normal(file, line):  # what it takes from the symbol table where it has no line is no path
    return ("??", 0) if file == "??" or (not line and "/" not in file) else (os.path.normpath(file), line)

def ask(*command):
    return subprocess.run(command, input="\n".join(addresses), capture_output=True, text=True).stdout

def ours():
    chain = []
    for line in ask(tool, "addr2sym", "--no-demangle", "--lines", *options, "-e", path).splitlines():
        found = re.match(r"(\?\? \(.*?\)|.+?)( \(inlined\))?(?: (\S+):(\d+|\?))?$", line)
        number = found[4] if found[4] and found[4] != "?" else "0"
        chain.append((found[1] if found[2] else "",) + normal(found[3] or "??", int(number)))
        if not found[2]:
            yield chain
            chain = []

def theirs():
    inlines = "--inlines" if "--inlines" in options else "--no-inlines"
    for block in ask("llvm-symbolizer-19", "--no-demangle", inlines, "--obj=" + debug).rstrip("\n").split("\n\n"):
        lines, chain = block.splitlines(), []
        for i in range(0, len(lines), 2):
            file, line = lines[i + 1].rsplit(":", 2)[:2]
            chain.append((lines[i] if i + 2 < len(lines) else "",) + normal(file, int(line)))
        yield chain

random.seed(int(os.environ.get("SEED") or 7))
start, size = text_of(path)
nr = 10000 if size > 100000 else 2000
addresses = ["%#x" % (start + random.randrange(size)) for _ in range(nr)]
pairs = list(zip(addresses, ours(), theirs(), strict=True))
different = [pair for pair in pairs if pair[1] != pair[2]]
known = sum(chain[0][1] != "??" for _, chain, _ in pairs)
inlined = sum(len(chain) > 1 for _, chain, _ in pairs)
print(f"{path} {options}: {nr} addresses, {known} with lines, {inlined} with inlined calls, {len(different)} differ")
for address, a, b in different[:3]:
    print(address, "ours", a, "theirs", b)
if len(different) * 1000 > nr * permille or known * 4 < nr or ("--inlines" in options and not inlined):
    sys.exit("too few agree")
