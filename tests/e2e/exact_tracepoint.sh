#!/bin/sh
# ctest: timeout=600
# Every system call is counted at its tracepoint, with both stacks, by 1, 2 and 8 threads, with and without intervals.
. "${0%/*}/lib.sh"
needs tracepoint:syscalls:sys_enter_getppid

preempted=no
! programs_are_preempted || preempted=yes

for threads in 1 2 8; do
	for interval in '' '-i 0.05'; do
		fixture calls -n "$EVENTS" -t "$threads" -k getppid -b 2
		# shellcheck disable=SC2086
		tool_start count -f $interval -p "$fixture_pid" t:syscalls:sys_enter_getppid
		fixture_work
		tool_end
		sum=$(folded_sum)
		lost=$(lost_events)
		echo "getppid from $threads threads $interval: $sum counted + $lost lost, $(folded_rows) rows"
		if [ "$preempted" = yes ]; then
			[ "$sum" -le "$EVENTS" ] && [ $((sum + lost)) -ge "$EVENTS" ] || fail "$sum calls, not $EVENTS"
		else
			expect_equal "calls" "$sum" "$EVENTS"
			expect_equal "lost" "$lost" 0
		fi
		expect_out 'st_fix_thread;st_fix_left;'
		fixture_end
	done
done
