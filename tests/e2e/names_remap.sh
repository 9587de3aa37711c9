#!/bin/sh
# ctest: boots=-all$
# Two libraries that are loaded in turn at one address, and two files whose code is mapped one over the other: each call has the name of
# what was mapped at its moment.
. "${0%/*}/lib.sh"
needs tracepoint:syscalls:sys_enter_getppid

# by_turns HOW ARG...: each library has made its 8,000 calls, in 40 turns. Those while the tool learns of a change have the wrong name; how
# many they are depends on the host, but most are right. Without the number in the identity all 16,000 have one name.
by_turns() {
	how=$1
	shift
	trace remap-dyn "$how" 40 400 -- count -f -U "$@" -p PID t:syscalls:sys_enter_getppid
	[ "$(field alpha)" = 8000 ] && [ "$(field beta)" = 8000 ] || fail "the fixture: $line"
	expect_equal "$how $*: all calls" "$(folded_sum)" 16000
	for name in st_plug_alpha st_plug_betas; do
		calls=$(folded_sum_of ";$name [0-9]+$")
		[ "$calls" -ge 4000 ] && [ "$calls" -le 12000 ] || fail "$how $*: $calls calls of $name, not 8,000"
		# rows that name the same are one; while there is no table, and by frame pointers, st_fix_$how is missing
		[ "$(grep -cE ";st_fix_$how;$name [0-9]+$" "$T/out")" -le 1 ] || fail "$how $*: rows of $name are not merged"
	done
}

by_turns load
by_turns map
by_turns load --unwind=fp
