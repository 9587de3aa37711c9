#!/bin/sh
# ctest: boots=-all$ live-kallsyms
# --state: what is waited for uninterruptibly (D), what is stopped (T) and what is only idle (I) are distinguished, by letters and
# by the kernel's bits. Sleeping (S) and preempted (R) are in offcputime_sleep and offcputime_compete.
. "${0%/*}/lib.sh"
needs btf

# Uninterruptible: a parent that waits in vfork() for its child
waits() { # STATE
	trace offcpu vfork 10 20000 -- offcputime -f --state "$1" -p PID
	waited=$(folded_sum_of 'st_off_vfork;.*schedule;')
	echo "--state $1: $waited us; the fixture: $line"
}
for state in D 2; do
	waits $state
	[ "$waited" -gt 0 ] && [ "$waited" -ge "$(least_waited)" ] && [ "$waited" -le "$(field waited_us)" ] ||
		fail "--state $state: $waited us in vfork"
done
waits SIT
expect_equal "--state SIT: time in vfork" "$(folded_sum_of 'wait_for')" 0

# Stopped, and continued
stopped() { # STATE
	fixture offcpu block
	tool_start offcputime -f --state "$1" -p "$fixture_pid"
	kill -STOP "$fixture_pid"
	until grep -q '^State:.T' "/proc/$fixture_pid/status"; do :; done
	kill -CONT "$fixture_pid"
	until grep -q '^State:.S' "/proc/$fixture_pid/status"; do :; done # it has had a CPU and waits again
	tool_end
	fixture_end
}
for state in T 4; do
	stopped $state
	expect_out '^offcpu;.*(do_signal_stop|get_signal)'
done
stopped D
refuse_out 'do_signal_stop'

# Idle workers wait as D does, in the same bits, but for nothing: only the letters tell.
returns 0 offcputime -k -f --unfinished --state I 1
expect_out ';worker_thread;schedule'
returns 0 offcputime -k -f --unfinished --state D 1
refuse_out ';worker_thread;schedule'
tool offcputime -k -f --unfinished --state 2 1
expect_out ';worker_thread;schedule'
