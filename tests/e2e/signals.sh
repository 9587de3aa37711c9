#!/bin/sh
# ctest: boots=-all$
# SIGINT, SIGTERM and SIGHUP end a run and print its report once, with status 0; a second one aborts the printing. Of a run that has
# ended by itself already, the first one is too late and does nothing.
. "${0%/*}/lib.sh"
needs perf-event uprobe

for signal in INT TERM HUP; do
	fixture calls -n 100
	tool_start count "$FIXTURES/calls:st_fix_hit"
	fixture_work
	tool_signal "$signal"
	tool_wait 0
	expect_equal "SIG$signal: report" "$(text_sum)" 100
	expect_equal "SIG$signal: reports" "$(grep -c '^Detaching' "$T/out")" 1
	fixture_end
	tool_start profile -F 99
	tool_signal "$signal"
	tool_wait 0
done

# nohup(1): the terminal may go
fixture calls -n 100
tool_start_under foreground,nohup count "$FIXTURES/calls:st_fix_hit"
tool_signal HUP
fixture_work
tool_end
expect_equal "under nohup: report" "$(text_sum)" 100
fixture_end

# Before anything happened, and many at once: still one report
tool_start count "$FIXTURES/calls:st_fix_hit"
tool_end
expect_equal "reports" "$(grep -c '^Detaching' "$T/out")" 1

# slow_start ARG…: nobody reads this pipe, and the report is larger than it.
slow_start() {
	rm -f "$T/slow"
	mkfifo "$T/slow"
	exec 6<>"$T/slow"
	tool_out=$T/slow tool_start "$@"
}

# The tool is in the middle of printing once the first stack has come.
until_it_prints() {
	while read -r line <&6; do
		[ "$line" != st_fix_hit ] || break
	done
}

# What is left of the report, and the end of the tool.
read_rest() {
	cat <"$T/slow" >"$T/out" 6<&- &
	reader=$!
	exec 6<&-
	tool_wait
	wait "$reader"
}

# A second signal while the report is printed ends it.
fixture calls -n 20000 -d 20000
slow_start count --status-file "$T/status" "$FIXTURES/calls:st_fix_hit"
fixture_work
tool_signal INT
until_it_prints
tool_signal INT
tool_wait
expect_status 130 # the signal's own: the report is not whole
grep -q '"state":"ended","status":130,"own_status":130,"reason":"signal","message":"ended by a signal' "$T/status" ||
	fail "the status file: $(cat "$T/status")"
fixture_end

# Nobody reads the report of an interval: the second signal gives up the output, and the run ends in order.
fixture calls -n 20000 -d 20000
slow_start count -i 2 -p "$fixture_pid" "$FIXTURES/calls:st_fix_hit"
fixture_work
until_it_prints
tool_signal INT
until grep -q 'stopping: finishing a report' "$T/err"; do
	kill -0 "$tool_pid" || break
done
tool_signal INT
tool_wait 1
exec 6<&-
: >"$T/out"
expect_err '^stacktool count: standard output: nobody reads it: the rest is not written$'
fixture_end

# A run that ends by itself has not had a first one.
for signal in INT TERM HUP; do
	fixture calls -n 20000 -d 20000
	slow_start count -p "$fixture_pid" "$FIXTURES/calls:st_fix_hit"
	fixture_work
	fixture_end
	until_it_prints
	tool_signal "$signal"
	read_rest
	expect_status 0
	expect_out '^Detaching'
done

# But it has a second one.
fixture calls -n 20000 -d 20000
slow_start count -p "$fixture_pid" "$FIXTURES/calls:st_fix_hit"
fixture_work
fixture_end
until_it_prints
while kill -INT "$tool_pid" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$tool_pid/status" 2>/dev/null; do
	:
done
tool_wait
expect_status 130
exec 6<&-

# While a command goes on after the end of the collection: the tool does not wait any longer, nor does the command.
fixture calls -n 1
tool_start count -f -D 0.1 -o "$T/report.folded" "$FIXTURES/calls:st_fix_hit" -- sleep 1000
until [ -e "$T/report.folded" ]; do
	:
done
tool_signal TERM
tool_wait 0
fixture_end
