#!/bin/sh
# ctest: host
# Why an interval has no waker: the lock was given back while the thread was on its way to sleep; the thread never slept.
. "${0%/*}/lib.sh"
needs btf

# Two CPUs are needed, and both threads have to run at once: on a busy host it takes more than one try.
[ "$(nproc)" -gt 1 ] || skip "one CPU"
tries=0 found=0
while [ "$found" = 0 ] && [ "$tries" -lt 20 ]; do
	trace offcpu contend 500000 -- offwaketime -f -p PID
	expect_status 0
	refuse_err 'does not add up'
	tries=$((tries + 1))
	found=$(folded_sum_of '^offcpu;.*st_off_contend;.*futex.*;--;\[woken before asleep\] [0-9]+$')
done
echo "woken before asleep: $found us in try $tries"
[ "$found" -gt 0 ] || fail "in $tries tries nobody was woken before asleep"
# Such a thread wanted to sleep, so it was not preempted, and nobody had to wake it: its interval is only the way back.
expect_out '^offcpu;.*;--;.*;offcpu [0-9]+$'
[ -z "$(grep -E 'woken before asleep' "$T/out" | grep -vE 'schedule;--;')" ] || fail "woken before asleep outside of the scheduler"
