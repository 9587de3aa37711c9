#!/usr/bin/env bash
# flamegraph.pl (Debian has it in libdevel-nytprof-perl) reads our folded lines, with the same total as our own picture.
. "$(dirname "$0")/lib.sh"
script=/usr/share/perl5/Devel/NYTProf/flamegraph.pl
[ -r "$script" ] || skip "flamegraph.pl is missing: ./dev install client installs libdevel-nytprof-perl"

total_of() { # SVG
	sed -n 's/.*<title>all (\([0-9,]*\) samples.*/\1/p' "$1"
}

for profile in "$ordinary" "$hostile"; do
	name=$(basename "$profile")
	"$STACKTOOL" report -a -d -f "$profile" >"$T/$name.folded" 2>/dev/null || fail "$name: no folded text"
	perl "$script" --color=java --hash "$T/$name.folded" >"$T/$name.svg" 2>"$T/err" || fail "$name: $(cat "$T/err")"
	[ -s "$T/err" ] && fail "$name: flamegraph.pl complains: $(cat "$T/err")"
	"$STACKTOOL" flame -o "$T/$name.ours.svg" "$T/$name.folded" || fail "$name: flame"
	theirs=$(total_of "$T/$name.svg")
	[ -n "$theirs" ] && [ "$theirs" = "$(total_of "$T/$name.ours.svg")" ] ||
		fail "$name: flamegraph.pl counts '$theirs', we $(total_of "$T/$name.ours.svg")"
done

# Differences: its own two columns
printf 'a;b 10\na;c 5\n' >"$T/before"
printf 'a;b 20\na;d 5\n' >"$T/now"
"$STACKTOOL" diff -f "$T/before" "$T/now" >"$T/two" || fail "diff -f"
printf 'a;b 10 20\na;c 5 0\na;d 0 5\n' | cmp - "$T/two" || fail "two columns: $(cat "$T/two")"
perl "$script" "$T/two" >"$T/two.svg" 2>"$T/err" || fail "flamegraph.pl refuses the difference: $(cat "$T/err")"
expect "the difference" '<title>.*\+40\.00%' "$T/two.svg"
finish
