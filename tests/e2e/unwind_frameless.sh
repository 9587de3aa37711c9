#!/bin/sh
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
		fixture $kind $shape 200
		tool_start count -f -p "$fixture_pid" "$FIXTURES/$kind:st_fix_leaf"
		go
		fixture_done
		tool_end
		expect_status 0
		plain_names "$T/out" >"$T/plain"
		expect_equal "$kind, $shape: whole stacks" "$(folded_sum_of "^$root$fixture_expect [0-9]+$" "$T/plain")" 200
		expect_equal "$kind, $shape: all events" "$(folded_sum)" 200
		expect_err 'user stacks complete'
		fixture_end
	done
done

# By frame pointers the same stacks are not whole, and nothing is lost all the same.
fixture frameless recurse 200
tool_start count -f --unwind=fp -p "$fixture_pid" "$FIXTURES/frameless:st_fix_leaf"
go
fixture_done
tool_end
plain_names "$T/out" >"$T/plain"
expect_equal "whole by frame pointers" "$(folded_sum_of "^$root$fixture_expect [0-9]+$" "$T/plain")" 0
expect_equal "all events by frame pointers" "$(folded_sum)" 200
fixture_end

fixture frameless recurse 200
tool_start count -f --unwind=off -p "$fixture_pid" "$FIXTURES/frameless:st_fix_leaf"
go
fixture_done
tool_end
expect_equal "all events without user stacks" "$(folded_sum)" 200
refuse_out 'st_fix'
fixture_end

# In the kernel the registers are those that the thread entered it with.
fixture frameless large 200
tool_start count -f -U -p "$fixture_pid" 't:syscalls:sys_enter_getppid'
go
fixture_done
tool_end
expect_status 0
plain_names "$T/out" >"$T/plain"
expect_equal "whole stacks at a system call" "$(folded_sum_of "^$root$fixture_expect;syscall [0-9]+$" "$T/plain")" 200
fixture_end

# Samples come anywhere, in prologues too: nearly all of them reach the root, and the rest is counted.
fixture frameless thread 0
go
tool profile -f -U -F 199 -p "$fixture_pid" 2
expect_status 0
plain_names "$T/out" >"$T/plain"
all=$(folded_sum)
whole=$(folded_sum_of "^$root.* [0-9]+$" "$T/plain")
[ "$all" -ge 20 ] || fail "only $all samples"
[ $((whole * 100)) -ge $((all * 99)) ] || fail "$whole of $all samples reach the root"
fixture_end

