#!/bin/sh
# ctest: host
# Inlined calls in split debug information, of both compilers and in both forms, in .dwo files and in packages: they agree with
# llvm-symbolizer's for random addresses, all of them. What is another program's is not believed, and what is not a file is not read.
. "${0%/*}/lib.sh"
needs program:python3 program:g++ program:clang++-19 program:llvm-symbolizer-19 program:llvm-dwp-19 program:dwp

mkdir "$T/source"
cat >"$T/source/main.cc" <<'END'
#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

long sum(const std::map<std::string, std::vector<long>> &all, long limit);

int main(int argc, char **argv)
{
	std::map<std::string, std::vector<long>> all;
	for (int i = 1; i < argc; i++) {
		std::stringstream text(argv[i]);
		std::string word;
		while (text >> word)
			all[word.substr(0, 1)].push_back((long)word.size());
	}
	for (auto &pair : all) {
		std::sort(pair.second.begin(), pair.second.end());
		pair.second.erase(std::unique(pair.second.begin(), pair.second.end()), pair.second.end());
	}
	return (int)sum(all, argc);
}
END
cat >"$T/source/sum.cc" <<'END'
#include <algorithm>
#include <map>
#include <string>
#include <vector>

static long clip(long value, long limit) { return value > limit ? limit : value; }

__attribute__((cold, noinline)) static void cold(std::vector<long> &values) { std::reverse(values.begin(), values.end()); }

long sum(const std::map<std::string, std::vector<long>> &all, long limit)
{
	long total = 0;
	for (const auto &pair : all) {
		std::vector<long> values = pair.second;
		if (values.size() > 1000)
			cold(values);
		std::for_each(values.begin(), values.end(), [&](long value) { total += clip(value, limit) * 3; });
	}
	return total;
}
END

# agree WHAT PROGRAM WITH_ALL [OPTION…]: llvm-symbolizer is asked about the second, which has its parts where it was compiled
agree() {
	what=$1 program=$2 with_all=$3
	shift 3
	python3 "$SOURCE/tests/names/lines.py" "$STACKTOOL" "$program" "$with_all" 0 --inlines "$@" >"$T/out" 2>&1 ||
		fail "$what: $(cat "$T/out")"
	sed "s|^|$what: |" "$T/out"
}

# inlined PROGRAM [OPTION…]: how many of all inlined calls are found
inlined() {
	program=$1
	shift
	"$STACKTOOL" addr2sym -e "$program" --lines --inlines "$@" <"$T/addresses" 2>"$T/errors" >"$T/out" || fail "$program: $(cat "$T/errors")"
	grep -c '(inlined)' "$T/out" || :
}

