#!/bin/sh
# ctest: boots=5.10
# Stacks that do not end in a thread's first function: contexts and coroutines. Where their end is known, they are whole; nothing comes
# above it.
. "${0%/*}/lib.sh"
needs uprobe
needs_unwinder

for kind in contexts contexts-dyn; do
	for shape in ucontext last switched finish undefined; do
		trace $kind $shape 200 -- count -v -f -p PID "$FIXTURES/$kind:st_fix_leaf"
		plain_names "$T/out" >"$T/plain"
		expect_equal "$kind, $shape: all events" "$(folded_sum)" 200
		expect_equal "$kind, $shape: stacks" "$(folded_sum_of "^$kind;$fixture_expect [0-9]+$" "$T/plain")" 200
		[ "$shape" = finish ] || expect_err 'all 200 user stacks complete'
	done
done
