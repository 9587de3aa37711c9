#!/bin/sh
# ctest: timeout=200
# A reader that goes away ends the tool quietly; a full disk does not pass for success.
. "${0%/*}/lib.sh"
needs perf-event tracepoint:sched:sched_switch

# | head -1: quiet, status 0
fixture calls -n 5000 -d 5000
mkfifo "$T/pipe"
head -n 1 <"$T/pipe" >"$T/head" &
reader=$!
tool_out=$T/pipe tool_start count -f "$FIXTURES/calls:st_fix_hit"
go
fixture_done
tool_end
wait "$reader"
cp "$T/head" "$T/out"
expect_status 0
expect_equal "lines" "$(wc -l <"$T/out" | tr -d ' ')" 1
refuse_err '[Pp]ipe|write'
fixture_end

# A closed stdout
tool_under closed-stdout count -f -D 0.3 t:sched:sched_switch
expect_status 0

# A full disk
tool_line="stacktool count >/dev/full"
"$STACKTOOL" count -f -D 0.3 t:sched:sched_switch >/dev/full 2>"$T/err" </dev/null
status=$?
: >"$T/out"
expect_status 1
expect_one_line_error
expect_err 'No space left'
