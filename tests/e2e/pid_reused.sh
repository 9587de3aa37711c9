#!/bin/sh
# ctest: boots=5.10|7.2
# A target ends, and another process gets its id while the run goes on: what that one does is not counted.
. "${0%/*}/lib.sh"
needs uprobe

for option in -p -t; do
	fixture reused 10 1000
	tool_start count -f "$option" "$fixture_pid,$fixture_expect" "$FIXTURES/reused:st_fix_hit"
	fixture_work
	tool_end
	expect_equal "$option: the same id" "$(field id)" "$fixture_expect"
	expect_equal "$option: calls of the old process" "$(folded_sum)" 10
	[ "$option" = -t ] || expect_err "process $fixture_expect ended before the run did"
	fixture_end
done

# Only the one: the run ends with it.
fixture reused 10 1000
tool_start count -f -p "$fixture_expect" "$FIXTURES/reused:st_fix_hit"
fixture_work
tool_wait 0
expect_equal "calls of the old process alone" "$(folded_sum)" 10
fixture_end
