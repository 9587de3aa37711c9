#!/bin/sh
# ctest: guest
# Events that the kernel keeps from the programs: a function that the tracer itself calls is hit inside its own probe. Where
# the kernel counts that it is said, by whichever mechanism, and --strict ends with 4; elsewhere the tool does not pretend.
. "${0%/*}/lib.sh"
needs kprobe

EVENTS=2000
for how in multi kprobe fentry; do
	fixture calls -n "$EVENTS" -k getppid
	tool count --explain --attach="$how" get_perf_callchain
	if [ "$status" = 3 ]; then
		fixture_end
		continue
	fi
	tool_start count -f --strict --attach="$how" --save "$T/run.stk" -p "$fixture_pid" \
		-r '(__(x64|do)_sys_getppid|sched_clock_cpu|get_perf_callchain)'
	fixture_work
	tool_signal INT
	tool_wait
	missed=$(said_of 'events missed')
	[ "$missed" = 0 ] || expect_status 4
	refused=$(grep -cE 'probes (was|were) refused' "$T/err")
	tool report --format json "$T/run.stk"
	known=$(tr ',{' '\n\n' <"$T/out" | sed -nE 's/.*"missed":([0-9]+|null).*/\1/p' | head -n 1)
	echo "$how: missed $missed, account $known"
	if [ "$known" = null ]; then
		expect_equal "missed, where the kernel does not count" "$missed" 0
	elif [ "$refused" -gt 0 ]; then
		expect_equal "account" "$known" "$missed"
	else
		[ "$missed" -ge "$EVENTS" ] || fail "$how: $missed events missed, at least $EVENTS were"
		expect_equal "account" "$known" "$missed"
	fi
	fixture_end
done
