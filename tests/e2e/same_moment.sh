#!/bin/sh
# ctest: plain
# All probes begin and end to count at the same moment, although each is attached and removed by itself: functions that call one
# another without end are counted equally often, but for the calls under way at the two ends.
# Plain: the same commands are in funccount; this is about two moments.
. "${0%/*}/lib.sh"
needs uprobe

# spread: the difference of the largest and the smallest count
spread() {
	awk '$1 ~ /^st_fix_/ { if (!n++ || $2 < least) least = $2; if ($2 > most) most = $2 } END { print n, most, most - least }' "$T/out"
}

fixture_running chain calls 100000000000
# some perf uprobes, then one link where the kernel has it
for functions in 'st_fix_[cde]' 'st_fix_[a-h]'; do
	tool_start funccount -d 1 -p "$fixture_pid" -r "$FIXTURES/chain:$functions\$"
	tool_wait 0
	read -r nr most difference <<-END
		$(spread)
	END
	echo "$functions: $nr functions, $most calls, spread $difference"
	[ "$nr" -ge 3 ] && [ "$most" -ge 10 ] || fail "not all functions were counted"
	[ "$difference" -le 2 ] || fail "counts of one chain of calls differ by $difference"
done
kill -KILL "$fixture_child"
wait "$fixture_child" 2>/dev/null
exec 7<&- 8>&-