# build NAME PACKER COMPILER FLAG…
build() {
	name=$1 packer=$2
	shift 2
	mkdir "$T/$name" "$T/$name.packed"
	(cd "$T/$name" && cp ../source/*.cc . && "$@" -O2 -g -gsplit-dwarf -c main.cc && "$@" -O2 -g -gsplit-dwarf -c sum.cc &&
		"$1" -o program main.o sum.o) >"$T/out" 2>&1 || fail "$*: $(cat "$T/out")"
	[ "$(find "$T/$name" -name '*.dwo' | wc -l)" -eq 2 ] || fail "$name: there is nothing split: $(ls "$T/$name")"
	agree "$name" "$T/$name/program" "$T/$name/program"
	cp "$T/$name/program" "$T/$name.packed/program"
	[ "$packer" != - ] || return 0
	(cd "$T/$name" && timeout 60 "$packer" -e program -o "../$name.packed/program.dwp") >"$T/out" 2>&1 || fail "$packer: $(cat "$T/out")"
	mkdir "$T/$name/away"
	mv "$T/$name"/*.dwo "$T/$name/away"
	agree "$name, packed" "$T/$name.packed/program" "$T/$name.packed/program"
}
build g5 - g++ -gdwarf-5 # of two such units llvm-dwp-19 makes no package in finite time, and dwp ends with SIGSEGV
build g4 dwp g++ -gdwarf-4
build c5 llvm-dwp-19 clang++-19 -gdwarf-5
build c4 llvm-dwp-19 clang++-19 -gdwarf-4 -ffunction-sections

# The program has moved with its parts, or these are below a directory of debug files; and without them there are only lines.
"$STACKTOOL" addr2sym -e "$T/c5/program" --find 'main' | cut -d' ' -f1 >"$T/start"
python3 -c "print(*(hex($(cat "$T/start") + i) for i in range(400)), sep='\n')" >"$T/addresses"
all=$(inlined "$T/c5.packed/program")
[ "$all" -gt 200 ] || fail "only $all inlined calls in main: $(cat "$T/out")"
expect_inlined() { # WHAT NUMBER FOUND
	[ "$3" -eq "$2" ] || fail "$1: $3 inlined calls of $2"
}
expect_inlined "without its parts" 0 "$(inlined "$T/c5/program")"
grep -q 'main.cc:' "$T/out" || fail "no lines: $(head -5 "$T/out")"
missing="the inlined calls of 1 source file are not known: they are in '$T/c5/main.dwo', which was not found; a .dwp file"
[ "$(grep -c "$missing" "$T/errors")" -eq 1 ] || fail "it is not said once where they are: $(cat "$T/errors")"
"$STACKTOOL" addr2sym -e "$T/c5/program" --inlines --why "$(cat "$T/start")" 2>"$T/errors" >"$T/out"
grep -q "^    '$T/c5/program': $missing" "$T/out" || fail "--why: $(cat "$T/out")"
"$STACKTOOL" addr2sym -e "$T/c5/program" --lines "$(cat "$T/start")" 2>"$T/errors" >"$T/out"
[ ! -s "$T/errors" ] || fail "lines are not in .dwo files: $(cat "$T/errors")"
mkdir "$T/moved" "$T/debug" "$T/debug.packed"
cp "$T/c5/program" "$T/c5/away"/*.dwo "$T/moved"
expect_inlined "moved" "$all" "$(inlined "$T/moved/program")"
mkdir -p "$T/debug$T/c5" "$T/debug.packed$T/c5"
cp "$T/c5/away"/*.dwo "$T/debug$T/c5"
cp "$T/c5.packed/program.dwp" "$T/debug.packed$T/c5"
expect_inlined "--debug-dir" "$all" "$(inlined "$T/c5/program" --debug-dir "$T/debug")"
expect_inlined "--debug-dir, packed" "$all" "$(inlined "$T/c5/program" --debug-dir "$T/debug.packed")"
objcopy --only-keep-debug "$T/c5/program" "$T/moved/program.debug"
objcopy --strip-all --add-gnu-debuglink="$T/moved/program.debug" "$T/moved/program" || fail objcopy
expect_inlined "stripped, with a debug file" "$all" "$(inlined "$T/moved/program")"

# Those of another build are passed over, for those that are right; as are files that are none of the kind.
sed -i 's/argc/nr_words/g; s/limit/most/g' "$T/c5"/*.cc # clang's number is a checksum of names and types, not of lines
(cd "$T/c5" && clang++-19 -gdwarf-5 -O2 -g -gsplit-dwarf -c main.cc && clang++-19 -gdwarf-5 -O2 -g -gsplit-dwarf -c sum.cc) || fail "clang++: anew"
expect_inlined "of another build" 0 "$(inlined "$T/c5/program")"
expect_inlined "after those of another build" "$all" "$(inlined "$T/c5/program" --debug-dir "$T/debug")"
for kind in fifo device text loop directory; do
	rm -rf "$T/c5"/*.dwo "$T/c5/program.dwp"
	for path in "$T/c5/main.dwo" "$T/c5/program.dwp"; do
		case $kind in
		fifo) mkfifo "$path" ;;
		device) ln -s /dev/zero "$path" ;;
		text) seq 1000 >"$path" ;;
		loop) ln -s "$path" "$path" ;;
		directory) mkdir "$path" ;;
		esac
	done
	expect_inlined "$kind" "$all" "$(inlined "$T/c5/program" --debug-dir "$T/debug")"
done
exit 0
