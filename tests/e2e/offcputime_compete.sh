#!/bin/sh
# ctest: live-kallsyms
# Two threads on one CPU: what they are off it for is waiting for it, not blocked.
. "${0%/*}/lib.sh"
needs btf

trace offcpu compete 1500000 -- offcputime -f --runqueue -p PID
waited=$(folded_sum_of 'st_off_compete')
# Half of the time each, together all of it; others may have the CPU too, then it is more.
[ "$waited" -gt 1100000 ] || fail "two threads waited $waited us for each other in 1.5 s"
refuse_err 'does not add up'

trace offcpu compete 500000 -- offcputime -f --blocked -p PID
[ "$(folded_sum_of 'st_off_compete;')" -lt 50000 ] || fail "--blocked: $(folded_sum_of 'st_off_compete;') us of waiting for a CPU"

for state in 0 R; do
	trace offcpu compete 500000 -- offcputime -f --state $state -p PID
	[ "$(folded_sum_of 'st_off_compete')" -gt 300000 ] || fail "--state $state: $(folded_sum_of 'st_off_compete') us"
done

# Who ended it: nobody, the thread never slept
trace offcpu compete 500000 -- offwaketime -f -p PID --state R
expect_out '^offcpu;.*;--;\[preempted\] [0-9]+$'
[ -z "$(grep -v 'preempted' "$T/out")" ] || fail "--state R: wakers of threads that did not sleep"
