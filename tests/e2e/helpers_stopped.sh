#!/bin/sh
# ctest: boots=-all$
# The processes that write files are stopped, as by Ctrl-Z of a job of which only the tool is continued: the report is there, and the run ends.
. "${0%/*}/lib.sh"
needs uprobe

fixture calls -n 100
tool_start count -p "$fixture_pid" -o "$T/report.folded" --save "$T/report.stk" "$FIXTURES/calls:st_fix_hit"
writers=$(children_named "$tool_pid" stacktool-write)
expect_equal "processes that write files" "$(echo "$writers" | wc -l)" 2
for writer in $writers; do
	kill -STOP "$writer"
	until grep -q '^State:.T' "/proc/$writer/status"; do :; done
done
fixture_work
tool_end
fixture_end
expect_equal "calls" "$(folded_sum "$T/report.folded")" 100
[ -s "$T/report.stk" ] || fail "nothing is saved"
for writer in $writers; do
	[ ! -d "/proc/$writer" ] || fail "a writer outlives the run"
done
