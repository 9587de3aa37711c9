#!/bin/sh
# ctest: boots=5.10
# stacksnoop: every event once, those of a thread in the order of time, with the time at which it happened; what is lost is missed where it
# happened; -n stops; many events bring one word of advice.
. "${0%/*}/lib.sh"
needs uprobe tracepoint:syscalls:sys_enter_getppid

# events: how many the report shows; dropped: how many it says are missing
events() {
	grep -cE '^[0-9]+\.[0-9]{9} ' "$T/out"
}

dropped() {
	sed -nE 's/^\[([0-9]+) events? lost\]$/\1/p' "$T/out" | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

trace calls -n 900 -t 2 -b 2 -- stacksnoop -v -p PID "$FIXTURES/calls:st_fix_hit"
expect_equal "events" "$(events)" 900
expect_out '^TIME\(s\)            COMM         PID    CPU FUNCTION$'
expect_out "^[0-9]+\.[0-9]{9} +calls +$fixture_pid +[0-9]+ +st_fix_hit\$"
expect_equal "stacks that begin with the function" "$(grep -c "^	st_fix_hit\$" "$T/out")" 900
expect_equal "stacks that lead back to the thread" "$(grep -c "^	st_fix_thread\$" "$T/out")" 900
refuse_err 'does not add up|events a second'

# Each event has the time at which its program began; on the way from there to the report another thread may overtake one that
# is preempted, so the order is that of each thread.
trace calls -n 900 -- stacksnoop -v -p PID "$FIXTURES/calls:st_fix_hit"
expect_equal "events of one thread" "$(events)" 900
expect_equal "times in order" "$(sed -nE 's/^([0-9]+\.[0-9]{9}) .*/\1/p' "$T/out" | awk '$1 < last { print "line " NR } { last = $1 }')" ''

# the name of each of several events
trace calls -n 300 -k getppid -- stacksnoop -p PID 't:syscalls:sys_*_getppid'
expect_equal "entries and exits" "$(grep -cE '^[0-9.]+ +syscalls:sys_(enter|exit)_getppid$' "$T/out")" 600
expect_equal "entries" "$(grep -cE '^[0-9.]+ +syscalls:sys_enter_getppid$' "$T/out")" 300

# the kernel's stack
fixture calls -n 20 -k getppid
tool_start stacksnoop -A -t "$(ls "/proc/$fixture_pid/task" | tr "\n" , | sed "s/,$//")" 't:syscalls:sys_enter_getp*id'
fixture_work
tool_end
expect_equal "entries" "$(grep -cE '^[0-9.]+ +syscalls:sys_enter_getppid$' "$T/out")" 20
expect_out '^	0x[0-9a-f]{16} do_syscall_64$'
fixture_end

# the n-th event ends it, and the saved profile is printed again byte by byte
fixture calls -n 300
tool_start stacksnoop -n 7 --save "$T/seven.stk" -p "$fixture_pid" "$FIXTURES/calls:st_fix_hit"
fixture_work
tool_wait 0
expect_equal "events" "$(events)" 7
cp "$T/out" "$T/live"
fixture_end
returns 0 report "$T/seven.stk"
cmp "$T/live" "$T/out" || fail "report prints something else"
tool report -f "$T/seven.stk"
expect_equal "folded" "$(folded_sum)" 7

# more than anybody can read; none is missing without a word
N=$([ -n "${IN_GUEST:-}" ] && echo 5000 || echo 100000)
trace calls -n "$N" -t 2 -- stacksnoop -p PID "$FIXTURES/calls:st_fix_hit"
echo "$N events: $(events) shown, $(dropped) dropped, $(lost_events) lost"
expect_equal "shown and dropped" $(($(events) + $(dropped))) "$N"
expect_equal "dropped in the stream and lost in the account" "$(dropped)" "$(lost_events)"
[ -n "${IN_GUEST:-}" ] || expect_equal "words" "$(grep -c 'more than 1,000 events a second' "$T/err")" 1
refuse_err 'does not add up'

# a reader that stands still while the ring runs over: what is missing is said between the events
if [ -z "${IN_GUEST:-}" ]; then
	fixture calls -n "$N" -b 20
	tool_start stacksnoop -p "$fixture_pid" "$FIXTURES/calls:st_fix_hit"
	tool_signal STOP
	fixture_work
	tool_signal CONT
	tool_end
	echo "stalled: $(events) shown, $(dropped) dropped, $(lost_events) lost"
	[ "$(dropped)" -gt 0 ] || fail "nothing was dropped"
	expect_equal "shown and dropped" $(($(events) + $(dropped))) "$N"
	expect_equal "dropped in the stream and lost in the account" "$(dropped)" "$(lost_events)"
	refuse_err 'does not add up'
	fixture_end
fi

returns 0 stacksnoop -D 0.2 -T -U "$FIXTURES/calls:st_fix_hit"
expect_out '^TIME               FUNCTION$'
expect_equal "lines" "$(wc -l <"$T/out")" 1

# frames without a name are told at the end, though the events are gone by then
trace calls -n 10 -k getppid -- stacksnoop -U -p PID --no-symbolize t:syscalls:sys_enter_getppid
expect_equal "events" "$(events)" 10
expect_err '^NOTE: [0-9]+ of [0-9]+ frames (have|has) no name: '

# a kernel function, which is all that bcc's form takes
if "$FIXTURES/hostprobe" kprobe >/dev/null; then
	trace calls -n 50 -k getppid -- stacksnoop -s -p PID -r '__(x64|do|se)_sys_getppid'
	expect_equal "events of a kernel function" "$(events)" 50
	expect_out '^	do_syscall_64\+0x[0-9a-f]+$'
fi
