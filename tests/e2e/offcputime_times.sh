#!/bin/sh
# ctest: boots=-all$ live-kallsyms
# --timestamps of the off-CPU tools: every interval by itself, with its own time, and none is lost or there twice.
. "${0%/*}/lib.sh"
needs btf

# What the profile in $T/times.stk has: the events of its account, and the samples of its text of perf script
compare() {
	tool report --format json "$T/times.stk"
	counted=$(tr ',{}' '\n\n\n' <"$T/out" | sed -n 's/^"counted"://p')
	returns 0 report --format perf "$T/times.stk"
	expect_equal "$1: samples" "$(grep -c ' sched:sched_switch: $' "$T/out")" "$counted"
	awk '$5 ~ /^[0-9]+$/ && $6 == "sched:sched_switch:" { sub(":", "", $4); if ($4 + 0 < last) bad++; last = $4 + 0 }
		END { exit bad > 0 }' "$T/out" || fail "$1: not in the order of time"
}

# 40 sleeps of 5 ms, each a sample that is as long
trace offcpu sleep 40 5000 -- offcputime --state S --timestamps --save "$T/times.stk" -f -p PID
refuse_err 'does not add up|stack was lost'
missed=$(said_of 'waits not counted')
all=$(folded_sum_of 'sleep_us;')
expect_equal "rows that are there twice" "$(sed 's/ [0-9]*$//' "$T/out" | sort | uniq -d)" ""
compare offcputime
grep -E " ($fixture_pid)/\1 \[[0-9]{3}\] [0-9]+\.[0-9]{6}: +[0-9]+ sched:sched_switch: \$" "$T/out" |
	awk '{ sub(":", "", $4); print $4, $5 }' >"$T/samples"
nr=$(wc -l <"$T/samples")
echo "$nr samples, $all us, $missed missed; the sleeper: $line"
# A sleep whose timer rings before the thread has gone is none: the thread counts its own switches.
[ "$nr" -gt 0 ] && [ $((nr + missed)) -ge "$(field voluntary)" ] && [ "$nr" -le "$(field switches)" ] ||
	fail "$nr samples of 40 sleeps, $missed missed; the sleeper: $line"
# a sleep began when the one before it had ended: what lies between two ends is no less than the time of the second
awk -v missed="$missed" 'NR > 1 && ($1 - last) * 1000000 + 2 < $2 { bad++ } { last = $1 } END { exit bad > 0 }' "$T/samples" ||
	fail "a sleep that begins before the one before it has ended"
# From a time on: the later ones
tool report --format json "$T/times.stk"
start=$(grep -o '"start":[0-9][0-9.]*' "$T/out" | head -n 1 | cut -d : -f 2)
since=$(awk -v start="$start" 'NR == 20 { printf "%.6f\n", $1 - start + 0.000002 }' "$T/samples")
returns 0 report -f --since "$since" "$T/times.stk"
late=$(folded_sum_of 'sleep_us;')
[ "$late" -gt 0 ] && [ "$late" -lt "$all" ] || fail "--since $since: $late of $all us"
# What is known of each is known of the shortest and the longest
returns 0 report --histogram "$T/times.stk"
sed -n '/^    all stacks$/,$p' "$T/out" >"$T/all"
bounds=$(sed -nE 's/^        [0-9]+ intervals?: shortest ([0-9]+), mean [0-9]+, longest ([0-9]+)$/\1 \2/p' "$T/all")
expect_equal "the shortest and the longest" "$bounds" \
	"$(awk '{ if (NR == 1 || $2 < least) least = $2; if ($2 > most) most = $2 } END { print least, most }' "$T/samples")"

# A pair: who woke whom, at which time
for applet in offwaketime wakeuptime; do
	trace offcpu pair 20 2000 -- $applet --timestamps --save "$T/times.stk" -f -p PID
	refuse_err 'does not add up|stack was lost'
	missed=$(said_of 'waits not counted')
	compare $applet
	# shellcheck disable=SC2046 # two numbers
	set -- $(awk '/^$/ { at = 0 } { at++ } /^st-sleeper / { at = 1 } at == 1 { sleeper = /^st-sleeper / }
		at == 2 && sleeper { all += $2 != "[preempted]"; nr += $2 == "st-waker" } END { print nr + 0, all + 0 }' "$T/out")
	# one that is woken on its way to sleep has no waker
	[ "$1" -gt 0 ] && [ $(($2 + missed)) -ge "$(field voluntary)" ] && [ "$1" -le 21 ] ||
		fail "$applet: $1 of 20 waits with their waker, $2 waits, $missed missed; the sleeper: $line"
done

# What had not come back has the time at which tracing ended.
fixture offcpu block
tool_start offcputime -K --timestamps --unfinished --save "$T/times.stk" -p "$fixture_pid" 0.3
go
tool_wait 0
fixture_end
tool report --format perf "$T/times.stk"
expect_out ' [1-9][0-9]*\.[0-9]{6}: +[0-9]+ sched:sched_switch: $'
expect_out '\[unfinished\]'
