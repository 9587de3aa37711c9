#!/bin/sh
# ctest: boots=-all$
# funccount is exact: by every kind of probe, from several threads, over short intervals, with the number of the probe from
# the cookie and from copies of the program.
. "${0%/*}/lib.sh"
needs uprobe tracepoint:syscalls:sys_enter_getppid

N=$([ -n "${IN_GUEST:-}" ] && echo 5000 || echo 200000)

# counted NAME: the sum of the rows whose name ends so, over all intervals
counted() {
	awk -v name="$1" 'index($1, name) && substr($1, length($1) - length(name) + 1) == name { sum += $2 } END { printf "%.0f\n", sum }' "$T/out"
}

# exact NAME "FIXTURE-ARGS" ARG…
exact() {
	name=$1
	arguments=$2
	shift 2
	# shellcheck disable=SC2086
	trace calls -n "$N" -t 2 $arguments -- funccount -p PID "$@"
	echo "funccount $*: $(counted "$name") + $(lost_events) lost"
	# Where programs of system calls can be preempted, the kernel leaves out some, and says how many.
	[ "$(counted "$name")" -le "$N" ] && [ $(($(counted "$name") + $(lost_events))) -ge "$N" ] ||
		fail "$(counted "$name") calls of $name, not $N"
	{ [ -n "${IN_GUEST:-}" ] && programs_are_preempted; } || [ "$(lost_events)" -le $((N / 100)) ] || fail "$(lost_events) lost"
	refuse_err 'does not add up'
}

exact st_fix_hit '-k hit' "$FIXTURES/calls:st_fix_*"
expect_out '^Tracing [0-9]+ functions for "'
expect_out '^FUNC                                    COUNT$'
expect_out '^Detaching\.\.\.$'
exact st_fix_hit '-k hit' -i 0.02 "$FIXTURES/calls:st_fix_hit"
exact syscalls:sys_enter_getppid '-k getppid' -i 0.02 't:syscalls:sys_enter_get*pid'
exact syscalls:sys_exit_getppid '-k getppid' -i 0.02 't:syscalls:sys_exit_get*pid'

# all processes: one link for all functions; the fixture's are among them
trace calls -n "$N" -t 2 -- funccount -i 0.02 "$FIXTURES/calls:st_fix_*"
expect_equal "st_fix_hit of all processes" "$(counted st_fix_hit)" "$N"

# Another process that makes the same calls meanwhile is not counted, also where one link stands for all functions.
fixture_named other calls -n "$N"
exec 6>&8 5<&7
other=$fixture_child
fixture calls -n "$N" -t 2
tool_start funccount -p "$fixture_pid" "$FIXTURES/calls:st_fix_*" 5<&- 6>&-
echo go >&6
fixture_work
while read -r word line <&5 && [ "$word" != DONE ]; do :; done
tool_end
expect_equal "st_fix_hit of one process" "$(counted st_fix_hit)" "$N"
fixture_end
exec 5<&- 6>&-
wait "$other" || fail "the other process"

# without tracefs a copy of the program for each event knows its number
fixture calls -n "$N" -k getppid
tool_start_under foreground,no-tracefs funccount -p "$fixture_pid" 't:*:sys_e*'
fixture_work
tool_end
for event in ':sys_enter' ':sys_exit'; do # and the few calls that starting and ending take
	[ "$(counted "$event")" -ge "$N" ] && [ "$(counted "$event")" -le $((N + 50)) ] ||
		fail "$(counted "$event") of $event, not $N"
done
fixture_end

# what never happens has no row; the table of an interval without events is empty
returns 0 funccount -d 0.2 "$FIXTURES/calls:st_fix_*"
expect_equal "lines" "$(wc -l <"$T/out")" 4
returns 5 funccount -d 0.2 "$FIXTURES/calls:no_such_*"

# saved and shown again
trace calls -n 1000 -- funccount --save "$T/calls.stk" -p PID "$FIXTURES/calls:st_fix_hit"
cp "$T/out" "$T/live"
returns 0 report "$T/calls.stk"
cmp "$T/live" "$T/out" || fail "report prints something else"
returns 0 report --functions "$T/calls.stk"
expect_out '^ 100.00% +1,000 100.00% +1,000  st_fix_hit$' # of the kernel it is not

# kernel functions, where the kernel has a way to probe them: each way
if "$FIXTURES/hostprobe" kprobe >/dev/null; then
	for how in multi kprobe fentry; do
		tool funccount --explain --attach="$how" -r '__(x64|do|se)_sys_get(ppid|pid|tid)'
		[ "$status" = 0 ] || continue
		trace calls -n "$N" -t 2 -k getppid -- funccount --attach="$how" -i 0.1 -p PID -r '__(x64|do|se)_sys_get(ppid|pid|tid)'
		lost=0
		[ "$how" != fentry ] || ! programs_are_preempted || lost=$(lost_events) # by name
		echo "$how: $(counted _sys_getppid) + $lost lost"
		[ "$(counted _sys_getppid)" -le "$N" ] && [ $(($(counted _sys_getppid) + lost)) -ge "$N" ] ||
			fail "$how: not $N"
	done
	returns 0 funccount -d 0.3 'vfs_*'
	expect_out '^Tracing [0-9]+ functions for "vfs_\*"'
	expect_out '^vfs_read +[0-9]+$'
fi
