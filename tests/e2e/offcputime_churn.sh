#!/bin/sh
# ctest: timeout=400
# Threads come and go by the thousand: none leaves an entry behind that another one would be charged for, none is missing.
E2E_SECONDS=360
. "${0%/*}/lib.sh"
needs btf

forks=20000
[ -z "${IN_GUEST:-}" ] || forks=1500
fixture offcpu forks $forks
tool_start offcputime -f --unfinished
go
fixture_done
tool_end
expect_status 0
refuse_err 'does not add up|table of threads was full|threads that have ended'
# Each child sleeps 100 us and more, and no sleep of a child can be longer than the run.
longest=$(grep '^offcpu;.*nanosleep' "$T/out" | awk '$NF > max { max = $NF } END { printf "%.0f\n", max }')
sum=$(folded_sum_of '^offcpu;.*nanosleep')
echo "$forks forks: children slept $sum us, the longest $longest us"
[ "$sum" -ge $((forks * 100)) ] || fail "$forks children slept $sum us, less than 100 us each"
expect_equal "children that never end" "$(grep -c '^offcpu;.*nanosleep.*unfinished' "$T/out")" 0
fixture_end
