#!/bin/sh
# ctest: host
# Python frames where no Python ran at the start: host-wide, of interpreters that start later, of children, by exec and under a command.
. "${0%/*}/lib.sh"
needs btf perf-event program:python3
needs_unwinder

for python in /usr/bin/python3.1[1-9] "$HOME"/.pyenv/versions/3.1[1-9].*/bin/python3; do
	[ -x "$python" ] && break
done
[ -x "$python" ] || skip "no Python 3.11 or later"

# Reports follow each other until one has this frame, in whole stacks.
frames_come() { # FRAME
	until grep -qE "^[^;]*;.*;<module> \(python_later\.py:[0-9]+\).*;$1 \(python_later\.py:[0-9]+\)" "$T/out" ||
		grep -qE "^[^;]*;.*;work \(python_later\.py:[0-9]+\).*;$1 \(python_later\.py:[0-9]+\)" "$T/out"; do
		kill -0 "$tool_pid" || fail "the tool has ended"
		sleep 0.1
	done
	tool_end
	refuse_err 'refuses the programs'
}

later() { # ARG…
	fixture "$python" "$SOURCE/tests/e2e/python_later.py" "$@"
}

tool_start profile -F 499 -f -i 1
later
frames_come spun
fixture_end

tool_start offcputime -f -i 1 --state S
later fork
frames_come slept
fixture_end

# One that was there, to an applet that sees all threads.
later
tool_start offcputime -f -i 1
frames_come slept

# Probes walk them if the process of -p has them at the start.
tool_start count -f -p "$fixture_pid" -i 1 t:syscalls:sys_enter_clock_nanosleep
frames_come slept
fixture_end
