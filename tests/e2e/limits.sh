#!/bin/sh
# ctest: boots=5.10
# Limits that are too low: raised where that is allowed; otherwise status 3 with the limit and what to raise, or the output that
# cannot be written. Never a signal, and never another reason.
. "${0%/*}/lib.sh"
needs perf-event btf tracepoint:sched:sched_switch

# refused CIRCUMSTANCE REGEX HINT ARG…
refused() {
	circumstance=$1
	regex=$2
	hint=$3
	shift 3
	returns_under 3 "$circumstance" "$@"
	expect_err "^stacktool [a-z0-9]+: $regex"
	expect_err "^  $hint"
	refuse_out .
}

# Open files
refused keep-limits,files-20 '.*Too many open files$' 'the limit is 20 open files: raise it to at least [0-9]+' profile -f 0.2
refused keep-limits,files-20 '.*Too many open files$' 'the limit is 20 open files' count -f -D 0.2 t:sched:sched_switch
[ -n "${SANITIZED:-}" ] || # its library needs a descriptor
	refused keep-limits,files-3 '/proc/self/status: cannot be opened: Too many open files$' 'the limit is 3 open files' profile -f 0.2
returns_under 0 keep-limits,files-20-soft count -f -D 0.3 t:sched:sched_switch
expect_out '__schedule'

# A command has the limits of the user.
tool_under keep-limits,files-20-soft profile -f 1 -- sh -c 'ulimit -n >"$0/limit"' "$T"
expect_equal "limit of the command" "$(cat "$T/limit")" 20

# A small stack
(ulimit -s 64 && "$STACKTOOL" doctor --json >"$T/out" 2>"$T/err") || fail "doctor with a stack of 64 KB: status $?"

# Processes
refused keep-limits,no-processes 'symbol worker: cannot be started: ' "the limit of processes is reached: raise 'ulimit -u'" profile -f 0.2
refused keep-limits,no-processes 'symbol worker: cannot be started: ' "the limit of processes is reached" addr2sym -k 0
refuse_err 'worker died'

# A size of files: only what goes into a file is not written. What a pipe takes is.
# no_file_bytes OUT ARG…
no_file_bytes() {
	file=$1
	shift
	tool_line="[no-file-bytes] stacktool $* >$file"
	{
		"$FIXTURES/as" no-file-bytes "$STACKTOOL" "$@" >"$file" </dev/null
		echo "status $?" >&2
	} 2>&1 | cat >"$T/err"
}

no_file_bytes "$T/file" count -f -D 0.2 t:sched:sched_switch
expect_err '^status 1$'
expect_err 'standard output: cannot be written: File too large$'
expect_err "^  the limit is 0 bytes per file: raise 'ulimit -f'$"
no_file_bytes /dev/null count -D 0.2 -o "$T/x.svg" t:sched:sched_switch
expect_err '^status 1$'
expect_err 'x.svg.: cannot be written: File too large$'
[ ! -e "$T/x.svg" ] || fail "a part of x.svg was left"
mkfifo "$T/pipe"
cat "$T/pipe" >"$T/out" &
no_file_bytes "$T/pipe" count -f -D 0.2 t:sched:sched_switch
wait "$!"
expect_err '^status 0$'
expect_out '__schedule'

# Where they may be raised, they are.
if "$FIXTURES/as" files-20 sh -c 'ulimit -Hn 64' 2>/dev/null; then
	for circumstance in files-20 no-processes; do
		returns_under 0 "$circumstance" count -f -D 0.3 t:sched:sched_switch
		expect_out '__schedule'
	done
fi
