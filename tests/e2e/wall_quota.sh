#!/bin/sh
# ctest: boots=5.10|7.2
# wall: the time for which a cgroup's quota is used up is [throttled], and no time of a thread outside of it. The kernel's own sum is the truth.
. "${0%/*}/lib.sh"
needs btf perf-event

quota_group 100000 20000

of_group() { # NAME: of cpu.stat
	sed -n "s/^$1 //p" "$group/cpu.stat"
}

# Microseconds
throttled() {
	if [ -n "$(of_group throttled_usec)" ]; then of_group throttled_usec; else echo $(($(of_group throttled_time) / 1000)); fi
}

until_throttled() { # N times more
	end=$(($(of_group nr_throttled) + $1))
	until [ "$(of_group nr_throttled)" -ge "$end" ]; do :; done
}

cp "$FIXTURES/spin" "$FIXTURES/st-in"
cp "$FIXTURES/spin" "$FIXTURES/st-out"
fixture_running st-out
pid_out=$fixture_pid
exec 3<&7 4>&8
fixture_running st-in
pid_in=$fixture_pid
echo "$pid_in" >"$group/cgroup.procs" || fail "$group takes no process"
tool_start wall -f -p "$pid_in,$pid_out"
until_throttled 2 # what began before the window has ended
before=$(throttled)
until_throttled 10
until_throttled 1 # the sum has the ten by now
sum=$(($(throttled) - before))
tool_end
kill -9 "$pid_in" "$pid_out"
wait
refuse_err 'by which states and lifetimes|does not add up'
ours=$(folded_sum_of '^st-in;\[runnable\];.*;\[throttled\] ')
unknown=$(folded_sum_of '^st-in;\[unknown state\]')
[ "$sum" -gt 0 ] || fail "the kernel has throttled nothing"
[ "$((ours + unknown + sum / 50 + 2000))" -ge "$sum" ] || fail "throttled for $ours us, by the kernel for $sum; unknown: $unknown"
refuse_out '^st-out;.*\[throttled\]'
