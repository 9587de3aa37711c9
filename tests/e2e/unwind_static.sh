#!/bin/sh
# Whole stacks of static programs: position independent ones, and those of a C library without unwind information, which end
# below main and say so.
. "${0%/*}/lib.sh"
needs uprobe "file:$FIXTURES/frameless-musl"
needs_unwinder

# whole KIND ROOT SHAPE...: all stacks from the root on
whole() {
	kind=$1
	from=$2
	shift 2
	for shape in "$@"; do
		trace "frameless-$kind" "$shape" 100 -- count -f -p PID "$FIXTURES/frameless-$kind:st_fix_leaf"
		plain_names "$T/out" >"$T/plain"
		expect_equal "$kind, $shape: whole" "$(folded_sum_of "^[^;]*;$from$fixture_expect [0-9]+$" "$T/plain")" 100
		expect_equal "$kind, $shape: all events" "$(folded_sum)" 100
	done
}
if [ -n "${IN_GUEST:-}" ] && [ -z "${FULL:-}" ]; then shapes=recurse; else shapes='recurse nested trap thread'; fi
# shellcheck disable=SC2086
whole static-pie '(_start|clone3?|__clone3?)(;[^;]+)*;' $shapes

# Debian's musl has no unwind information: its function below main, or below a thread's, is the last, and the report says so.
whole musl '\[no unwind information\];(libc_start_main_stage2|start)(;main)?;' recurse trap thread
refuse_err 'user stacks complete'
trace frameless-musl nested 100 -- count -f -p PID "$FIXTURES/frameless-musl:st_fix_leaf"
expect_out '^frameless-musl;\[no unwind information\];[^;]+;[^;]+;st_fix_handler;st_fix_leaf 100$' # raise() is musl's
refuse_err 'user stacks complete'
