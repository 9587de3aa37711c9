#!/bin/sh
# ctest: boots=^7.2$
# The idle tasks are nobody's rows, and share no key with a thread: bcc has one key for all of them, libbpf-tools the number of
# the CPU, which is also the id of a thread. So nobody is off the CPU for longer than the tool lived: events count from attaching
# to detaching, a little longer than the interval of the report, and other tests have threads that wait all that time.
. "${0%/*}/lib.sh"
needs btf

fixture offcpu sleep 40 20000
begun=$(cut -d' ' -f1 /proc/uptime)
tool_start offcputime --save "$T/all.stk" -f
fixture_work
tool_end
us=$(awk -v begun="$begun" '{ printf "%d", ($1 - begun + 0.01) * 1000000 }' /proc/uptime)
fixture_end
refuse_err 'does not add up'
slept=$(folded_sum_of '^offcpu;')
[ "$slept" -ge 400000 ] || fail "40 sleeps of 20 ms: $slept us"
refuse_out '^swapper/'
returns 0 report --format json "$T/all.stk"
grep -o '"count":[0-9]*,"comm":"[^"]*","pid":[0-9]*,"tid":[0-9]*' "$T/out" | sed 's/"[a-z]*"://g' >"$T/rows"
awk -F, -v us="$us" '
	$3 == 0 || $4 == 0 { print "a row of the idle task: " $0; bad = 1 }
	{ off[$4] += $1; nr++ }
	END {
		for (tid in off)
			if (off[tid] > us) {
				print "thread " tid " was off the CPU for " off[tid] " of " us " us"
				bad = 1
			}
		print nr " rows in " us " us"
		exit bad || nr < 2
	}' "$T/rows" >"$T/said" || fail "$(cat "$T/said")"
cat "$T/said"

for applet in offwaketime wakeuptime; do
	returns 0 $applet -f 0.5
	expect_out .
	refuse_out '^swapper/.*;--;|;swapper/[0-9]+ [0-9]+$'
done
