#!/bin/sh
# Whole stacks of a dynamic program whose C library has no unwind information, on the CPU and off it.
# ctest: host
. "${0%/*}/lib.sh"
needs uprobe "file:$FIXTURES/frameless-musl-dyn" file:/lib/ld-musl-x86_64.so.1
needs_unwinder

for shape in recurse nested trap thread; do
	trace frameless-musl-dyn $shape 100 -- count -v -f -p PID "$FIXTURES/frameless-musl-dyn:st_fix_leaf"
	plain_names "$T/out" >"$T/plain"
	expect_equal "musl, $shape: seen" "$(folded_sum_of "(main|[^;]*\\[unknown\\]);$fixture_expect [0-9]+$" "$T/plain")" 100
	expect_err '100 user stacks complete'
done

# Off the CPU: it waits in musl's read() for the line that ends it. A busy host also preempts it in code that no table covers.
fixture frameless-musl-dyn recurse 100
tool_start offcputime --state S -v -f -p "$fixture_pid"
go
fixture_done
until [ "$(process_field State "$fixture_pid")" = S ]; do :; done # it waits now, and not only after the end's line has come
fixture_end
tool_end
expect_out 'main;[^ ]*read'
refuse_out 'no unwind information'
expect_err 'user stacks? complete'
