#!/bin/sh
# ctest: host
# profile and offcputime: the PHP frames of a process that spins and sleeps, between the native ones, as PHP itself has them; and of one
# that starts later.
. "${0%/*}/lib.sh"
needs btf perf-event program:php
needs_unwinder
php=$(command -v php)

check() { # HOW ROUNDS MICROSECONDS ARG…
	how=$1 rounds=$2 span=$3
	shift 3
	trace "$php" "$SOURCE/tests/e2e/walked_php.php" "$T/truth" "$how" "$rounds" "$span" -- "$@" -p PID -f
	php "$SOURCE/tests/e2e/walked_php.php" "$T/truth" "$T/out" >"$T/verdict" || fail "$1: $(cat "$T/verdict")"
	refuse_err 'PHP of process'
}

check spin 1 10000 profile -F 997
check sleep 3 500 offcputime --state S

# Functions of C that call back are between the frames, and the interpreter's loop is not there.
expect_out ';array_map;[^();]*;zend_call_function;kinds\\\\\{closure\} \(walked_php\.php:[0-9]+\);usort;'
refuse_out 'execute_ex;.*;time_nanosleep;'

# An interpreter that starts after the tool.
tool_start offcputime -f -i 1 --state S
fixture "$php" -r 'function slept() { usleep(1000); }
	echo "READY ", getmypid(), "\n"; stream_set_blocking(STDIN, false);
	while (!feof(STDIN)) { fgets(STDIN); slept(); }'
until grep -qE '^php;_start;.*;\{main\} \(Command line code:3\);slept \(Command line code:1\);usleep;' "$T/out"; do
	kill -0 "$tool_pid" || fail "the tool has ended"
	sleep 0.1
done
tool_end
fixture_end
