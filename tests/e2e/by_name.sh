#!/bin/sh
# ctest: boots=-all$
# -p NAME: all processes with that command name or program file, and no others; names and ids in one list.
. "${0%/*}/lib.sh"
needs uprobe

cp "$FIXTURES/calls" "$FIXTURES/st-counted"
cp "$FIXTURES/calls" "$FIXTURES/st-longer-than-a-comm"
fixture calls -n 1
other=$fixture_pid
exec 3<&7 4>&8
fixture st-counted -n 100
first=$fixture_pid
exec 5<&7 6>&8
fixture st-longer-than-a-comm -n 30
longer=$fixture_pid

# chosen NAMES: the processes of -p
chosen() {
	"$STACKTOOL" profile --explain -p "$1" >"$T/out" 2>"$T/err" || fail "-p $1: status $?"
	sed -n 's/^processes: //p' "$T/out" | tr ' ' '\n' | sort -n | xargs
}
expect_equal "-p st-counted" "$(chosen st-counted)" "$first"
expect_equal "-p st-longer-than-a-comm" "$(chosen st-longer-than-a-comm)" "$longer"
expect_equal "a list" "$(chosen "st-counted,$other
st-longer-than-a-comm")" "$(printf '%s\n' "$first" "$other" "$longer" | sort -n | xargs)"
refused 5 "no process has the name 'st-counte'" profile -p st-counte 1
refused 5 "no process has the name 'st-none'" profile -p "$other,st-none" 1

tool_start funccount -p st-longer-than-a-comm "$FIXTURES/st-longer-than-a-comm:st_fix_hit"
fixture_work
tool_end
expect_out '^st_fix_hit +30$'
expect_err "^stacktool funccount: -p selects process $longer$"
fixture_end
exec 5<&- 6>&- 3<&- 4>&-
