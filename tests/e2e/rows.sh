#!/bin/sh
# ctest: host
# --top and --min-count show the largest rows and leave the account alone, --max-depth shows less of each; --comm, --include and --exclude pick rows by
# regular expressions, of every applet that collects. Durations have units.
. "${0%/*}/lib.sh"
needs uprobe tracepoint:sched:sched_switch

trace calls -n 1000 -d 8 -- count -f -P --save "$T/all.stk" --top 3 -p PID "$FIXTURES/calls:st_fix_hit"
expect_equal "rows" "$(folded_rows)" 3
refuse_err 'does not add up'
tool report -f "$T/all.stk"
expect_equal "saved all the same" "$(folded_sum)" 1000
tool report -f --max-depth 3 "$T/all.stk"
expect_equal "events of short stacks" "$(folded_sum)" 1000
refuse_out '^[^;]*;\[truncated by --max-depth\](;[^;]*){4}$'
expect_out '^calls;\[truncated by --max-depth\](;[^;]*){2};st_fix_hit [0-9]+$'

trace calls -n 1000 -d 8 -- count -f --min-count 2000 --comm '^calls$' "$FIXTURES/calls:st_fix_hit"
expect_equal "rows of 2000 and more" "$(folded_rows)" 0

for pick in '--comm ^calls$:1000' '--comm ^no-such-command$:0' '--exclude st_fix_hit:0' '--include st_fix_hit:1000' \
	'--include ^nothing$:0'; do
	# shellcheck disable=SC2086
	trace calls -n 1000 -d 8 -- count -f -U ${pick%:*} "$FIXTURES/calls:st_fix_hit"
	expect_equal "count $pick" "$(folded_sum)" "${pick##*:}"
	expect_equal "$pick: notes" "$(grep -c '^NOTE: no stack matches the filters$' "$T/err")" "$((${pick##*:} == 0))"
done

# Rows are unique by address; by name, none prints like another.
for applet in "profile -F 999" offcputime; do
	# shellcheck disable=SC2086
	returns 0 $applet -f --by-name -o "$T/rows.folded" -- sh -c "'$FIXTURES/calls' -n 30000000 -d 8; sleep 0.1; sleep 0.1"
	[ -s "$T/rows.folded" ] || fail "$applet: no rows"
	expect_equal "$applet: rows that print the same" "$(sed 's/ [0-9]*$//' "$T/rows.folded" | sort | uniq -d | wc -l)" 0
done
returns 0 profile -F 999 --by-name -o "$T/rows.txt" -- "$FIXTURES/calls" -n 30000000 -d 8
grep -q 'st_fix_' "$T/rows.txt" || fail "no rows: $(cat "$T/rows.txt")"
! grep -qE 'st_fix_.*[+]0x' "$T/rows.txt" || fail "--by-name: an offset"

# a row of two records is about the sleeper; an expression that is none stops before anything is attached
returns 0 offwaketime -f --comm '^no-such-command$' 300ms
expect_equal "rows of nobody" "$(folded_rows)" 0
returns 2 offcputime --comm '(' 1
expect_err "argument --comm: '\('"
returns 0 funccount -d 0.3s --top 1 't:sched:*'
expect_equal "lines" "$(wc -l <"$T/out")" 5
returns 0 funccount -q -d 0.3s --top 1 't:sched:*'
expect_equal "lines without headers" "$(grep -c . "$T/out")" 1
refuse_err '^NOTE'
returns 0 profile --interval 100ms --top 1 --max-depth 1 -f 300ms
