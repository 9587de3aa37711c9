#!/bin/sh
# ctest: boots=-all$
# The symbol worker is killed while the tool runs: another one takes its place, and every frame still gets its name. It has a session
# other than the tool's, which has its own share of the CPUs (supervisor.c).
. "${0%/*}/lib.sh"
needs uprobe perf-event

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

# The process that starts the workers is killed before anything is attached: as later in a run, names are missing, and nothing else.
fixture_running chain spin
rm -f "$T/ready"
mkfifo "$T/ready"
tool_line="stacktool profile -f (its supervisor is killed)"
STACKTOOL_READY_FD=9 "$FIXTURES/as" foreground "$STACKTOOL" profile -F 99 -f -p "$fixture_pid" 9>"$T/ready" \
	>"$T/out" 2>"$T/err" </dev/null 7<&- 8>&- &
tool_pid=$!
exec 5<"$T/ready"
name=
until [ "$name" = stacktool-super ]; do
	kill -0 "$tool_pid" || fail "the tool ended without a symbol worker"
	read -r children <"/proc/$tool_pid/task/$tool_pid/children"
	for child in $children; do
		read -r name 2>/dev/null <"/proc/$child/comm" || name=
		[ "$name" != stacktool-super ] || break
	done
done
kill -9 "$child"
read -r line <&5 || line=
exec 5<&-
if [ -z "$line" ]; then
	tool_wait
	fail "the run ended with the supervisor"
fi
until_used "$fixture_pid" 20
tool_end
expect_out '^chain;'
expect_err '^NOTE: [0-9,]+ of [0-9,]+ frames have no name: .*the symbol worker could not be started'
fixture_end
