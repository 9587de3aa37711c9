#!/bin/sh
# ctest: host timeout=200
# -o and --format on live runs: each suffix gives its form with the fixture's chain in it, nothing goes to stdout, patterns
# number the files of intervals and --keep removes the oldest.
. "${0%/*}/lib.sh"
needs perf-event uprobe

fixture chain kernel
go

# written SUFFIX REGEX: a profile of the fixture in this form
written() {
	rm -f "$T/r$1"
	tool profile -F 199 -p "$fixture_pid" -o "$T/r$1" 0.4
	expect_status 0
	refuse_out .
	[ -s "$T/r$1" ] || fail "no r$1"
	grep -qE "$2" "$T/r$1" || fail "r$1: no line matches $2"
}

written .txt '^    st_fix_h'
written .folded ';st_fix_a;.*;st_fix_h[; ]'
written .json '"name":"st_fix_h"'
written .svg '<title>st_fix_h .*samples, [0-9.]+%\)</title>'
written .html '"st_fix_h"'
written .speedscope.json '"name":"st_fix_h"'
written .stk 'STK'
tool report --top "$T/r.stk"
expect_status 0
expect_out 'st_fix_h'
written .pb.gz ''
zcat "$T/r.pb.gz" | grep -q st_fix_h || fail "pprof: no st_fix_h"

written .perf 'st_fix_h\+0x[0-9a-f]+ \('

# Every sample by itself, with its time
tool profile -F 199 -p "$fixture_pid" --timestamps --save "$T/times.stk" -o "$T/times.perf" 1
expect_status 0
nr=$(grep -c ': *1 [a-z-]*: $' "$T/times.perf")
[ "$nr" -gt 20 ] || fail "$nr samples with times"
tool report -f --since 0.5 "$T/times.stk"
expect_status 0
late=$(awk '{ s += $NF } END { print s + 0 }' "$T/out")
[ "$late" -gt 0 ] && [ "$late" -lt "$nr" ] || fail "$late of $nr samples since 0.5 s"

tool profile -F 199 -p "$fixture_pid" --format folded 1
expect_status 0
expect_out ';st_fix_h[; ]'
refuse_out 'Sampling at'

# Intervals
mkdir "$T/many"
tool count -i 0.2 -D 1.5 -o "$T/many/%n.json" --keep 2 t:sched:sched_switch
expect_status 0
refuse_out .
set -- "$T"/many/*
[ $# -eq 2 ] || fail "--keep 2 left $# files"
[ ! -e "$T/many/000001.json" ] || fail "the oldest is still there"
grep -q '"format":"stacktool-profile"' "$1" || fail "$1 is no report"

# Known before anything is recorded: no time passes
tool profile -o /proc/nothing/x.svg 60
expect_status 1
expect_one_line_error
tool profile -o "$T/x.unknown" 60
expect_status 2
fixture_end
