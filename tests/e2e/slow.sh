#!/bin/sh
# ctest: boots=^(5.10|7.2)$
# slow shows what calls of at least a length do, and of no others. The program logs each call: how long it took, by two clocks around which
# the probes are, what it did, and its CPU time.
. "${0%/*}/lib.sh"
needs uprobe
[ "$(uname -m)" = x86_64 ] || skip "the ends of user functions are found on x86_64 only"

ABOVE=20000 # microseconds
# shellcheck disable=SC2034
readonly ABOVE

# agrees: the number of slow calls, their time and its parts are between what the two clocks allow. Lost events may be calls.
agrees() {
	awk -v above="$ABOVE" -v guest="${IN_GUEST:-}" -v log_file="$T/log" -v json="$T/calls" -v lost="$(lost_events)" '
		BEGIN {
			while ((getline line <log_file) > 0) {
				split(line, words, " ")
				all++
				kind = words[3]
				if (words[1] >= above * 1000) {
					least++
					least_us += words[1] / 1000
					least_of[kind]++
					cpu_us += words[4] / 1000
				}
				if (words[2] >= above * 1000) {
					most++
					most_us += words[2] / 1000
					most_of[kind] += words[2] / 1000
				}
			}
			if ((getline line <json) > 0) split(line, calls, " ")
			if (calls[1] > all || calls[1] < all - lost) print calls[1] " calls, not " all
			if (calls[2] > most || calls[2] < least - lost) print calls[2] " slow calls, not " least " to " most
		}
		{
			us = $NF
			sum += us
			if (/unknown\]/) unnamed = 1 # a busy host gives up names
			state = /;\[blocked S\];/ ? "blocked" : /;\[on CPU\];/ ? "cpu" : "other"
			kind = /;st_fix_one_sleep;/ ? "s" : /;st_fix_cpu/ ? "c" : /;st_fix_many_waits;/ ? "w" : /;st_fix_quick/ ? "q" : "-"
			part[state] += us
			if (state == "blocked") blocked[kind] += us
			if (state == "blocked" && !/;\[sleep\] /) print "another reason: " $0
			seen[kind] = 1
		}
		END {
			if (lost) exit
			# a row is rounded down
			if (sum > most_us || sum < least_us - NR) print sum " us of slow calls, not " least_us " to " most_us
			# The kernel charges a thread for the walk of the stack of the one before it.
			if (part["cpu"] < cpu_us / 2 && !guest) print part["cpu"] " us on the CPU, not " cpu_us
			if (unnamed) exit
			if (blocked["s"] < least_of["s"] * 40000 - NR || blocked["s"] > most_of["s"]) print blocked["s"] " us asleep in " least_of["s"] " calls"
			if (blocked["w"] < least_of["w"] * 40000 - NR || blocked["w"] > most_of["w"]) print blocked["w"] " us of many waits in " least_of["w"] " calls"
			if (blocked["c"]) print blocked["c"] " us asleep in a loop"
			if (seen["q"] && !most_of["q"]) print "parts of quick calls"
			if (least_of["c"] && !seen["c"]) print "nothing of the calls on the CPU"
		}' "$1" >"$T/verdict"
	[ ! -s "$T/verdict" ] || fail "$(cat "$T/verdict")"
}

trace latency -k slow -n 36 -t 2 -o "$T/log" -- slow --above 20ms --save "$T/slow.stk" -p PID "$FIXTURES/latency:st_fix_handle"
expect_out '^Tracing calls of .*latency:st_fix_handle that take at least 0\.02 s\.\.\. Hit Ctrl-C to end\.$'
expect_out '^     usecs               : count     distribution$'
expect_out '^at most, in usecs: 50% [0-9]+'
refuse_err 'does not add up'
sed -nE 's/^([0-9]+) calls in [0-9.]+ s, ([0-9]+) slow \(0\.02 s or more\): .*/\1 \2/p' "$T/out" >"$T/calls"
cp "$T/out" "$T/live"
returns 0 report -f "$T/slow.stk"
cp "$T/out" "$T/folded"
agrees "$T/folded"
# What is saved prints the same.
returns 0 report "$T/slow.stk"
cmp -s "$T/live" "$T/out" || fail "the saved profile differs"
returns 0 report --format json "$T/slow.stk"
expect_out '"calls":\[$'
expect_out '^\{"count":[0-9]+,"slow":true,"length_ns":\{"from":[0-9]+,"to":[0-9]+\},"sum_ns":[0-9]+\}'

# all_slow ARG…: each call sleeps, and is slow
all_slow() {
	trace latency -k sleep -n 100 -o "$T/log" -- slow --above 50us --save "$T/slow.stk" -p PID "$@"
	cp "$T/out" "$T/live"
	no_return=$(said_of 'calls ended without return')
	returns 0 report -f "$T/slow.stk"
	gone=$(($(lost_events) + no_return)) # kernels before 6.7 miss some ends without a word
	awk -v lost="$gone" -v log_file="$T/log" '
		{ sum += $NF }
		/;\[blocked S\];/ { blocked += $NF }
		END {
			while ((getline line <log_file) > 0) { split(line, words, " "); most += words[2] / 1000 }
			if (sum > most || sum < (100 - lost) * 100 - NR) print sum " us, not 10000 to " most
			if (blocked * 2 < (100 - lost) * 100) print blocked " us asleep"
		}' "$T/out" >"$T/verdict"
	[ ! -s "$T/verdict" ] || fail "$*: $(cat "$T/verdict")"
	cp "$T/live" "$T/out"
	[ "$gone" -gt 0 ] || expect_out '^100 calls in [0-9.]+ s, 100 slow '
}

all_slow t:syscalls:sys_enter_clock_nanosleep
if "$FIXTURES/hostprobe" guest kprobe >/dev/null; then
	all_slow hrtimer_nanosleep
	! "$STACKTOOL" slow --above 1s --explain --attach fentry hrtimer_nanosleep >/dev/null 2>&1 ||
		all_slow --attach fentry hrtimer_nanosleep
fi

# From one USDT probe to another one
if "$FIXTURES/hostprobe" sdt >/dev/null; then
	trace usdt 500 -- slow --above 1s -p PID "u:$FIXTURES/usdt:st_other:hit" "u:$FIXTURES/usdt:guarded"
	expect_out "^$((500 - $(lost_events))) calls in [0-9.]+ s, 0 slow"
	refuse_err 'NOTE: .*calls?'
fi

# The rest does not depend on the kernel.
[ -z "${IN_GUEST:-}" ] || [ -n "${FULL:-}" ] || exit 0

refused 2 'has no end' slow --above 1ms t:sched:sched_switch
refused 2 'USDT probe has no end' slow --above 1ms u:c:setjmp
refused 2 'only one' slow --above 1ms c:malloc c:free
refused 2 'above' slow c:malloc
