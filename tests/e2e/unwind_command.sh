#!/bin/sh
# ctest: host
# A command that was just started has whole stacks, though nothing of it was mapped when everything was attached.
. "${0%/*}/lib.sh"
needs uprobe program:objcopy
needs_unwinder

ROOT_TO_LEAF='^(frameless[^;]*;)?_start;.*;st_fix_recursion(;st_fix_recurse){41};st_fix_leaf [0-9]+$'

# all_whole FIXTURE: it is held until its tables are ready. Where that takes more than a second, the run says so, and is made again.
all_whole() {
	for try in 1 2 3 4 5 6 7 8 9 10; do
		returns 0 count -f -o "$T/report.folded" "$1:st_fix_leaf" -- "$@" recurse 200
		grep -q 'of the command took longer than a second' "$T/err" || break
	done
	plain_names "$T/report.folded" >"$T/plain"
	expect_equal "all events" "$(folded_sum "$T/plain")" 200
	expect_equal "whole stacks of $1" "$(folded_sum_of "$ROOT_TO_LEAF" "$T/plain")" 200
}
all_whole "$FIXTURES/frameless"
all_whole "$FIXTURES/frameless-dyn"

# What the command starts is not held: it has its tables some 0.1 ms after it is mapped, where the tool gets a CPU at once. How many of
# its stacks are whole is printed, and not judged. Those that are not are named.
returns 0 count -f -o "$T/report.folded" "$FIXTURES/frameless-dyn:st_fix_leaf" -- \
	sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do "$0" recurse 200; done' "$FIXTURES/frameless-dyn"
plain_names "$T/report.folded" >"$T/plain"
expect_equal "all events of children" "$(folded_sum "$T/plain")" 2000
whole=$(folded_sum_of "$ROOT_TO_LEAF" "$T/plain")
echo "children: $whole of 2000 whole"
[ "$whole" = 2000 ] || expect_err 'user stacks? (truncated|complete \(|walked by frame pointers)'

# As execvp() finds it
PATH=$FIXTURES:$PATH
returns 0 count -f -o "$T/report.folded" "$FIXTURES/frameless-dyn:st_fix_leaf" -- frameless-dyn recurse 200
expect_equal "all events" "$(folded_sum "$T/report.folded")" 200

# At the entry of a function in code without tables its caller is in no frame yet.
objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr "$FIXTURES/calls" "$T/calls" || fail "objcopy"
echo >"$T/go"
echo >>"$T/go"
returns 0 count -f --unwind=auto -o "$T/report.folded" "$T/calls:st_fix_hit" -- "$T/calls" -n 100 <"$T/go"
plain_names "$T/report.folded" >"$T/plain"
expect_equal "with the caller" "$(folded_sum_of ';st_fix_thread;st_fix_hit [0-9]+$' "$T/plain")" 100
