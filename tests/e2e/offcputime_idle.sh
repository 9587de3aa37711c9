#!/bin/sh
# ctest: boots=^7.2$
# The idle tasks are nobody's rows, and share no key with a thread: bcc has one key for all of them, libbpf-tools the number of
# the CPU, which is also the id of a thread. So nobody is off the CPU for longer than the run lasted.
. "${0%/*}/lib.sh"
needs btf

fixture offcpu sleep 40 20000
tool_start offcputime --save "$T/all.stk" -f
go
fixture_done
tool_end
fixture_end
expect_status 0
refuse_err 'does not add up'
expect_out '^offcpu;.*st_off_sleep'
refuse_out '^swapper/'
tool report --format json "$T/all.stk"
expect_status 0
grep -o '"count":[0-9]*,"comm":"[^"]*","pid":[0-9]*,"tid":[0-9]*' "$T/out" | sed 's/"[a-z]*"://g' >"$T/rows"
us=$(tr -d '\n ' <"$T/out" | sed -nE 's/.*"intervals":\[\{"start":([0-9.]+),"end":([0-9.]+),.*/\1 \2/p' | awk '{ printf "%d", ($2 - $1) * 1000000 }')
[ -n "$us" ] || fail "no interval"
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
	tool $applet -f 0.5
	expect_status 0
	expect_out .
	refuse_out '^swapper/.*;--;|;swapper/[0-9]+ [0-9]+$'
done
