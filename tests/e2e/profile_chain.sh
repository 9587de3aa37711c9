#!/bin/sh
# ctest: boots=5.10|7.2
# profile finds the known chain in its exact order: text and folded, in user mode and in the kernel.
. "${0%/*}/lib.sh"
needs perf-event

# Nearly every sample of a process that does nothing else has the whole chain.
mostly() {
	all=$(folded_sum)
	with=$(folded_sum_of "$1" "$T/plain")
	[ "$all" -ge 20 ] || fail "only $all samples"
	[ $((with * 100)) -ge $((all * 90)) ] || fail "$with of $all samples have $1"
}

fixture_running chain spin
returns 0 profile -f -F 199 -p "$fixture_pid" 2
plain_names "$T/out" >"$T/plain"
mostly "^chain;.*main;$fixture_expect(;.*)? [0-9]+$"

returns 0 profile -F 199 -p "$fixture_pid" 1
expect_out "^Sampling at 199 Hertz of PID \[$fixture_pid\] by user \+ kernel stack for 1 secs\."
expect_out '^    st_fix_h\+0x[0-9a-f]+ \[chain\]$'
expect_out "^    -                chain \($fixture_pid\)$"
expect_out '^        [0-9]+$'
# Leaf first: the block reads the chain backwards.
plain_names "$T/out" | awk '/^    st_fix_/ { printf "%s ", $1 } !/^    st_fix_/ && was { print "" } { was = /^    st_fix_/ }' |
	grep -q '^st_fix_h st_fix_g st_fix_f st_fix_e st_fix_d st_fix_c st_fix_b st_fix_a st_fix_main $' ||
	fail "no block with the chain, leaf first"

returns 0 profile --plain -F 199 -p "$fixture_pid" 1
expect_out '^    st_fix_h$'
refuse_out '\+0x'
fixture_end

# A process in the kernel: user part first, then the kernel's, both from the root.
fixture_running chain kernel
returns 0 profile -f -d -a -F 199 -p "$fixture_pid" 2
plain_names "$T/out" >"$T/plain"
mostly "^chain;.*$fixture_expect;"
expect_out ';-;.*(do_syscall_64|do_el0_svc)[^;]*_\[k\];.*_\[k\] [0-9]+$'
[ "$(folded_sum_of 'st_fix_[a-z]*_\[k\]')" = 0 ] || fail "a user frame has the mark of the kernel"
fixture_end
