#!/usr/bin/env bash
# Every number of the text is in the page, whatever the page is grouped by, and those of the SVG are the same.
# ctest: browser timeout=120
. "$(dirname "$0")/lib.sh"
need chromium chromium
need node nodejs
cat >"$T/v1.folded" <<'STACKS'
v1;main;run;lookup 23
v1;main;run;hash 36
v1;main;gone;old 10
v1;main;rare;a 1
v1;-;vfs_read_[k] 2
STACKS
cat >"$T/v2.folded" <<'STACKS'
v2;main;run;lookup 131
v2;main;run;hash 29
v2;main;run;hash;lookup 7
v2;main;run;new 18
STACKS
sed 's/^v2/v1/' "$T/v2.folded" >"$T/later.folded"
awk 'BEGIN { for (i = 0; i < 40; i++) printf "app 7%d/7%d%d [000] 1.0: %d c: \n\t4000 leaf+0x1 (/x)\n\t5000 f%d+0x1 (/x)\n\n", i % 5, i % 5, i % 2, i + 1, i % 3 }' >"$T/threads"

# difference NAME PICTURE-OPTIONS OPTIONS BEFORE NOW: its page, picture and table
difference() {
	# shellcheck disable=SC2086
	"$STACKTOOL" diff $2 $3 -o "$T/$1.html" "$4" "$5" 2>"$T/err" && "$STACKTOOL" diff $2 $3 -o "$T/$1.svg" "$4" "$5" 2>"$T/err" &&
		"$STACKTOOL" diff $3 --top 1000 "$4" "$5" >"$T/$1.txt" 2>"$T/err" || fail "$1: $(cat "$T/err")"
}
difference same '' '' "$T/v1.folded" "$T/later.folded"
difference other '' '' "$T/v1.folded" "$T/v2.folded"
difference narrow '--min-width 15' '--root comm' "$T/v1.folded" "$T/v2.folded"
difference normalized '' -n "$T/v1.folded" "$T/v2.folded"
difference functions '' '--root none' "$T/v1.folded" "$T/later.folded"
difference gone '' '--comm v1' "$T/v1.folded" "$T/v2.folded"

# plain NAME PICTURE-OPTIONS OPTIONS FILE
plain() {
	# shellcheck disable=SC2086
	"$STACKTOOL" report $2 $3 -o "$T/$1.html" "$4" && "$STACKTOOL" report $2 $3 -o "$T/$1.svg" "$4" &&
		"$STACKTOOL" report --functions --top 1000 $3 "$4" >"$T/$1.txt" || fail "$1"
}
plain processes '' '' "$T/threads"
plain threads '--min-width 20' '--root tid' "$T/threads"

grep -q 'no command is in both' "$T/other.svg" || fail "the picture of two programs does not say that they have no command in common"
node "$here/numbers.js" "$T"/*.html || fail "see above"
finish
