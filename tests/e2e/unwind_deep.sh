#!/bin/sh
# Deep stacks have both ends in one row, whatever their depth; what is too deep has its innermost frames and is counted.
# ctest: boots=5.10|7.2
. "${0%/*}/lib.sh"
needs uprobe
needs_unwinder

root='(frameless[^;]*;)?(_start|clone3?|__clone3?)(;[^;]+)*;'

# The frame in the middle of a text report: the least and the most frames that it stands for.
elided() {
	tr -d , <"$T/out" | sed -nE 's/^ *\[\.\.\. ([0-9]+) (to ([0-9]+) )?frames \.\.\.\]$/\1 \3/p'
}

for shape in deep depths; do
	trace frameless $shape 200 -- count -v -f -p PID "$FIXTURES/frameless:st_fix_leaf"
	plain_names "$T/out" >"$T/plain"
	expect_equal "$shape: both ends" "$(folded_sum_of "^$root$fixture_expect [0-9]+$" "$T/plain")" 200
	expect_equal "$shape: rows" "$(folded_rows)" 1
	expect_err 'all 200 user stacks complete'
done

trace frameless deeper 20 -- count -f -p PID "$FIXTURES/frameless:st_fix_leaf"
plain_names "$T/out" >"$T/plain"
expect_equal "deeper: the innermost frames" "$(folded_sum_of "^[^;]+;${fixture_expect#st_fix_work;} [0-9]+$" "$T/plain")" 20
expect_err 'user stacks truncated at 127 frames'

# The number is that of all events, also in a saved profile and in JSON.
trace frameless depths 200 -- count -p PID --save "$T/deep.stk" "$FIXTURES/frameless:st_fix_leaf"
read -r least most <<-EOF
	$(elided)
EOF
expect_equal "from the least to the most" "$((most - least))" 19
[ "$least" -ge 170 ] && [ "$least" -le 190 ] || fail "$least of 300 frames are elided"
cp "$T/out" "$T/live"
returns 0 report "$T/deep.stk"
cmp "$T/out" "$T/live" || fail "the saved profile prints something else"
returns 0 report --format json "$T/deep.stk"
expect_out "\"user_elided\":\\{\"least\":$least,\"most\":$most\\}"
returns 0 report --format svg "$T/deep.stk"
expect_out '\[\.\.\. frames \.\.\.\]'
