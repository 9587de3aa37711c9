#!/bin/sh
# ctest: plain host
# A run of many intervals with ever new stacks does not grow with them, and forgets no stack that is still needed: that of a
# program that goes on meanwhile, and of a thread that sleeps through it all.
. "${0%/*}/lib.sh"
needs uprobe btf

ROUNDS=60
PATHS=4096
STEADY=500000

fixture calls -n "$STEADY" -d 64
tool_start count -v -f -i 0.1 "$FIXTURES/calls:st_fix_hit"
go
round=0
while [ $round -lt $ROUNDS ]; do
	"$FIXTURES/calls" -n $PATHS -d $PATHS -b 30 </dev/null >/dev/null || fail "round $round"
	round=$((round + 1))
done
fixture_done
memory=$(awk '/^VmHWM/ { print $2 }' "/proc/$tool_pid/status")
tool_end
lost=$(said_of 'events were counted but their stack was lost')
waited=$(said_of 'records delayed')
echo "$(folded_rows) rows, $(grep -c . "$T/err") lines on stderr, $memory kB, $lost lost stacks, $waited waited for the ring"
expect_equal "events" $(($(folded_sum) + $(lost_events))) $((STEADY + ROUNDS * PATHS))
# A sanitized tool is too slow for this, and its memory is another matter.
if [ -z "${SANITIZED:-}" ]; then
	[ "$lost" -le "$waited" ] || fail "$lost stacks were lost"
	[ "$memory" -lt 110000 ] || fail "the tool needed $memory kB"
fi
fixture_end
