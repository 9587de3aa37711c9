#!/bin/sh
# ctest: guest timeout=200
# A CPU goes offline and comes back during a profile: the run goes on, the gap is said, and the CPU is sampled again.
. "${0%/*}/lib.sh"
needs perf-event cpus:2 hotplug

last=$(($(nproc) - 1))
online=/sys/devices/system/cpu/cpu$last/online

fixture chain spin
go
tool_start profile -f -F 99 -e cpu-clock
echo 0 >"$online" || fail "cannot switch CPU $last off"
tool_alive_until=$(($(date +%s) + 3))
while [ "$(date +%s)" -lt "$tool_alive_until" ]; do :; done
echo 1 >"$online" || fail "cannot switch CPU $last on"
fixture_end
# Work on the CPU that is back; the tool looks for changes at least once a second.
fixture chain -j "$last" kernel
go
until_s=$(($(date +%s) + 5))
while [ "$(date +%s)" -lt "$until_s" ]; do :; done
tool_end
expect_status 0
expect_out '^chain;.*st_fix_h;.*do_syscall_64'
expect_err 'CPU'
refuse_err 'does not add up'
fixture_end
