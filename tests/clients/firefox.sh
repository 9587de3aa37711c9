#!/usr/bin/env bash
# The Firefox profiler's importer, by its command line from npm: text of perf script by thread, folded text with its weights.
# ctest: timeout=300
. "$(dirname "$0")/lib.sh"
need_modules
export PROFILER_CLI_SESSION_DIR=$T/sessions HOME=$T
cli=$modules/node_modules/.bin/profiler-cli

# A daemon holds the profile; the first command does not always wait long enough for it.
ask() { # COMMAND...
	local try
	for try in 1 2 3 4 5 6 7 8; do
		timeout 60 node "$cli" "$@" >"$T/answer" 2>"$T/err" && return
		sleep 0.5
	done
	fail "$*: $(cat "$T/err")"
}

opens() { # FILE PATTERN...
	local file=$1 pattern
	shift
	timeout 60 node "$cli" load "$file" >"$T/load" 2>&1 # its status says only whether the daemon was quick
	ask profile info
	cp "$T/answer" "$T/shown"
	ask thread functions
	cat "$T/answer" >>"$T/shown"
	for pattern; do
		expect "$file" "$pattern" "$T/shown"
	done
	timeout 60 node "$cli" stop --all >"$T/stop" 2>&1 || fail "stop: $(cat "$T/stop")"
}

# Samples count there, not their periods, and one without any frame is left out.
"$STACKTOOL" report -o "$T/p.perf" "$ordinary" 2>/dev/null || fail perf
opens "$T/p.perf" 'app \[tid 1234\]' '!submit_bio - self: 2 \(66\.7%\)' 'app!main - self: 0 \(0\.0%\), total: 2'
printf 'app 7/7 [000] 1.0: 3 c: \n\t4000 f+0x1 (/x)\n\napp 7/9 [001] 2.5: 5 c: \n\t4000 f+0x1 (/x)\n' >"$T/in"
"$STACKTOOL" report -o "$T/threads.perf" "$T/in" || fail threads
opens "$T/threads.perf" 'contains 2 threads' 'app \[tid 7\]' 'app \[tid 9\]' 'Full: 1\.501s'
# Where threads are not told apart each process has one, with the number of the process: with 0 for all they became one.
"$STACKTOOL" report -o "$T/numbers.perf" "$SOURCE/tests/golden/saved/no-threads" 2>/dev/null || fail numbers
opens "$T/numbers.perf" 'contains 2 threads' 'app \[tid 7\]' 'web \[tid 9\]'
"$STACKTOOL" report -f "$ordinary" 2>/dev/null >"$T/p.folded" || fail folded
opens "$T/p.folded" ' submit_bio - self: 12 \(70\.6%\)' ' read - self: 4 \(23\.5%\), total: 14'
finish
