#!/bin/sh
# ctest: host
# Lines and inlined calls agree with llvm-symbolizer's, for random addresses of programs of both compilers, in the forms that
# debug information comes in: all of them; and of the C library where its debug file is installed: 99 % at least.
. "${0%/*}/lib.sh"
needs program:python3 program:g++ program:clang++-19 program:llvm-symbolizer-19 program:dwz

cat >"$T/program.cc" <<'END'
#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {
struct entry { std::string key; long value; bool operator<(const entry &other) const { return key < other.key; } };
}

static long sum(const std::map<std::string, std::vector<entry>> &all)
{
	long total = 0;
	for (const auto &pair : all)
		std::for_each(pair.second.begin(), pair.second.end(), [&](const entry &e) { total += e.value; });
	return total;
}

int main(int argc, char **argv)
{
	std::map<std::string, std::vector<entry>> all;
	for (int i = 1; i < argc; i++) {
		std::stringstream text(argv[i]);
		std::string word;
		while (text >> word)
			all[word.substr(0, 1)].push_back({ word, (long)word.size() });
	}
	for (auto &pair : all) {
		std::sort(pair.second.begin(), pair.second.end());
		pair.second.erase(std::unique(pair.second.begin(), pair.second.end(),
			[](const entry &a, const entry &b) { return a.key == b.key; }), pair.second.end());
	}
	std::printf("%ld\n", sum(all));
}
END

# agree PROGRAM [DEBUG_FILE [PERMILLE]]: so many addresses of a thousand may differ
agree() {
	for options in "" --inlines; do
		[ -z "${SANITIZED:-}" ] || [ -n "$options" ] || continue # the calls have lines as well
		python3 "$SOURCE/tests/names/lines.py" "$STACKTOOL" "$1" "${2:-$1}" "${3:-0}" $options >"$T/out" 2>&1 || fail "$1: $(cat "$T/out")"
		cat "$T/out"
	done
}

# build NAME COMPILER FLAG…
build() {
	name=$1
	shift
	case ${SANITIZED:-}$name in
	1g4-lto-zlib | 1c5-addrx-offset) return ;; # unit.libdw and unit.dwarf_forms have these
	esac
	(cd "$T" && "$@" -O2 -o "$name" program.cc) >"$T/out" 2>&1 || fail "$*: $(cat "$T/out")"
	agree "$T/$name"
}
build g5 g++ -g -gdwarf-5
build g4-lto-zlib g++ -flto -g -gdwarf-4 -gz=zlib
build c5-zstd clang++-19 -g -gdwarf-5 -gz=zstd
build g4-types g++ -g -gdwarf-4 -fdebug-types-section
build g5-types g++ -g -gdwarf-5 -fdebug-types-section
build c5-addrx-offset clang++-19 -g -gdwarf-5 -mllvm -minimize-addr-in-v5=Form
# .zdebug_info and so on, which llvm-symbolizer no longer reads: it has the program as it was before.
objcopy --compress-debug-sections=zlib-gnu "$T/g5" "$T/zdebug" && readelf -SW "$T/zdebug" | grep -q zdebug_info || fail "objcopy: zlib-gnu"
agree "$T/zdebug" "$T/g5"

# Many units, and more of .debug_info than is held at once. The names are so short that they stand in the entries.
python3 - "$T" <<'END'
import sys

for unit in range(24):
    with open(f"{sys.argv[1]}/u{unit}.c", "w") as out:
        for i in range(30 + 3 * unit): # units of all sizes
            members = " ".join(f"int member{j};" for j in range(60))
            out.write(f"struct {{ {members} }} v{unit}_{i};\n")
        out.write(f"volatile int s{unit};\n#define INLINE static inline __attribute__((always_inline)) void\n")
        out.write(f"INLINE f(int x)\n{{\n\ts{unit} += x;\n\ts{unit} ^= 3;\n}}\n")
        out.write(f"INLINE g(int x)\n{{\n\tf(x);\n\ts{unit} -= x;\n}}\n")
        for i in range(20):
            out.write(f"void u{unit}_f{i}(int y)\n{{\n\tf(y);\n\ts{unit} *= {i + 2};\n\tg(y);\n\tf(y + 1);\n}}\n")
        out.write("" if unit else "int main(void) { return 0; }\n")
END
(cd "$T" && gcc -O2 -g -gdwarf-5 -o units u*.c) >"$T/out" 2>&1 || fail "gcc: $(cat "$T/out")"
size=$(readelf -SW "$T/units" | sed -n 's/.* \.debug_info *PROGBITS *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\) .*/\1/p')
[ $((0x$size)) -gt 1100000 ] || fail "units: 0x$size bytes of .debug_info are too few"
agree "$T/units"

