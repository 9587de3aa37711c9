#!/bin/sh
# ctest: host
# 500 programs that lived for 5 ms and are gone: their functions are all in the report, and 99.5 % of the places have a name.
. "${0%/*}/lib.sh"
needs perf-event

# A host that is so busy that records are lost, which the run says, loses names with them: then it is made again.
try=1
trace brief 500 5 -- profile -v -f -U -F 1999
while grep -qE 'records? lost|the ring was full' "$T/err" && [ $try -lt 5 ]; do
	try=$((try + 1))
	trace brief 500 5 -- profile -v -f -U -F 1999
done
awk '
	/^exe;/ { # the comm of a program that was started as /proc/self/exe
		nr = $NF
		all += nr
		sub(/ [0-9]+$/, "")
		if (match($0, /;st_brief_[0-9]+/))
			seen[substr($0, RSTART, RLENGTH)] = 1
		sub(/.*;/, "")
		if ($0 ~ /^\[/)
			unnamed += nr
	}
	END {
		for (name in seen)
			functions++
		printf "%d samples, %d leaves without a name; %d functions\n", all, unnamed, functions
		exit !(all > 1000 && unnamed * 200 <= all && functions >= 495)
	}' "$T/out" || fail "names are missing: $(grep "^exe;" "$T/out" | grep -E "[;]\[[^;]*$" | head -5)"
