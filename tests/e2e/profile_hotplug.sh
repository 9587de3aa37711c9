#!/bin/sh
# ctest: guest boots=7.2
# A CPU goes offline and comes back during a profile: the run goes on, the gap is said, and the CPU is sampled again.
. "${0%/*}/lib.sh"
needs perf-event cpus:2 hotplug

last=$(($(nproc) - 1))
online=/sys/devices/system/cpu/cpu$last/online

# Time must pass on a clock here: nothing else tells that the tool could have looked.
fixture_running chain spin
tool_start profile -f -F 99 -e cpu-clock
echo 0 >"$online" || fail "cannot switch CPU $last off"
sleep 2
echo 1 >"$online" || fail "cannot switch CPU $last on"
sleep 2
fixture_end
fixture_running chain -j "$last" kernel
sleep 4
fixture_end
tool_end
refuse_err 'does not add up'
expect_out '^chain;.*st_fix_main;.*st_fix_h'
# The CPU is sampled again, or the gap is said: kernel.perf_event_paranoid may forbid new events.
grep -qE '^chain;.*st_fix_h;.*do_syscall_64' "$T/out" || [ "$(said_of 'milliseconds in which an online CPU was not sampled')" -gt 0 ] ||
	fail "CPU $last came back, was not sampled, and nothing says so"

# toggled PARANOID PROFILE-ARG…: off and on again, once with time between, once faster than anybody looks. A privilege that was
# given up is missing when the CPU is back (3), or not needed (2). What was measured adds up, the rest is said in time.
paranoid=/proc/sys/kernel/perf_event_paranoid
toggled() {
	echo "$1" >"$paranoid" || fail "cannot set $paranoid"
	shift
	fixture_running chain spin
	tool_start profile -f "$@"
	echo 0 >"$online"
	sleep 2
	echo 1 >"$online"
	sleep 2
	echo 0 >"$online" && echo 1 >"$online" || fail "cannot switch CPU $last off and on"
	sleep 3
	tool_end
	fixture_end
	refuse_err 'does not add up|more than the counter explains|for an unknown reason'
	gap=$(said_of 'milliseconds in which an online CPU was not sampled')
	[ "$gap" -gt 0 ] || fail "$*: CPU $last was not sampled for a while, and nothing says so"
	echo "$*, perf_event_paranoid $(cat "$paranoid"): $gap ms; $(grep 'samples of all processes taken' "$T/err")"
}

before=$(cat "$paranoid")
for privilege in 2 3; do
	toggled "$privilege" -e page-faults -c 50
	toggled "$privilege" -e cpu-clock -F 99
done
echo "$before" >"$paranoid"
