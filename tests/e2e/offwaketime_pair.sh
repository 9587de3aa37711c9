#!/bin/sh
# ctest: live-kallsyms
# A sleeper and its waker: names, threads and both stacks are the right ones, and the time is that of the sleeper.
. "${0%/*}/lib.sh"
needs btf

trace offcpu pair 20 20000 -- offwaketime -f -p PID
waited=$(field waited_us)
# bcc drops the innermost frame of each stack in folded output: syscall() here, which also hides its caller.
paired=$(folded_sum_of '^st-sleeper;.*st_off_wait;.*;--;.*st_off_wake;.*;st-waker [0-9]+$')
echo "$paired us with its waker; the fixture: $line"
[ "$paired" -gt 0 ] && [ "$paired" -ge "$(least_waited)" ] && [ "$paired" -le $((waited * 101 / 100)) ] ||
	fail "sleeper and waker: $paired us of $waited us"
refuse_out 'bpf_prog|bpf_trace_run'
refuse_err 'does not add up|stack was lost'
# The waker itself is woken by a timer: an interrupt, not the thread that it hit
expect_out '^st-waker;.*nanosleep.*;--;.*;\[(irq|softirq)\] [0-9]+$'

# bcc takes five processes.
trace offcpu pair 10 20000 -- offwaketime -d -m 1000 -p "$(seq -s , 4190000 4190999),PID" --unfinished
expect_out '^Tracing blocked time \(us\) by user \+ kernel off-CPU and waker stack\.\.\. Hit Ctrl-C to end\.$'
expect_out "^    waker:           st-waker $(field waker)\$"
expect_out "^    target:          st-sleeper $(field sleeper)\$"
expect_out '^    --               --$'
expect_out '^    -$'
expect_out '^    waker:           \[unfinished\] 0$'

# Which of the two programs takes wakers depends on the kernel; --explain says it.
tool offwaketime --explain 1
expect_out '^attach: sched:sched_switch with on_switch$'
expect_out '^attach: sched:sched_waking with on_waking(_anywhere)?$'

# Stacks are taken at every switch; those that no row shows are no loss, and no line reports them.
fixture offcpu pair 20 20000
tool_start offwaketime --strict -m 60000000 -p "$fixture_pid"
fixture_work
tool_signal INT
tool_wait
fixture_end
refuse_out 'st_off_wait'
refuse_err 'user stacks? |kernel stacks? '

# One thread of several
trace offcpu pair 10 20000 -- offwaketime -f -K -u
expect_out "^st-sleeper;.*;--;.*;st-waker [0-9]+\$"
refuse_out 'st_off_wait'

# An interrupt is one also where its stack is not requested, in every form
interrupts() {
	trace offcpu pair 10 20000 -- offwaketime -U -f --save "$T/user.stk" -p PID
	expect_out '^st-waker;.*;--;\[(irq|softirq)\] [0-9]+$'
	refuse_out 'schedule|;swapper/[0-9]+ [0-9]+$'
	tool report --format json "$T/user.stk"
	expect_out 'irq'
	tool report -o "$T/user.svg" "$T/user.stk"
	grep -qE '\[(irq|softirq)\]' "$T/user.svg" || fail "the flame graph has no interrupt"
}
# Told by names, as on this host; in a guest each run takes seconds.
[ -n "${IN_GUEST:-}" ] || interrupts

# Saved and printed again: the same bytes
trace offcpu pair 10 5000 -- offwaketime --save "$T/pair.stk" -f -p PID
cp "$T/out" "$T/live"
returns 0 report "$T/pair.stk"
cmp -s "$T/live" "$T/out" || fail "the saved profile prints otherwise"
