#!/bin/sh
# ctest: timeout=600
# Every system call is counted at its tracepoint, with both stacks, by 1, 2 and 8 threads, with and without intervals.
. "${0%/*}/lib.sh"
needs tracepoint:syscalls:sys_enter_getppid

for threads in 1 2 8; do
	for interval in '' '-i 0.05'; do
		fixture calls -n "$EVENTS" -t "$threads" -k getppid -b 2
		# shellcheck disable=SC2086
		tool_start count -f $interval -p "$fixture_pid" t:syscalls:sys_enter_getppid
		go
		fixture_done
		tool_end
		expect_status 0
		sum=$(folded_sum)
		lost=$(lost_events)
		echo "getppid from $threads threads $interval: $sum counted + $lost lost, $(folded_rows) rows"
		# Where programs of system calls can be preempted, the kernel leaves out those of the threads that come
		# in between, and says how many but not which: not more than ours, and not fewer than it says.
		[ "$sum" -le "$EVENTS" ] && [ $((sum + lost)) -ge "$EVENTS" ] || fail "$sum calls, not $EVENTS"
		[ "$lost" -le $((EVENTS / 100)) ] || fail "$lost lost"
		expect_out 'st_fix_thread;st_fix_left;'
		fixture_end
	done
done
