#!/bin/sh
# ctest: boots=5.10
# USDT probes: every pass is counted, of all places of a probe, with and without -p, and semaphores are raised meanwhile.
. "${0%/*}/lib.sh"
needs uprobe sdt

# passes PROGRAM EXPECTED GUARDED TOOL-ARG…: 500 rounds of the fixture; PID stands for its process id.
passes() {
	program=$1
	expected=$2
	guarded=$3
	shift 3
	trace "$program" 500 -- count -f "$@"
	refuse_err 'refused'
	expect_equal "$*: events" "$(folded_sum)" "$expected"
	expect_equal "$*: rounds in which the program saw the semaphore raised" "${line%% *}" "guarded=$guarded"
	plain_names "$T/out" >"$T/plain"
}

# Two places, and nothing but the frames that there are: no caller is invented in the middle of a function.
passes usdt 1000 0 "u:$FIXTURES/usdt:st_fix:hit"
expect_equal "the first place" "$(folded_sum_of 'st_fix_main;st_fix_one [0-9]+$' "$T/plain")" 500
expect_equal "the second place" "$(folded_sum_of 'st_fix_main;st_fix_two [0-9]+$' "$T/plain")" 500
expect_equal "rows" "$(folded_rows)" 2
passes usdt 1000 0 -p PID "u:$FIXTURES/usdt:st_fix:hit"
expect_equal "the second place, by process" "$(folded_sum_of 'st_fix_main;st_fix_two [0-9]+$' "$T/plain")" 500

# A program that passes only while somebody listens
passes usdt 500 500 "u:$FIXTURES/usdt:guarded"
passes usdt 500 500 -p PID "u:$FIXTURES/usdt:guarded"
expect_equal "the guarded one" "$(folded_sum_of 'st_fix_main;st_fix_guard [0-9]+$' "$T/plain")" 500

# Any provider; wildcards and expressions for either part
passes usdt 1500 0 "u:$FIXTURES/usdt:hit"
passes usdt 500 0 -p PID "u:$FIXTURES/usdt:st_o*:h*t"
passes usdt 2500 500 "u:$FIXTURES/usdt:*"
passes usdt 1500 500 -r "u:$FIXTURES/usdt:st_fi:(hit|guar)"

# With a process instead of a file: all that it has mapped, the library too
if "$FIXTURES/usdt-dyn" 1 </dev/null >/dev/null 2>&1; then
	passes usdt-dyn 500 0 -p PID u::plain
	expect_equal "in the library" "$(folded_sum_of 'st_fix_main;st_lib_pass [0-9]+$' "$T/plain")" 500
	passes usdt-dyn 1000 0 -p PID "u:$FIXTURES/usdt-dyn:st_fix:hit"
	passes usdt-dyn 500 500 "u:$FIXTURES/usdt-dyn:guarded"
	passes usdt-dyn 500 0 -p PID u:usdt:plain
else
	[ -n "${IN_GUEST:-}" ] || fail "$FIXTURES/usdt-dyn does not run"
fi
passes usdt 500 500 -p PID u::guarded

# The first thread has ended, and with it what /proc/PID/maps shows
trace usdt 500 leaderless -- count -f -p PID u::hit
expect_equal "without a leader" "$(folded_sum)" 1500

# It ends while others run on: what the kernel makes of that is reported.
fixture usdt 500 leaving
tool_start count -f --strict -p "$fixture_pid" u::plain
fixture_work
tool_signal INT
tool_wait
fixture_end
if [ "$status" = 4 ]; then
	expect_err "^WARNING: the main thread of process $fixture_pid ended, so the kernel removed the probes"
else
	expect_equal "without a leader" "$(folded_sum)" 500
fi

# Both at once: the semaphore is a counter, and falls to 0 again when the last one goes, also by kill -9.
fixture usdt 500
tool_start count "u:$FIXTURES/usdt:guarded"
kill -9 "$tool_pid"
tool_wait 2>/dev/null # the shell says "Killed"
tool_start count -f "u:$FIXTURES/usdt:hit"
fixture_work
tool_end
expect_equal "after kill -9" "$line" "guarded=0 raised=0"
fixture_end

# What is not there
refused 5 "did you mean 'st_fix:hit'" count -D 1 "u:$FIXTURES/usdt:st_fix:hot"
returns 5 count -D 1 "u:$FIXTURES/usdt:guarted"
expect_err "did you mean 'guarded'"
refused 5 "no USDT probes in $FIXTURES/calls" count -D 1 "u:$FIXTURES/calls:*"
expect_err "a function is LIBRARY:FUNCTION, without u:"
returns 2 count -D 1 u::hit
expect_err 'needs a process'
returns 0 count --explain "u:$FIXTURES/usdt:guarded"
expect_out '^attach: .*/usdt:st_fix:guarded \(file offset 0x[0-9a-f]+, semaphore 0x[0-9a-f]+\)$'
