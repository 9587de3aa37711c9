#!/bin/sh
# ctest: boots=-all$
# Several patterns in one run, on the command line and in a file: each event counts once, whichever of them match it.
. "${0%/*}/lib.sh"
needs uprobe tracepoint:sched:sched_switch tracepoint:syscalls:sys_enter_getppid

calls=$FIXTURES/calls

# row NAME: its count
row() {
	awk -v name="$1" '$1 == name { sum += $2 } END { print sum + 0 }' "$T/out"
}

# Two that overlap: three functions, not four
trace calls -n 1000 -- funccount -p PID "$calls:st_fix_hit" "$calls:st_fix_*"
expect_equal "st_fix_hit" "$(row st_fix_hit)" 1000
refused 5 "nothing matches" funccount "$calls:st_fix_hit" "$calls:st_fix_nothing*"
trace calls -n 1000 -- count -f "$calls:st_fix_hit" "$calls:st_fix_hit"
expect_equal "twice the same" "$(folded_sum)" 1000

# By different paths to one file, and one file that another name leads to
ln -s "$calls" "$T/other"
trace calls -n 1000 -- count -f "$calls:st_fix_hit" "$T/other:st_fix_hit"
expect_equal "two names of one file" "$(folded_sum)" 1000

# Different files
fixture calls -n 700
tool_start funccount "$calls:st_fix_hit" "$FIXTURES/chain:st_fix_leaf"
fixture_work
fixture_end
fixture chain calls 300
fixture_work
tool_end
fixture_end
expect_equal "of one file" "$(row st_fix_hit)" 700
expect_equal "of the other" "$(row st_fix_leaf)" 300

# Tracepoints, of system calls and not: the system calls keep their counts
trace calls -n 1000 -k getppid -- funccount -p PID t:syscalls:sys_enter_getppid t:sched:sched_switch 't:syscalls:sys_enter_getpp*'
expect_equal "sys_enter_getppid" "$(row syscalls:sys_enter_getppid)" 1000

# From a file, beside one on the line; and from the list of what matches
printf '# functions of the fixture\n\n  %s:st_fix_hit\r\n' "$calls" >"$T/patterns"
trace calls -n 1000 -- count -f "@$T/patterns" "$calls:st_fix_left"
expect_equal "from a file" "$(folded_sum_of 'st_fix_hit [0-9]+$')" 1000
expect_equal "a command after a file" "$("$STACKTOOL" count -f -o "$T/report.folded" "@$T/patterns" -- echo done 2>/dev/null)" done
head -c 5000 /dev/zero | tr '\0' a >"$T/long"
printf '%s:st_fix_\0hit\n' "$calls" >"$T/binary"
for file in "$T/long" "$T/binary" /dev/zero; do
	refused 2 "'$file': line 1 is not text of at most 4095 bytes" count "@$file"
done
returns 0 list "$calls:st_fix_left" "$calls:st_fix_right"
expect_equal "list" "$(wc -l <"$T/out")" 2
returns 0 count --explain "$calls:st_fix_left" "$calls:st_fix_right"
expect_equal "explained" "$(grep -c '^typed: ' "$T/out")" 2
