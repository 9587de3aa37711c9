#!/bin/sh
# Whole stacks of static programs: position independent ones, and those of a C library without unwind information.
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

# Debian's musl has no unwind information: its rows come from its instructions.
whole musl '(_start;libc_start_main_stage2;main|__clone;start);' $shapes
