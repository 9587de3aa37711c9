#!/bin/sh
# ctest: boots=5.10
# A tool that is stopped for the whole run: map and ring fill up, events are lost, and every one of them is named.
. "${0%/*}/lib.sh"
needs uprobe

fixture calls -n "$EVENTS" -t 2 -d "$((EVENTS < 100000 ? EVENTS : 100000))"
tool_start count -f --strict "$FIXTURES/calls:st_fix_hit"
tool_signal STOP
fixture_work
tool_signal CONT
tool_end 4
sum=$(folded_sum)
lost=$(lost_events)
unnamed=$(said_of 'events were counted but their stack was lost')
echo "$sum counted + $lost lost; $unnamed of the counted without a stack; $(folded_rows) rows"
expect_equal "counted and lost" $((sum + lost)) "$EVENTS"
[ "$lost" -gt 0 ] || fail "nothing was lost: this test is too easy"
# What was counted without its stack is a row of its own that says so.
[ "$unnamed" = 0 ] || expect_out 'lost'
expect_equal "rows that say that their stack was lost" "$(folded_sum_of 'lost')" "$unnamed"
refuse_err 'does not add up'
fixture_end
