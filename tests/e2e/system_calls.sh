#!/bin/sh
# ctest: boots=5.10|6.1
# Beginnings and ends of system calls have their kernel stacks on every kernel, alone, mixed and by wildcards; those of 32-bit
# code, which have other numbers, are not taken for them; where there can be no stacks, the report says so.
. "${0%/*}/lib.sh"
needs tracepoint:syscalls:sys_enter_getppid

# calls KIND PATTERN [TOOL-ARG…]: the report of 50 calls
calls() {
	kind=$1
	pattern=$2
	shift 2
	trace calls -n 50 -k "$kind" -- count -K -f -p PID "$@" "$pattern"
	refuse_err 'does not add up'
	plain_names "$T/out" >"$T/plain"
}

# The way back is named differently on every kernel; entry_SYSCALL_64 is below it on all of them.
calls getppid t:syscalls:sys_exit_getppid
expect_equal "ends with a kernel stack" "$(folded_sum_of ';do_syscall_64;.*[^;] 50$|entry_SYSCALL.*;.* 50$' "$T/plain")" 50
expect_equal "ends" "$(folded_sum)" 50
expect_err 'have returned: kernel stacks of sys_exit_getppid show only the exit path$'

calls getppid 't:syscalls:sys_exit_getppi*' --strict
expect_equal "ends by a wildcard" "$(folded_sum)" 50

# Each by its own name, and both in one run
trace calls -n 50 -k getppid -- funccount -p PID -r 't:syscalls:sys_(enter|exit)_get(p|pp)id$'
for event in enter exit; do
	expect_equal "$event" "$(awk -v name="syscalls:sys_${event}_getppid" '$1 == name { print $2 }' "$T/out")" 50
done
calls getppid 't:syscalls:sys_*_getppid' --strict
expect_equal "both" "$(folded_sum)" 100
expect_equal "both with a kernel stack" "$(folded_sum_of 'do_syscall_64|entry_SYSCALL' "$T/plain")" 100

# All of them: the kernel's function is not always called as the call is
for pattern in sys_enter_new* sys_exit_new* 'sys_*_sendfile64'; do
	returns 0 count --explain "t:syscalls:$pattern"
	expect_out '^mechanism: raw_tracepoint$'
done
for pattern in 'sys_enter_*' 'sys_exit_*' 'sys_*'; do
	returns 0 count --explain "t:syscalls:$pattern"
	expect_out '^mechanism: raw_tracepoint$'
done

# 32-bit code's getppid has the number of semget
if "$FIXTURES/hostprobe" 32bit-calls >/dev/null; then
	calls getppid32 't:syscalls:sys_*_semget'
	expect_equal "calls of 32-bit code" "$(folded_sum)" 0
fi

# Beside another event they stay classic. Before 6.12 there is no kernel stack then, and a line says so.
calls getppid 't:(syscalls|task):(sys_exit_getppid|task_newtask)$' -r
expect_err 'system calls have no kernel stacks in this run, because task:task_newtask is traced too'
expect_equal "ends" "$(folded_sum)" 50
missed=$(folded_sum_of 'Missed Kernel Stack' "$T/plain")
expect_equal "stacks that the report misses" "$(said_of 'kernel stacks could not be walked')" "$missed"
expect_equal "stacks, and those that are missed" $((missed + $(folded_sum_of 'do_syscall_64|entry_SYSCALL' "$T/plain"))) 50
