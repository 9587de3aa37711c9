#!/bin/sh
# ctest: live-kallsyms
# Every sleep of a thread is in the report or named as lost, while the host is busy.
. "${0%/*}/lib.sh"
needs btf

sleeps=5000
[ -z "${IN_GUEST:-}" ] || sleeps=500
trace offcpu sleep $sleeps 200 -- offcputime --format json -m 0 -p PID
counted=$(tr ',{}' '\n\n\n' <"$T/out" | sed -n 's/^"counted"://p')
missed=$(said_of 'waits not counted')
# A sleep whose timer rings before the thread has gone is none: the thread counts its own switches.
switches=${line##*switches=}
echo "$sleeps sleeps: $switches switches, $counted intervals counted, $missed named as missed"
[ "$switches" -ge $((sleeps / 2)) ] || fail "the fixture hardly slept"
[ $((counted + missed)) -ge "$switches" ] || fail "$counted counted and $missed named as lost are less than $switches"
refuse_err 'does not add up'
