#!/bin/sh
# ctest: timeout=200 boots=5.10|7.2
# SIGINT, SIGTERM and SIGHUP end a run and print its report once, with status 0; a second one aborts the printing.
. "${0%/*}/lib.sh"
needs perf-event uprobe

for signal in INT TERM HUP; do
	fixture calls -n 100
	tool_start count "$FIXTURES/calls:st_fix_hit"
	go
	fixture_done
	tool_signal "$signal"
	tool_wait
	expect_status 0
	expect_equal "SIG$signal: report" "$(text_sum)" 100
	expect_equal "SIG$signal: reports" "$(grep -c '^Detaching' "$T/out")" 1
	fixture_end
	tool_start profile -F 99
	tool_signal "$signal"
	tool_wait
	expect_status 0
done

# nohup(1): the terminal may go
fixture calls -n 100
tool_start_under foreground,nohup count "$FIXTURES/calls:st_fix_hit"
tool_signal HUP
go
fixture_done
tool_end
expect_status 0
expect_equal "under nohup: report" "$(text_sum)" 100
fixture_end

# Before anything happened, and many at once: still one report
tool_start count "$FIXTURES/calls:st_fix_hit"
tool_signal INT
tool_wait
expect_status 0
expect_equal "reports" "$(grep -c '^Detaching' "$T/out")" 1

# A second signal while the report is printed ends it: nobody reads this pipe, and the report is larger than it.
fixture calls -n 20000 -d 20000
mkfifo "$T/slow"
exec 6<>"$T/slow"
tool_out=$T/slow tool_start count "$FIXTURES/calls:st_fix_hit"
go
fixture_done
tool_signal INT
# It is in the middle of printing once the first stack has come: the rest does not fit into the pipe.
while read -r line <&6; do
	[ "$line" != st_fix_hit ] || break
done
tool_signal INT
tool_wait
expect_status 130 # the signal's own: the report is not whole
exec 6<&-
fixture_end
