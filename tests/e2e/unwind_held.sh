#!/bin/sh
# ctest: host plain
# While a command is held at its start, signals arrive as always, and nothing of the hold is left when stacktool is killed. A FIFO in
# place of a library keeps the loader waiting, so the hold lasts as long as it may. The verdicts are also right where a busy host
# comes after the second of the hold. The sanitized build is dynamic, and would itself wait for the library.
. "${0%/*}/lib.sh"
needs perf-event program:setpriv
needs_unwinder
mkfifo "$T/library.so"

# held COMMAND…: starts the tool; $child is the command, whose loader waits. Its program is not the tool's any more.
held() {
	rm -f "$T/err"
	LD_PRELOAD=$T/library.so "$STACKTOOL" profile -f -o "$T/report.folded" -- "$@" >"$T/out" 2>"$T/err" &
	tool_pid=$!
	child=
	until [ -n "$child" ]; do
		[ -d "/proc/$tool_pid" ] || fail "the tool has ended"
		for pid in $(cat "/proc/$tool_pid/task/$tool_pid/children" 2>/dev/null); do
			[ "$(process_field Name "$pid" 2>/dev/null)" = "${1##*/}" ] && child=$pid
		done
	done
	echo "$*: traced by $(process_field TracerPid "$child") of $tool_pid"
}

# Until the file FILE has a line REGEX
await_line() {
	until grep -qE "$2" "$1" 2>/dev/null; do
		[ -d "/proc/$child" ] || fail "no line $2"
	done
}

# The loader reads an empty library, and goes on without it.
let_load() {
	: >"$T/library.so"
}

ends_with() {
	wait "$tool_pid"
	expect_equal "status" $? "$1"
}

# It is let go after a second, and the tool says so.
held sh -c 'exit 4'
await_line "$T/err" 'the loader or the unwind tables of the command took longer than a second'
await_line "/proc/$child/status" '^TracerPid:[[:space:]]*0$'
let_load
ends_with 4

# Stopped, and let go as a stopped one
held sh -c 'exit 5'
kill -STOP "$child"
await_line "/proc/$child/status" '^TracerPid:[[:space:]]*0$'
await_line "/proc/$child/status" '^State:[[:space:]]*T'
kill -CONT "$child"
let_load
ends_with 5

# Killed
held sh -c 'exit 6'
kill -KILL "$child"
ends_with 137
[ ! -d "/proc/$child" ] || fail "the command is still there"

# A signal that it ignores, as its parent did
trap '' USR1
held sh -c 'exit 7'
kill -USR1 "$child"
trap - USR1
let_load
ends_with 7

# The tool is killed. The command, which ignores the SIGTERM of such an end, goes on as if nothing had been.
trap '' TERM
held touch "$T/went_on"
kill -KILL "$tool_pid"
wait "$tool_pid"
trap - TERM
await_line "/proc/$child/status" '^TracerPid:[[:space:]]*0$'
await_line "/proc/$child/status" '^State:[[:space:]]*[^tT[:space:]]' # the kernel first takes the tracer away, then lets it go on
let_load
while [ -d "/proc/$child" ] && ! grep -q '^State:[[:space:]]*Z' "/proc/$child/status" 2>/dev/null; do :; done
[ -e "$T/went_on" ] || fail "the command did not go on"

# The bits of a program that make it another user's are kept.
cp "$(command -v id)" "$T/id" && chown 65534 "$T/id" && chmod 4755 "$T/id"
wanted=$("$T/id" -u)
returns 0 profile -f -o "$T/report.folded" -- "$T/id" -u
expect_equal "user of a set-user-id program" "$(cat "$T/out")" "$wanted"

# Without the privilege a line says that it is not held.
setpriv --inh-caps=-sys_ptrace --bounding-set=-sys_ptrace "$STACKTOOL" profile -f -o "$T/report.folded" -- sh -c 'exit 8' \
	>"$T/out" 2>"$T/err"
expect_equal "status without CAP_SYS_PTRACE" $? 8
expect_err 'the command cannot be held at its start: ptrace: Operation not permitted'
