#!/bin/sh
# ctest: live-kallsyms boots=5.10
# Time until being woken, by the waker's kernel stack.
. "${0%/*}/lib.sh"
needs btf

trace offcpu pair 20 20000 -- wakeuptime -f -p PID
waited=$(field waited_us)
slept=$(folded_sum_of '^st-waker;.*futex.*;st-sleeper [0-9]+$')
echo "$slept us until woken; the fixture: $line"
[ "$slept" -gt 0 ] && [ "$slept" -ge "$(least_waited)" ] && [ "$slept" -le $((waited * 101 / 100)) ] || fail "$slept us of $waited us"
expect_out '^\[(irq|softirq)\];.*;st-waker [0-9]+$'
refuse_err 'does not add up|stack was lost'

trace offcpu pair 10 20000 -- wakeuptime -p PID
expect_out '^Tracing blocked time \(us\) by kernel stack\.\.\. Hit Ctrl-C to end\.$'
expect_out '^    target:          st-sleeper$'
expect_out '^    waker:           st-waker$'
expect_out '^    [0-9a-f]{16} [a-z_0-9.]*futex[a-z_0-9.]*\+0x[0-9a-f]+$'
expect_out '^Detaching\.\.\.$'

returns 0 wakeuptime -u -f 0.5
refuse_out ';(kworker|ksoftirqd|rcu_)[^;]* [0-9]+$'
returns 2 wakeuptime -u -p 1 1
returns 2 wakeuptime 0
returns 0 wakeuptime -v 0.2
