#!/bin/sh
# ctest: boots=5.10|7.2
# The symbol worker is killed while the tool runs: another one takes its place, and every frame still gets its name. It has a session
# other than the tool's, which has its own share of the CPUs (supervisor.c).
. "${0%/*}/lib.sh"
needs uprobe

fixture chain calls 100
tool_start count -f -p "$fixture_pid" "$FIXTURES/chain:st_fix_leaf"
fixture_work
worker=$(symbol_workers)
[ -n "$worker" ] || fail "no symbol worker below the tool"
session_of() { # PID: field 6 of proc_pid_stat(5); the names of our processes have no blanks
	cut -d ' ' -f 6 "/proc/$1/stat"
}
[ "$(session_of "$worker")" != "$(session_of "$tool_pid")" ] || fail "the worker is in the session of the tool"
kill -9 "$worker" || fail "the worker has ended already"
tool_end
plain_names "$T/out" >"$T/plain"
expect_equal "calls with all names" "$(folded_sum_of 'st_fix_main;.*st_fix_g;(st_fix_h;)?st_fix_leaf [0-9]+$' "$T/plain")" 100
fixture_end
