#!/bin/sh
# ctest: host alone plain
# perf and bpftrace see the same events of a program beside stacktool as without it.
# Alone: as bystanders. Plain: the commands are in other tests.
. "${0%/*}/lib.sh"
needs tracepoint:task:task_rename program:perf program:bpftrace

N=500

# What each of them counts of a program that makes N events of its own: $number.
by_perf_stat() {
	perf stat -x, -e "$1" -o "$T/stat" -- "$FIXTURES/calls" -n $N -k "$2" </dev/null >"$T/who" 2>&1 ||
		fail "perf stat: $(cat "$T/who")"
	number=$(sed -nE 's/^([0-9]+),.*/\1/p' "$T/stat")
}

# -B, and --stats instead of `perf script`: Debian's perf 6.1 dies when it looks for build ids.
by_perf_record() {
	perf record -q -B -c 1 -m 4M -e "$1" -o "$T/perf.data" -- "$FIXTURES/calls" -n $N -k "$2" </dev/null \
		>"$T/who" 2>&1 || fail "perf record: $(cat "$T/who")"
	number=$(perf report --stats -i "$T/perf.data" 2>"$T/who" | sed -nE 's/^ *SAMPLE events: *([0-9]+).*/\1/p' | tail -n 1)
}

by_bpftrace() {
	bpftrace -q -c "$FIXTURES/calls -n $N -k $2" -e "tracepoint:$1 /pid == cpid/ { @ = count(); }" </dev/null \
		>"$T/who" 2>&1 || fail "bpftrace: $(cat "$T/who")"
	number=$(sed -nE 's/^@: ([0-9]+)$/\1/p' "$T/who")
}

# The program that is started also renames itself, and it makes system calls of its own, the same ones each time.
same() {
	event=$1 kind=$2
	shift 2
	for who in by_perf_stat by_perf_record by_bpftrace; do
		$who "$event" "$kind"
		alone=$number
		tool_start "$@"
		$who "$event" "$kind"
		tool_end
		echo "$who $event: $alone alone, $number beside stacktool $*"
		[ "${alone:-0}" -ge $N ] || fail "$who saw $alone of $N events without stacktool"
		expect_equal "$who beside stacktool $*" "$number" "$alone"
	done
}

same task:task_rename rename count t:task:task_rename
same task:task_rename rename stacksnoop t:task:task_rename
same syscalls:sys_enter_getppid getppid count t:syscalls:sys_enter_getppid
same syscalls:sys_enter_getppid getppid profile -F 999
same syscalls:sys_enter_getppid getppid offcputime
