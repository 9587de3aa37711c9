#!/bin/sh
# ctest: boots=5.10
# Code without frame pointers has whole stacks: at a user function, at a system call, in timed samples; every event once.
. "${0%/*}/lib.sh"
needs uprobe
needs_unwinder

# From the root of the thread, as the C library names it, to the leaf. Its own functions may have no names.
root='(frameless[^;]*;)?(_start|clone3?|__clone3?)(;[^;]+)*;'

# In guests what may depend on the kernel
shapes='recurse alloca large library signal trampoline thread'
[ -n "${IN_GUEST:-}" ] && [ -z "${FULL:-}" ] || shapes="$shapes trap nested longjmp"
for kind in frameless frameless-dyn; do
	for shape in $shapes; do
		[ "$kind" = frameless ] || [ "$shape" = library ] || [ "$shape" = trampoline ] || continue
		trace $kind $shape 200 -- count -v -f -p PID "$FIXTURES/$kind:st_fix_leaf"
		plain_names "$T/out" >"$T/plain"
		expect_equal "$kind, $shape: whole stacks" "$(folded_sum_of "^$root$fixture_expect [0-9]+$" "$T/plain")" 200
		expect_equal "$kind, $shape: all events" "$(folded_sum)" 200
		expect_err 'user stacks complete'
	done
done

# So have those of a process that was not named: its tables are there before its first event, and its rows are not split. Where a busy host
# makes them late, the run says so, and is made again. In an emulated guest the two seconds for them are always too short.
tables_of_all() {
	for attempt in 1 2 3 4 5 6 7 8 9; do
		trace frameless recurse 200 -- "$@" "$FIXTURES/frameless:st_fix_leaf"
		expect_equal "$*, attempt $attempt: all events" "$(folded_sum)" 200
		grep -qE 'walked by frame pointers|was not ready' "$T/err" || break
	done
	plain_names "$T/out" >"$T/plain"
	expect_equal "$* of all processes: whole stacks" "$(folded_sum_of "^;?$root$fixture_expect [0-9]+$" "$T/plain")" 200
}
for applet in count stacksnoop; do
	[ -n "${IN_GUEST:-}" ] || tables_of_all $applet -f --unwind=auto
done

# By frame pointers the same stacks are not whole, and nothing is lost all the same.
trace frameless recurse 200 -- count -f --unwind=fp -p PID "$FIXTURES/frameless:st_fix_leaf"
plain_names "$T/out" >"$T/plain"
expect_equal "whole by frame pointers" "$(folded_sum_of "^$root$fixture_expect [0-9]+$" "$T/plain")" 0
expect_equal "all events by frame pointers" "$(folded_sum)" 200

trace frameless recurse 200 -- count -f --unwind=off -p PID "$FIXTURES/frameless:st_fix_leaf"
expect_equal "all events without user stacks" "$(folded_sum)" 200
refuse_out 'st_fix'

# In the kernel the registers are those that the thread entered it with.
trace frameless large 200 -- count -f -U -p PID 't:syscalls:sys_enter_getppid'
plain_names "$T/out" >"$T/plain"
expect_equal "whole stacks at a system call" "$(folded_sum_of "^$root$fixture_expect;syscall [0-9]+$" "$T/plain")" 200

# Samples come anywhere, in prologues too: nearly all of them reach the root, and the rest is counted.
for shape in thread indexed; do
	fixture_running frameless $shape 0
	returns 0 profile -f -U -F 199 -p "$fixture_pid" 2
	plain_names "$T/out" >"$T/plain"
	all=$(folded_sum)
	whole=$(folded_sum_of "^$root.* [0-9]+$" "$T/plain")
	[ "$all" -ge 20 ] || fail "$shape: only $all samples"
	[ $((whole * 100)) -ge $((all * 99)) ] || fail "$shape: $whole of $all samples reach the root"
	fixture_end
done
[ "$(folded_sum_of ';st_fix_indexed [0-9]+$' "$T/plain")" -ge 10 ] || fail "no samples in st_fix_indexed"

