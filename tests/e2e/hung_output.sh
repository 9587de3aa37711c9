#!/bin/sh
# ctest: host plain
# A file system that does not answer any more does not hold a run whose reports go there: Ctrl-C twice ends it, the files are kept elsewhere,
# and the error names them. On the host: guests have no FUSE. Plain: a process that waits there is not for a leak checker.
. "${0%/*}/lib.sh"
needs perf-event

mkdir "$T/mount" "$T/other"
export TMPDIR="$T/other"

# held: FUSE must be permitted.
"$FIXTURES/hung_mount" "$T/mount" </dev/null >"$T/tried" 2>&1
! grep -q '^NO' "$T/tried" || skip "FUSE is not permitted here"

hang() {
	go
	fixture_line
	expect_equal "the fixture" "$line" HELD
}

until_said() {
	until grep -qE -- "$1" "$T/err"; do
		kill -0 "$tool_pid" || fail "has ended without the line: $1"
	done
}

# The server ends, and what waited for it.
let_go() {
	go
	fixture_done
	fixture_end
	for writer in $writers; do
		while [ -d "/proc/$writer" ]; do :; done
	done
}

no_answer="^stacktool profile: '$T/mount/now.svg': cannot be written: its file system does not answer: the file is kept as '$T/other/stacktool-kept-[0-9a-f]{8}-now.svg'"

# ---- in the report of an interval ----

fixture hung_mount "$T/mount"
tool_start profile -F 99 -i 0.2 -o "$T/mount/now.svg" --save "$T/mount/all.stk"
writers=$(children_named "$tool_pid" stacktool-write)
until [ -e "$T/mount/now.svg" ]; do :; done
hang
tool_signal INT
until_said 'stopping: finishing a report'
tool_signal INT
tool_wait
expect_status 1
expect_err "$no_answer; '$T/mount/all.stk': cannot be written: its file system does not answer: the file is kept as '$T/other/stacktool-kept-[0-9a-f]{8}-all.stk'\$"
returns 0 report -f "$(echo "$T"/other/stacktool-kept-*-all.stk)"
[ -s "$(echo "$T"/other/stacktool-kept-*-now.svg)" ] || fail 'the report is not kept'
let_go
rm "$T"/other/*

# ---- after the run: what is waited for is said, and a signal ends it as at any moment after a run ----

fixture hung_mount "$T/mount"
sleep 1000 &
target=$!
tool_start profile -F 99 -o "$T/mount/now.svg" -p "$target"
writers=$(children_named "$tool_pid" stacktool-write)
go
kill "$target" # which ends the run
wait "$target" 2>/dev/null
fixture_line
expect_equal "the fixture" "$line" HELD
until_said "'$T/mount/now.svg': its file system does not answer: waiting at most 30 seconds"
while kill -INT "$tool_pid" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$tool_pid/status" 2>/dev/null; do :; done
tool_wait
expect_status 130
let_go

# ---- before the run, also with two names that may be one file ----

fixture hung_mount "$T/mount"
go
"$STACKTOOL" profile -F 99 -o "$T/mount/now.svg" -o "$T/./mount/now.svg" 0.1 >"$T/out" 2>"$T/err" </dev/null 7<&- 8>&- &
tool_pid=$!
fixture_line
expect_equal "the fixture" "$line" HELD
writers=$(children_named "$tool_pid" stacktool-write)
until_said "'$T/mount/now.svg': its file system does not answer: waiting at most 30 seconds"
tool_signal INT
tool_wait 0
expect_err 'stopped by a signal before anything was attached: nothing was counted'
let_go
