#!/bin/sh
# ctest: host
# -o and --format on live runs: each suffix gives its form with the fixture's chain in it, nothing goes to stdout, patterns
# number the files of intervals and --keep removes the oldest.
. "${0%/*}/lib.sh"
needs perf-event uprobe

fixture_running chain kernel

# written SUFFIX REGEX: a profile of the fixture in this form
written() {
	rm -f "$T/r$1"
	returns 0 profile -F 199 -p "$fixture_pid" -o "$T/r$1" 0.4
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
returns 0 report --functions "$T/r.stk"
expect_out 'st_fix_h'
written .pb.gz ''
zcat "$T/r.pb.gz" | grep -q st_fix_h || fail "pprof: no st_fix_h"

written .perf 'st_fix_h\+0x[0-9a-f]+ \('

# Every sample by itself, with its time
returns 0 profile -F 999 -p "$fixture_pid" --timestamps --save "$T/times.stk" -o "$T/times.perf" 1
nr=$(grep -c ': *1 [a-z-]*: $' "$T/times.perf")
[ "$nr" -gt 20 ] || fail "$nr samples with times"
returns 0 report -o "$T/times.html" "$T/times.stk"
grep -qF "\"times\":{\"n\":$nr," "$T/times.html" || fail "the page does not have the times of $nr samples: $(grep -o '"times":.\{40\}' "$T/times.html")"
returns 0 profile -F 199 -p "$fixture_pid" -i 0.3 --save "$T/intervals.stk" 0.9
returns 0 report -o "$T/intervals.html" "$T/intervals.stk"
grep -qE '"edges":\[0,[1-9]' "$T/intervals.html" || fail "the page does not have the times of intervals"
returns 0 report -f --since 0.5 "$T/times.stk"
late=$(awk '{ s += $NF } END { print s + 0 }' "$T/out")
[ "$late" -gt 0 ] && [ "$late" -lt "$nr" ] || fail "$late of $nr samples since 0.5 s"

# Every event of a probe: in each interval as many as its statistics have, and from a time on fewer
program=true-$$
cp /bin/true "$T/$program"
tool_start count --strict -P --timestamps -i 0.1 --save "$T/events.stk" -o "$T/events.json" t:sched:sched_process_exec
i=0
while [ $i -lt 100 ]; do
	"$T/$program"
	i=$((i + 1))
done
tool_end
tool report --comm "^$program\$" -o "$T/events.perf" "$T/events.stk"
nr=$(grep -c "^$program .*: *1 t:sched:sched_process_exec: \$" "$T/events.perf")
[ "$nr" = 100 ] || fail "$nr of 100 events with times"
tool report -o "$T/events.json" "$T/events.stk"
start=$(grep -o '"start":[0-9][0-9.]*' "$T/events.json" | head -n 1 | cut -d : -f 2)
since=$(awk -v start="$start" -v program="$program" '$1 == program && ++nr == 50 { sub(":", "", $4); printf "%.6f\n", $4 - start }' "$T/events.perf")
tool report -f --comm "^$program\$" --since "$since" "$T/events.stk"
late=$(awk '{ s += $NF } END { print s + 0 }' "$T/out")
[ "$late" -ge 50 ] && [ "$late" -le 52 ] || fail "$late events since $since s, the time of the 50th of 100"

returns 0 profile -F 199 -p "$fixture_pid" --format folded 1
expect_out ';st_fix_h[; ]'
refuse_out 'Sampling at'

# Intervals
mkdir "$T/many"
# Of an event with few stacks: on a busy host the names of all that wait take longer than the interval
returns 0 count -i 0.2 -D 2 -o "$T/many/%n.json" --keep 2 t:sched:sched_process_exec
refuse_out .
set -- "$T"/many/*
[ $# -eq 2 ] || fail "--keep 2 left $# files"
[ ! -e "$T/many/000001.json" ] || fail "the oldest is still there"
grep -q '"format":"stacktool-profile"' "$1" || fail "$1 is no report"
# What happens while an interval is reported is in the next one
bound() {
	sed -nE 's/^\{"start":([0-9.]+),"end":([0-9.]+),"wall_end".*/\'"$2/p" "$1"
}
[ -n "$(bound "$1" 2)" ] || fail "no interval in $1"
expect_equal "start of an interval" "$(bound "$2" 1)" "$(bound "$1" 2)"

# Events one by one: each is in the file of its interval, and its time counts from the start of all
mkdir "$T/events"
tool_start stacksnoop --strict -v --interval 0.3 -o "$T/events/%n.txt" t:sched:sched_process_exec
i=0
while [ ! -e "$T/events/000003.txt" ]; do
	"$T/$program"
	i=$((i + 1))
done
tool_end
refuse_out .
cat "$T"/events/*.txt >"$T/all"
expect_equal "events in all files" "$(grep -cE "^[0-9.]+ +$program +[0-9]+ " "$T/all")" "$i"
[ "$(grep -lE "^[0-9.]+ +$program " "$T"/events/*.txt | wc -l)" -gt 1 ] || fail "all events are in one file"
awk -v program="$program" '$2 == program { if (!first) first = $1; last = $1 } END { exit !(last - first > 0.3) }' "$T/all" ||
	fail "times begin again with each file"
returns 2 stacksnoop --interval 1 t:sched:sched_process_exec
expect_err 'argument --interval: needs -o: events are printed as they come$'

# Known before anything is recorded: no time passes
returns 1 profile -o /proc/nothing/x.svg 60
expect_one_line_error
returns 2 profile -o "$T/x.unknown" 60
fixture_end
