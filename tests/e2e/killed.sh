#!/bin/sh
# ctest: alone plain boots=5.10|6.12-all
# kill -9 at random moments of a run's start and life: no program or map of the tool stays, no kprobe_events or
# uprobe_events entry, no kprobe, no function that ftrace calls back, no pinned object, no process, no breakpoint in the
# target; and the next run works. Kernel functions in guests: perf kprobes on 5.10, kprobe.multi on 6.12.
# Alone: what is left is looked for on the whole host, where other tests have programs and probes of their own.
# Plain: a program that was killed runs nothing that a sanitizer could watch.
. "${0%/*}/lib.sh"
needs uprobe

KILLS=$([ -n "${IN_GUEST:-}" ] && echo 12 || echo 100)
MARK=12347 # entries of a map that nobody else has
WINDOW_MS=$([ -n "${IN_GUEST:-}" ] && echo 3000 || echo 250)

state() {
	cat /sys/kernel/tracing/kprobe_events /sys/kernel/tracing/uprobe_events 2>/dev/null
	cat /sys/kernel/debug/kprobes/list /sys/kernel/tracing/enabled_functions 2>/dev/null
	find /sys/fs/bpf 2>/dev/null | sort
}

KINDS=3
! "$FIXTURES/hostprobe" guest kprobe >/dev/null || KINDS=4

fixture calls -n 1000
"$FIXTURES/leftovers" text "$fixture_pid" || fail "the text differs before anything was done"
state >"$T/before"
awk -v n="$KILLS" -v window="$WINDOW_MS" -v seed=$$ 'BEGIN { srand(seed); for (i = 0; i < n; i++) printf "%.3f\n", rand() * window / 1000 }' >"$T/moments"
attached=0
while read -r moment; do
	case $((attached % KINDS)) in
	0) set -- "$FIXTURES/calls:st_fix_hit" ;;
	1) set -- -p "$fixture_pid" "$FIXTURES/calls:st_fix_*" ;;
	2) set -- t:sched:sched_switch ;;
	3) set -- 'vfs_re*' ;;
	esac
	STACKTOOL_MARK=$MARK.$$ "$STACKTOOL" count --stack-storage-size=$MARK "$@" >/dev/null 2>&1 </dev/null 7<&- 8>&- &
	victim=$!
	sleep "$moment"
	kill -9 $victim
	wait $victim 2>/dev/null
	attached=$((attached + 1))
done <"$T/moments"

# The children that attach and remove links finish that, and end.
until [ -z "$(grep -lsz "^STACKTOOL_MARK=$MARK\.$$\$" /proc/[0-9]*/environ)" ]; do :; done
"$FIXTURES/leftovers" maps $MARK || fail "after $KILLS kills"
"$FIXTURES/leftovers" text "$fixture_pid" || fail "after $KILLS kills"
state >"$T/after"
cmp -s "$T/before" "$T/after" || fail "something is left: $(diff "$T/before" "$T/after")"

tool_start count -f -p "$fixture_pid" "$FIXTURES/calls:st_fix_hit"
! "$FIXTURES/leftovers" text "$fixture_pid" >"$T/teeth" || fail "a breakpoint is not seen by this test"
fixture_work
tool_end
expect_equal "events" "$(folded_sum)" 1000
fixture_end

# Probes in the kernel are seen by this test too, and are gone when the tool has ended by itself
if [ "$KINDS" = 4 ]; then
	tool_start count -f -K vfs_read
	state >"$T/attached"
	! cmp -s "$T/before" "$T/attached" || fail "a probe of a kernel function is not seen by this test"
	tool_end
	"$FIXTURES/leftovers" maps 16384 || fail "after the end"
	state >"$T/after"
	cmp -s "$T/before" "$T/after" || fail "something is left: $(diff "$T/before" "$T/after")"
fi
