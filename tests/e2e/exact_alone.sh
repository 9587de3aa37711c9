#!/bin/sh
# ctest: timeout=600
# Programs of which the kernel runs only one at a time on a CPU add without locks, and still every event is counted: of a
# classic tracepoint, by 1, 2 and 8 threads, with and without intervals, and with more stacks than there is room for.
. "${0%/*}/lib.sh"
needs tracepoint:task:task_rename

# alone "FIXTURE-ARGS" TOOL-ARG…
alone() {
	arguments=$1
	shift
	# shellcheck disable=SC2086
	trace calls -n "$EVENTS" -k rename -b 2 $arguments -- count -f "$@" -p PID t:task:task_rename
	sum=$(folded_sum)
	lost=$(lost_events)
	echo "calls $arguments; count -f $*: $sum counted + $lost lost, $(folded_rows) rows"
	expect_equal "counted and lost" $((sum + lost)) "$EVENTS"
	refuse_err 'does not add up|identity'
}

for threads in $THREADS; do
	for interval in '' '-i 0.05'; do
		# shellcheck disable=SC2086
		alone "-t $threads" $interval
		expect_equal "lost" "$lost" 0
		expect_out 'st_fix_thread;st_fix_left;'
	done
done
alone '-t 2 -d 4096' --hash-storage-size 64 -i 0.05
expect_out 'st_fix_right'
