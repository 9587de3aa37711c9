#!/bin/sh
# ctest: guest boots=cpu
# One CPU, where every event of another thread is a preemption, and four: exact, and timed samples on all of them.
. "${0%/*}/lib.sh"
needs uprobe perf-event
expect_equal "CPUs of the guest" "$(nproc)" "${cpus:?}"

EVENTS=5000
exactly "$FIXTURES/calls:st_fix_hit" "-t 4 -d 64"
expect_none_lost

cpu=0
while [ "$cpu" -lt "$cpus" ]; do
	fixture_running chain -j "$cpu" spin
	returns 0 profile -f -F 49 -C "$cpu" -p "$fixture_pid" 1
	expect_out 'st_fix_g;st_fix_h.* [0-9]+$'
	refuse_err 'does not add up'
	fixture_end
	cpu=$((cpu + 1))
done

# The memory of maps: a part for each CPU that the host could get, and the rest (docs/reference/restricted.md).
tool_start profile -f -F 49
kilobytes=$(cat "/proc/$tool_pid/fdinfo/"* 2>/dev/null | awk '/^memlock:/ { bytes += $2 } END { print int(bytes / 1024) }')
tool_end
possible=$(($(sed 's/.*-//' /sys/devices/system/cpu/possible) + 1))
echo "maps: $kilobytes kB with $possible possible CPUs"
[ "$kilobytes" -gt "$possible" ] || fail "maps: $kilobytes kB"
[ "$kilobytes" -le $((10000 + 80 * possible)) ] || fail "maps: $kilobytes kB with $possible possible CPUs"

returns 1 profile -C "$cpu" 1
expect_err "CPU $cpu: not online"
