#!/bin/sh
# Every sleep of a thread is in the report or named as lost, while the host is busy.
. "${0%/*}/lib.sh"
needs btf

sleeps=5000
[ -z "${IN_GUEST:-}" ] || sleeps=500
# Of a shorter sleep the timer may ring in an emulated guest before the thread has gone to sleep: then there is no switch.
microseconds=200
[ -z "${IN_GUEST:-}" ] || microseconds=5000
fixture offcpu sleep $sleeps $microseconds
tool_start offcputime --format json -m 0 -p "$fixture_pid"
go
fixture_done
tool_end
expect_status 0
counted=$(tr ',{}' '\n\n\n' <"$T/out" | sed -n 's/^"counted"://p')
missed=$(said_of 'waits not counted')
echo "$sleeps sleeps: $counted intervals counted, $missed named as missed"
# At least one switch for each sleep; being preempted makes more. One that slept through what preempted it makes none less.
[ $((counted + missed)) -ge $sleeps ] || fail "$counted counted and $missed named as lost are less than $sleeps"
refuse_err 'does not add up'
fixture_end
