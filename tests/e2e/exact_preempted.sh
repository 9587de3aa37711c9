#!/bin/sh
# ctest: guest boots=preempt-full
# A kernel that can preempt a thread inside a call on a map is deaf on that CPU until the call goes on
# (core/host/unpreempted.h). Two threads that call, and the tool that drains every 2 ms, on one CPU: no event is missed.
. "${0%/*}/lib.sh"
needs tracepoint:task:task_rename

second=/sys/devices/system/cpu/cpu1/online
[ ! -e $second ] || echo 0 >$second || fail "the second CPU stays"
trace calls -n "$((5 * EVENTS))" -k rename -b 2 -t 2 -- count -f -i 0.002 -p PID t:task:task_rename
lost=$(lost_events)
echo "$(folded_sum) counted + $lost lost, $(folded_rows) rows"
expect_equal "counted" "$(folded_sum)" $((5 * EVENTS))
expect_equal "lost" "$lost" 0
[ ! -e $second ] || echo 1 >$second
