#!/bin/sh
# ctest: timeout=290 boots=5.10
# kill -9 at random moments of a run's start and life: no program or map of the tool stays, no kprobe_events or
# uprobe_events entry, no pinned object, no process, no breakpoint in the target; and the next run works.
. "${0%/*}/lib.sh"
needs uprobe

KILLS=$([ -n "${IN_GUEST:-}" ] && echo 20 || echo "${SANITIZED:+10}")
KILLS=${KILLS:-100}
MARK=12347 # entries of a map that nobody else has
WINDOW_MS=$([ -n "${IN_GUEST:-}" ] && echo 3000 || echo 250)

state() {
	cat /sys/kernel/tracing/kprobe_events /sys/kernel/tracing/uprobe_events 2>/dev/null
	find /sys/fs/bpf 2>/dev/null | sort
}

fixture calls -n 1000
"$FIXTURES/leftovers" text "$fixture_pid" || fail "the text differs before anything was done"
state >"$T/before"
awk -v n="$KILLS" -v window="$WINDOW_MS" -v seed=$$ 'BEGIN { srand(seed); for (i = 0; i < n; i++) printf "%.3f\n", rand() * window / 1000 }' >"$T/moments"
attached=0
while read -r moment; do
	case $((attached % 3)) in
	0) set -- "$FIXTURES/calls:st_fix_hit" ;;
	1) set -- -p "$fixture_pid" "$FIXTURES/calls:st_fix_*" ;;
	2) set -- t:sched:sched_switch ;;
	esac
	STACKTOOL_MARK=$MARK.$$ "$STACKTOOL" count --stack-storage-size=$MARK "$@" >/dev/null 2>&1 </dev/null 7<&- 8>&- &
	victim=$!
	sleep "$moment"
	kill -9 $victim
	wait $victim 2>/dev/null
	attached=$((attached + 1))
done <"$T/moments"

"$FIXTURES/leftovers" maps $MARK || fail "after $KILLS kills"
"$FIXTURES/leftovers" text "$fixture_pid" || fail "after $KILLS kills"
state >"$T/after"
cmp -s "$T/before" "$T/after" || fail "something is left: $(diff "$T/before" "$T/after")"
left=$(grep -lsz "^STACKTOOL_MARK=$MARK\.$$\$" /proc/[0-9]*/environ)
[ -z "$left" ] || fail "a process is left: $left"

tool_start count -f -p "$fixture_pid" "$FIXTURES/calls:st_fix_hit"
! "$FIXTURES/leftovers" text "$fixture_pid" >"$T/teeth" || fail "a breakpoint is not seen by this test"
go
fixture_done
tool_end
expect_status 0
expect_equal "events" "$(folded_sum)" 1000
fixture_end
