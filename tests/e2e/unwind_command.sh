#!/bin/sh
# ctest: host
# A command that was just started has whole stacks, though nothing of it was mapped when everything was attached.
. "${0%/*}/lib.sh"
needs uprobe program:objcopy
needs_unwinder

# Tables come in time when the tool gets a CPU while the loader works: one of a few tries has nearly all.
nearly_all_whole() {
	for try in 1 2 3 4 5; do
		returns 0 count -f -o "$T/report.folded" "$1:st_fix_leaf" -- "$@" recurse 200
		plain_names "$T/report.folded" >"$T/plain"
		expect_equal "all events" "$(folded_sum "$T/plain")" 200
		whole=$(folded_sum_of '^(frameless[^;]*;)?_start;.*;st_fix_recursion(;st_fix_recurse){41};st_fix_leaf [0-9]+$' "$T/plain")
		echo "$1, try $try: $whole whole"
		[ "$whole" -lt 190 ] || return 0
	done
	fail "$whole of 200 stacks of $1 are whole"
}
nearly_all_whole "$FIXTURES/frameless"
nearly_all_whole "$FIXTURES/frameless-dyn"

# What the command starts has them some 0.1 ms after it is mapped: of ten short programs the first waits for its tables. An idle
# CPU of a virtual machine takes milliseconds to come back when its host is busy: then up to eight tries in a row had 12 to 1,600
# whole stacks. This one is not idle.
nice -n 19 sh -c 'while :; do :; done' &
awake=$!
trap 'kill $awake; rm -rf "$T"' EXIT
nearly_all_of_children() {
	for try in 1 2 3 4 5 6 7 8; do
		returns 0 count -f -o "$T/report.folded" "$FIXTURES/frameless-dyn:st_fix_leaf" -- \
			sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do "$0" recurse 200; done' "$FIXTURES/frameless-dyn"
		plain_names "$T/report.folded" >"$T/plain"
		expect_equal "all events of children" "$(folded_sum "$T/plain")" 2000
		whole=$(folded_sum_of '^(frameless[^;]*;)?_start;.*;st_fix_recursion(;st_fix_recurse){41};st_fix_leaf [0-9]+$' "$T/plain")
		echo "children, try $try: $whole whole"
		[ "$whole" -lt 1700 ] || return 0
	done
	fail "$whole of 2000 stacks of children are whole"
}
nearly_all_of_children

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
