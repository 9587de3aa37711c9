#!/bin/sh
# ctest: live-kallsyms
# Two threads on one CPU: what they are off it for is waiting for it, not blocked.
. "${0%/*}/lib.sh"
needs btf

fixture offcpu compete 1500000
tool_start offcputime -f --runqueue -p "$fixture_pid"
go
fixture_done
tool_end
expect_status 0
waited=$(folded_sum_of 'st_off_compete')
# Half of the time each, together all of it; others may have the CPU too, then it is more.
[ "$waited" -gt 1100000 ] || fail "two threads waited $waited us for each other in 1.5 s"
refuse_err 'does not add up'
fixture_end

fixture offcpu compete 500000
tool_start offcputime -f --blocked -p "$fixture_pid"
go
fixture_done
tool_end
[ "$(folded_sum_of 'st_off_compete;')" -lt 50000 ] || fail "--blocked: $(folded_sum_of 'st_off_compete;') us of waiting for a CPU"
fixture_end

for state in 0 R; do
	fixture offcpu compete 500000
	tool_start offcputime -f --state $state -p "$fixture_pid"
	go
	fixture_done
	tool_end
	[ "$(folded_sum_of 'st_off_compete')" -gt 300000 ] || fail "--state $state: $(folded_sum_of 'st_off_compete') us"
	fixture_end
done

# Who ended it: nobody, the thread never slept
fixture offcpu compete 500000
tool_start offwaketime -f -p "$fixture_pid" --state R
go
fixture_done
tool_end
expect_status 0
expect_out '^offcpu;.*;--;\[preempted\] [0-9]+$'
[ -z "$(grep -v 'preempted' "$T/out")" ] || fail "--state R: wakers of threads that did not sleep"
fixture_end
