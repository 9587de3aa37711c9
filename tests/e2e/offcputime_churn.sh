#!/bin/sh
# ctest: alone plain timeout=400 boots=5.10 live-kallsyms
# Threads come and go by the thousand, more than there are ids: none leaves an entry behind that another one would be charged for, none is missing.
# Alone: 40,000 processes use up the ids of the host, and beside others it took 91 s instead of 29.
# Plain: the same command is in offcputime_states, and processes by the hundred are in churn.
. "${0%/*}/lib.sh"
needs btf

# Ids come around: a sleep must not be charged to another process of the same one. A guest has its pid_max to itself; a host
# with a larger one than usual has no id twice, but as many entries.
forks=40000 # more than the usual 32,768 ids
if [ -n "${IN_GUEST:-}" ]; then
	forks=1500
	echo 600 >/proc/sys/kernel/pid_max || fail "pid_max cannot be set"
fi
fixture offcpu forks $forks
tool_start offcputime -v -f --unfinished
fixture_work
tool_end
refuse_err 'does not add up|table of threads was full'
expect_equal "stale entries" "$(said_of 'stale entries ignored')" 0
# Each child sleeps, and no sleep of a child can be longer than the run.
longest=$(grep '^offcpu;.*nanosleep' "$T/out" | awk '$NF > max { max = $NF } END { printf "%.0f\n", max }')
sum=$(folded_sum_of '^offcpu;.*nanosleep')
echo "$forks forks, pid_max $(cat /proc/sys/kernel/pid_max): children slept $sum us, the longest $longest us"
[ "$sum" -ge "$(least_waited)" ] || fail "$forks children slept $sum us; they say $line"
ids=$(cat /proc/sys/kernel/pid_max)
[ "$longest" -lt 5000000 ] || fail "a child slept for $longest us"
[ "$forks" -gt "$ids" ] || echo "no id came twice: pid_max is $ids"
expect_equal "children that never end" "$(grep -c '^offcpu;.*nanosleep.*unfinished' "$T/out")" 0
fixture_end
