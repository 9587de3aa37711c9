#!/bin/sh
# ctest: boots=-all$
# Processes that lived for a millisecond and are long gone at the report keep their names, and no event is lost.
. "${0%/*}/lib.sh"
needs uprobe perf-event

children=300
[ -z "${IN_GUEST:-}" ] || children=100
for how in fork exec; do
	for interval in '' '-i 0.2'; do
		# shellcheck disable=SC2086
		trace churn $how $children 20 -- count -f -P $interval "$FIXTURES/churn:st_fix_hit"
		expect_equal "$how $interval: events" "$(folded_sum)" $((children * 20))
		plain_names "$T/out" >"$T/plain"
		# The frame of the direct caller is missing at the entry; the one above it is there, with its name.
		expect_equal "$how $interval: events with the child's names" \
			"$(folded_sum_of '^churn;.*st_fix_child;(st_fix_churned;)?st_fix_hit [0-9]+$' "$T/plain")" $((children * 20))
	done
done

# By process: one row each, with its pid
trace churn exec 50 20 -- count -P "$FIXTURES/churn:st_fix_hit"
expect_equal "processes" "$(grep -c '^    churn \[[0-9]*\]$' "$T/out")" 50
expect_out "^    churn \[${line##*last=}\]$"
refuse_out 'unknown'

# Samples: what is caught of them has names
trace churn exec $((children * 3)) 200000 -- profile -f -F 997 -U
grep '^churn;' "$T/out" >"$T/churn" || fail "no sample of the short processes"
all=$(folded_sum "$T/churn")
named=$(folded_sum_of 'st_fix_child' "$T/churn")
echo "$named of $all samples have st_fix_child"
[ "$named" -gt 0 ] || fail "no sample with names"
