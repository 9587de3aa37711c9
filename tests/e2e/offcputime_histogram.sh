#!/bin/sh
# ctest: boots=-all$ live-kallsyms
# --histogram: every interval is in the column of its length, and what is said of the shortest and the longest one is true.
. "${0%/*}/lib.sh"
needs btf

# The part of the report that is about all stacks; the sum of the columns of histograms from US microseconds on.
all_stacks() {
	sed -n '/^    all stacks$/,/^$/p' "$T/out"
}
columns() {
	awk -v from="${1:-0}" '$2 == "->" && $1 >= from { sum += $5 } END { print sum + 0 }'
}
intervals() {
	sed -nE 's/^        ([0-9]+) intervals?: .*/\1/p' | awk '{ sum += $1 } END { print sum + 0 }'
}
# between LEAST IS MOST WHAT
between() {
	[ "$1" -le "$2" ] && [ "$2" -le "$3" ] || fail "$4: $2 is not from $1 to $3; the sleeper: $line"
}

# 20 sleeps of 1 ms, and in turn 20 of 20 ms, without waiting for a CPU
trace offcpu sleep 20 1000 20000 -- offcputime -K -m 0 --state S --histogram --save "$T/sleep.stk" -p PID
refuse_err 'does not add up'
missed=$(said_of 'waits not counted')
cp "$T/out" "$T/live"
expect_equal "columns of the stacks" "$(sed '/^    all stacks$/,$d' "$T/out" | columns)" "$(all_stacks | columns)"
expect_equal "columns of all stacks" "$(all_stacks | columns)" "$(all_stacks | intervals)"
total=$(all_stacks | intervals)
bounds=$(all_stacks | sed -nE 's/.*: shortest ([0-9]+)(-[0-9]+)?, mean [0-9]+, longest ([0-9]+)-?([0-9]*)$/\1 \3 \4/p')
long=$(all_stacks | columns 16384)
returns 0 report --histogram "$T/sleep.stk"
cmp -s "$T/live" "$T/out" || fail "the saved profile prints otherwise"
tool report "$T/sleep.stk"
cmp -s "$T/live" "$T/out" || fail "the saved profile prints otherwise without --histogram"

# The events of the account are those of the histograms.
tool report --format json "$T/sleep.stk"
tr ',{}' '\n\n\n' <"$T/out" >"$T/members"
counted=$(sed -n 's/^"counted"://p' "$T/members")
expect_equal "intervals in the histogram" "$total" "$counted"
expect_equal "intervals of the rows in JSON" "$(awk -F: '/^"intervals":[0-9]/ { sum += $2 } END { print sum }' "$T/members")" "$counted"

# The fixture knows its sleeps from outside, so they are never shorter than the intervals; but a sleep may be cut in two, or
# over before it began, on a host that holds up a CPU.
# shellcheck disable=SC2086 # three numbers, or two
set -- $bounds
echo "shortest from $1, longest $2 to ${3:-$2}; the sleeper: $line"
between $((30 - missed)) "$total" "$(field switches)" "intervals"
between $(($(field long) * 3 / 4 - missed)) "$long" "$(field slow)" "sleeps of 20 ms"
between 0 "$1" "$(field shortest_us)" "the shortest sleep"
between 0 "$2" "$(field longest_us)" "the longest sleep"
[ "$missed" -ge 20 ] || between 16384 "${3:-$2}" 3600000000 "the longest sleep at most"

# What does not depend on the kernel: folded lines and pictures are without it, but the intervals are those of one row again.
forms() {
	returns 0 report -f "$T/sleep.stk"
	expect_equal "rows that are there twice" "$(sed 's/ [0-9]*$//' "$T/out" | sort | uniq -d)" ""
	returns 2 offcputime -f --histogram 1
	expect_err 'not supported by format folded'
	returns 2 report --histogram --format svg "$T/sleep.stk"
	trace offcpu sleep 2 1000 -- offcputime -K --save "$T/plain.stk" -p PID
	refuse_out 'interval|usecs'
	returns 1 report --histogram "$T/plain.stk"
	expect_err 'has no histogram'
}
[ -n "${IN_GUEST:-}" ] || forms

# By pairs of sleeper and waker, with the same reservation
for applet in offwaketime wakeuptime; do
	trace offcpu pair 20 5000 -- $applet --histogram --comm '^st-sleeper$' --save "$T/pair.stk" -p PID
	refuse_err 'does not add up'
	missed=$(said_of 'waits not counted')
	expect_equal "$applet: columns" "$(all_stacks | columns)" "$(all_stacks | intervals)"
	nr=$(all_stacks | columns 2048)
	[ "$nr" -ge $((15 - missed)) ] || fail "$applet: $nr waits of 5 ms, $missed missed"
	cp "$T/out" "$T/live"
	tool report --comm '^st-sleeper$' "$T/pair.stk"
	cmp -s "$T/live" "$T/out" || fail "$applet: the saved profile prints otherwise"
done

# Each report has its own; a thread that has not come back is in it where that is requested.
fixture offcpu block
tool_start offcputime -K --histogram --unfinished --interval 0.2 -p "$fixture_pid" 0.5
go
tool_wait 0
expect_out '^    \[unfinished\]$'
expect_out '^        1 interval: shortest ([0-9]+), mean \1, longest \1$'
fixture_end
