#!/bin/sh
# ctest: boots=-all$
# The end of the target process ends the run and is said; the report is there, with names.
. "${0%/*}/lib.sh"
needs perf-event uprobe

fixture calls -n 100
tool_start count -f -p "$fixture_pid" "$FIXTURES/calls:st_fix_hit"
fixture_work
fixture_end
tool_wait 0
expect_equal "calls" "$(folded_sum)" 100
expect_out 'st_fix_hit 100$'
expect_err "$fixture_pid.*(exited|ended|gone)"

fixture_running chain spin
tool_start profile -f -F 199 -p "$fixture_pid"
fixture_end
tool_wait 0
expect_err "$fixture_pid.*(exited|ended|gone)"

# Nobody is sent to look where a process that has gone waits.
fixture calls -n 1
tool_start profile -f -p "$fixture_pid"
fixture_work
fixture_end
tool_wait 0
expect_err "process $fixture_pid has ended"
refuse_err '/proc/[0-9]+/task'

# One of two targets ends: the run goes on, and says so at its end.
fixture calls -n 100
first=$fixture_pid
go
tool_start profile -f -F 199 -p "$first,$$"
fixture_done
fixture_end
tool_end
expect_err "^NOTE: process $first ended before the run did\$"
