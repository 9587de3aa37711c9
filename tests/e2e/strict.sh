#!/bin/sh
# ctest: alone plain boots=-all$
# --strict: status 4 when something was lost, 0 when nothing was. Losses are named without it, too.
# Alone: its neighbour keeps a CPU's programs from running, those of other tests too.
# Plain: exact_stalled goes the way of a loss with the sanitizers.
. "${0%/*}/lib.sh"
needs perf-event tracepoint:task:task_rename

fixture_running chain spin
tool profile --strict -e task-clock -f -F 49 -p "$fixture_pid" 1
losses=$(grep -cE '[0-9]+ .*(skipped|late|not recorded|not counted|missed)' "$T/err")
if [ "$losses" -gt 0 ]; then expect_status 4; else expect_status 0; fi
fixture_end

trace calls -n 1000 -- count --strict -f "$FIXTURES/calls:st_fix_hit"
expect_equal "counted" "$(folded_sum)" 1000

# A stack that is not whole is a loss too, though its event is counted.
fixture calls -n 1000 -b 300
tool_start count --strict -f "$FIXTURES/calls:st_fix_hit"
fixture_work
tool_end 4
[ "$(said_of 'user stacks truncated')" -gt 0 ] || fail "no user stack was truncated"
expect_equal "counted" "$(folded_sum)" 1000
fixture_end

# With a command the status is 125, and the reason a word.
returns 125 count --strict --unwind=fp --status-file "$T/status" -o "$T/lost.json" "$FIXTURES/calls:st_fix_hit" -- "$FIXTURES/calls" -n 1000 -b 300
expect_err '^stacktool count: lost: data was lost \(--strict\)$'
grep -q '"status":125,"own_status":4,"reason":"lost",.*"command_status":0}' "$T/status" || fail "$(cat "$T/status")"
grep -q '"own_status":4,"reason":"lost"' "$T/lost.json" || fail "JSON: no status"

# A neighbour that keeps the CPU: samples are skipped for certain.
fixture_running neighbour -j 0
fixture_line
returns 4 profile --strict -f -e cpu-clock -F 199 -C 0 2
expect_err 'skipped'
returns 0 profile -f -e cpu-clock -F 199 -C 0 2
expect_err 'skipped'
fixture_end
