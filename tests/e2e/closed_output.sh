#!/bin/sh
# ctest: host
# A reader that goes away ends the tool with a note; a full disk does not pass for success.
. "${0%/*}/lib.sh"
needs perf-event tracepoint:sched:sched_switch

# | head -1: a note, status 0
fixture calls -n 5000 -d 5000
mkfifo "$T/pipe"
head -n 1 <"$T/pipe" >"$T/head" &
reader=$!
tool_out=$T/pipe tool_start count -f "$FIXTURES/calls:st_fix_hit"
fixture_work
tool_end
wait "$reader"
cp "$T/head" "$T/out"
expect_equal "lines" "$(wc -l <"$T/out" | tr -d ' ')" 1
expect_err '^NOTE: output truncated: the reader closed the pipe$'
fixture_end

# A closed stdout
returns_under 0 closed-stdout count -f -D 0.3 t:sched:sched_switch

# Without /dev/null
returns_under 0 empty-dev count -D 0.3 -o "$T/switches.folded" t:sched:sched_switch
[ "$(awk '{ s += $NF } END { print s + 0 }' "$T/switches.folded")" -gt 0 ] || fail "no events in the file"
returns_under 1 empty-dev,closed-stdout count -f -D 0.3 t:sched:sched_switch
expect_err 'standard output: cannot be written: Bad file descriptor$'

# A full disk
tool_line="stacktool count >/dev/full"
"$STACKTOOL" count -f -D 0.3 t:sched:sched_switch >/dev/full 2>"$T/err" </dev/null
status=$?
: >"$T/out"
expect_status 1
expect_one_line_error
expect_err 'No space left'

# The same with a command that succeeds, for a short report and for one that is larger than any buffer
for paths in 1 5000; do
	tool_line="stacktool count -- calls -d $paths >/dev/full"
	"$STACKTOOL" count -f "$FIXTURES/calls:st_fix_hit" -- sh -c 'exec "$1/calls" -n 5000 -d "$2" >"$3/said"' sh "$FIXTURES" "$paths" "$T" \
		>/dev/full 2>"$T/err" </dev/null
	status=$?
	expect_status 125
	expect_err 'No space left'
done

# Help that cannot be written is not help
"$STACKTOOL" count --help >/dev/full 2>"$T/err"
status=$?
expect_status 1

# Disk full at the first interval, which is long enough for all events: what was counted until then is saved
fixture calls -n 5000
tool_out=/dev/full tool_start count -f -i 3 --save "$T/run.stk" "$FIXTURES/calls:st_fix_hit"
fixture_work
tool_wait
: >"$T/out"
expect_status 1
expect_one_line_error
returns 0 report -f "$T/run.stk"
expect_equal "events in the saved profile" "$(folded_sum)" 5000
expect_out 'st_fix_'
fixture_end
