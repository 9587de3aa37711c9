#!/bin/sh
# ctest: host timeout=120
# Names agree with readelf's: for 10,000 random addresses of each program, wherever a symbol with a size covers the address, the
# name is that of one of them.
. "${0%/*}/lib.sh"
needs program:python3 program:readelf

cat >"$T/agree.py" <<'END'
import bisect, os, random, re, subprocess, sys

tool, path, seed = sys.argv[1], sys.argv[2], 7

def lines(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()

def symbols_of(path):
    for line in lines("readelf", "-sW", path):
        words = line.split()
        if len(words) > 7 and words[3] in ("FUNC", "IFUNC", "NOTYPE") and words[6] not in ("UND", "ABS"):
            size = int(words[2], 0)
            if size:
                yield int(words[1], 16), size, " ".join(words[7:]).split("@")[0]

def debug_file_of(path):
    for line in lines("readelf", "-nW", path):
        found = re.search(r"Build ID: ([0-9a-f]+)", line)
        if found:
            return "/usr/lib/debug/.build-id/%s/%s.debug" % (found[1][:2], found[1][2:])
    return ""

def text_of(path):
    for line in lines("readelf", "-SW", path):
        found = re.match(r"\s*\[\s*\d+\]\s+\.text\s+PROGBITS\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)", line)
        if found:
            return int(found[1], 16), int(found[2], 16)

random.seed(seed)
start, size = text_of(path)
debug = debug_file_of(path)
symbols = sorted(symbols_of(path)) + (sorted(symbols_of(debug)) if os.path.exists(debug) else [])
symbols.sort()
starts = [symbol[0] for symbol in symbols]
longest = max([symbol[1] for symbol in symbols] or [0])
addresses = [random.randrange(start, start + size) for _ in range(10000)]
answers = subprocess.run([tool, "addr2sym", "--no-demangle", "-e", path], input="\n".join("%x" % a for a in addresses),
                         capture_output=True, text=True).stdout.splitlines()
if len(answers) != len(addresses):
    sys.exit("%s: %d answers" % (path, len(answers)))
covered = apart = wrong = 0
for address, answer in zip(addresses, answers):
    aliases, i = set(), bisect.bisect_right(starts, address)
    while i and address - starts[i - 1] <= longest:
        i -= 1
        if address < symbols[i][0] + symbols[i][1]:
            aliases.add(symbols[i][2])
    name = answer.rsplit("+0x", 1)[0].replace("\\\\", "\\")
    apart += name.startswith("fn_0x")
    covered += bool(aliases)
    if aliases and name not in aliases:
        wrong += 1
        print("%s: %x is %s, not one of %s" % (path, address, answer, sorted(aliases)[:4]))
print("%s: %d covered, %d wrong, %d told apart by their unwind entry" % (path, covered, wrong, apart))
sys.exit(wrong != 0)
END

for program in "$(readlink -f /usr/bin/python3)" /bin/bash "$FIXTURES/chain" "$FIXTURES/chain-dyn" \
	"$(ldd /bin/bash | sed -n 's/.*libc\.so\.6 => \([^ ]*\).*/\1/p')"; do
	[ -r "$program" ] || continue
	python3 "$T/agree.py" "$STACKTOOL" "$(readlink -f "$program")" || fail "names of $program differ"
done
