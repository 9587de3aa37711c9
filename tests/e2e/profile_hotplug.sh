#!/bin/sh
# ctest: guest timeout=200 boots=7.2
# A CPU goes offline and comes back during a profile: the run goes on, the gap is said, and the CPU is sampled again.
. "${0%/*}/lib.sh"
needs perf-event cpus:2 hotplug

last=$(($(nproc) - 1))
online=/sys/devices/system/cpu/cpu$last/online

# Time must pass on a clock here: nothing else tells that the tool could have looked.
fixture chain spin
go
tool_start profile -f -F 99 -e cpu-clock
echo 0 >"$online" || fail "cannot switch CPU $last off"
sleep 2
echo 1 >"$online" || fail "cannot switch CPU $last on"
sleep 2
fixture_end
fixture chain -j "$last" kernel
go
sleep 4
fixture_end
tool_end
expect_status 0
refuse_err 'does not add up'
expect_out '^chain;.*st_fix_main;.*st_fix_h'
# The CPU is sampled again, or the gap is counted and said: kernel.perf_event_paranoid may forbid new events.
grep -qE '^chain;.*st_fix_h;.*do_syscall_64' "$T/out" || [ "$(said_of 'samples missing: a CPU')" -gt 0 ] ||
	fail "CPU $last came back, was not sampled, and nothing says so"
