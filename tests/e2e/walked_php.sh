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

# Processes that start after the tool and run the same file; one of them then becomes another program.
cat >"$T/slept.php" <<'end'
<?php
function slept() { usleep(1000); }
file_put_contents('/proc/self/comm', $argv[1]);
echo "READY ", getmypid(), "\n";
stream_set_blocking(STDIN, false);
while (!feof(STDIN)) { if (fgets(STDIN)) pcntl_exec(PHP_BINARY, [__FILE__, 'php-other']); slept(); }
end

await_names() { # COMM
	until grep -qE "^$1;_start;.*;\{main\} \(slept\.php:6\);slept \(slept\.php:2\);usleep;" "$T/out"; do
		kill -0 "$tool_pid" || fail "the tool has ended"
		sleep 0.1
	done
}

tool_start offcputime -f -i 1 --state S
fixture /bin/sh -c 'exec 3<&0; "$0" "$1" php-one <&3 & "$0" "$1" php-two; wait' "$php" "$T/slept.php"
await_names php-one
await_names php-two
if php -r 'exit((int)!function_exists("pcntl_exec"));'; then
	go
	await_names php-other
fi
tool_end
fixture_end
refuse_out '^php-[a-z]+;.*\[php: no name\]'

# A record has no room for 300 frames, and that is counted.
cat >"$T/deep.php" <<'end'
<?php
function deep($n) { if ($n) { deep($n - 1); return; } usleep(2000); }
echo "READY ", getmypid(), "\n";
fgets(STDIN);
for ($i = 0; $i < 20; $i++) deep(300);
echo "DONE\n";
fgets(STDIN);
end
trace "$php" "$T/deep.php" -- offcputime --state S -p PID -f
expect_out '\[php: more frames\];deep'
expect_err 'frames of Python or PHP that are missing or have no name'