# More inlined calls at one place than are told: the others are counted, and the function itself is where it is.
{
	echo 'volatile int sink; static inline __attribute__((always_inline)) void f1(void) { sink++; }'
	for i in $(seq 2 300); do
		echo "static inline __attribute__((always_inline)) void f$i(void) { f$((i - 1))(); }"
	done
	printf 'int main(void)\n{\n\tf300();\n}\n'
} >"$T/deep.c"
gcc -O2 -g -o "$T/deep" "$T/deep.c" || fail "gcc: deep.c"
"$STACKTOOL" addr2sym -e "$T/deep" --find main >"$T/main"
"$STACKTOOL" addr2sym -e "$T/deep" --lines --inlines "$(cut -d' ' -f1 "$T/main")" >"$T/out"
[ "$(sed -n '1p; 256,$p' "$T/out" | sed "s| $T/| |")" = 'f1 (inlined) deep.c:1
f256 (inlined) deep.c:256
... (inlined): 44 more calls, too many to show
main+0x0 deep.c:303' ] || fail "deep: $(sed -n '1p; 250,$p' "$T/out")"

# The debug file of a stripped program
objcopy --only-keep-debug "$T/g5" "$T/g5.debug"
cp "$T/g5" "$T/stripped"
objcopy --strip-all --add-gnu-debuglink="$T/g5.debug" "$T/stripped"
agree "$T/stripped" "$T/g5.debug"

# What two programs have in common, moved to an alternate file by dwz: beside them, and where Debian has it. llvm-symbolizer
# cannot read that; it has the program as it was before.
cp "$T/g5" "$T/one"
cp "$T/g5" "$T/other"
mkdir -p "$T/debug/.dwz/here" "$T/elsewhere"
(cd "$T" && dwz -m common.debug -M common.debug one other) 2>"$T/out" || fail "dwz: $(cat "$T/out")"
agree "$T/one" "$T/g5"
cp "$T/g5" "$T/one"
cp "$T/g5" "$T/other"
dwz -m "$T/debug/.dwz/here/common.debug" "$T/one" "$T/other" 2>"$T/out" || fail "dwz: $(cat "$T/out")"
python3 "$SOURCE/tests/names/lines.py" "$STACKTOOL" "$T/one" "$T/g5" 0 --inlines "--debug-dir=$T/debug" >"$T/out" || fail "$(cat "$T/out")"
cat "$T/out"

libc=$(echo /lib/*/libc.so.6)
id=$(readelf -nW "$libc" | sed -n 's/.*Build ID: //p')
debug=/usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug
[ ! -e "$debug" ] || agree "$libc" "$debug" 10

# What is requested is there, and what is not is said.
"$STACKTOOL" addr2sym -e "$T/g5" --find main >"$T/main"
"$STACKTOOL" addr2sym -e "$T/g5" --lines "$(cut -d' ' -f1 "$T/main")" >"$T/out"
grep -qx "main+0x0 $T/program.cc:21" "$T/out" || fail "the line of main: $(cat "$T/out")"
"$STACKTOOL" addr2sym -e "$T/g5" --inlines "$(cut -d' ' -f1 "$T/main")" >"$T/out"
grep -qx 'main+0x0' "$T/out" || fail "--inlines alone: $(cat "$T/out")"
objcopy --strip-debug "$T/g5" "$T/bare"
"$STACKTOOL" addr2sym -e "$T/bare" --lines "$(cut -d' ' -f1 "$T/main")" >"$T/out" 2>&1
grep -q 'no source lines: neither the file nor its debug file has debug information' "$T/out" && grep -qx 'main+0x0' "$T/out" || fail "$(cat "$T/out")"
head -c 10000 "$T/g5" >"$T/cut"
for file in program.cc cut; do
	timeout 20 "$STACKTOOL" addr2sym -e "$T/$file" --lines --inlines 1 >"$T/out" 2>&1 || fail "$file: status $?"
	grep -q 'no source lines: not a usable ELF file' "$T/out" && grep -q '^??' "$T/out" || fail "$(cat "$T/out")"
done
"$STACKTOOL" addr2sym -k --lines --find schedule >"$T/out" 2>&1 && fail "lines of names"
grep -q 'argument --lines: not allowed with --find' "$T/out" || fail "$(cat "$T/out")"
exit 0
