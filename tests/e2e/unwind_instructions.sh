#!/bin/sh
# Whole stacks through assembly without unwind information, whose rows come from its instructions.
. "${0%/*}/lib.sh"
needs uprobe
needs_unwinder

for shape in frame pointer align table nested; do
	trace nocfi-dyn $shape 200 -- count -f -p PID "$FIXTURES/nocfi-dyn:st_fix_leaf"
	plain_names "$T/out" >"$T/plain"
	expect_equal "$shape: whole" "$(folded_sum_of "^[^;]*;_start(;[^;]+)*;$fixture_expect [0-9]+$" "$T/plain")" 200
	expect_equal "$shape: all events" "$(folded_sum)" 200
done
