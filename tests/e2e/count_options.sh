#!/bin/sh
# ctest: boots=-all$
# Every option of bcc's stackcount: -P -s -v (-A under our name) -d -f -i -D -T -c --debug, and what we add: --by-name, --plain text.
. "${0%/*}/lib.sh"
needs uprobe cpus:2 tracepoint:sched:sched_switch

hit=$FIXTURES/calls:st_fix_hit

# run ARG…: the tool over 100 calls of a fixture
run() {
	trace calls -n 100 -- count "$@" "$hit"
	pid=$fixture_pid
}

run -s
expect_out '^  st_fix_hit\+0x0$|^  st_fix_hit\+0x[0-9a-f]+$'
expect_out '^  st_fix_thread\+0x[0-9a-f]+$|^  start_thread\+0x[0-9a-f]+$'
run
refuse_out '\+0x'
run -A
expect_out '^  [0-9a-f]{6,16} +st_fix_hit$'
run -sA
expect_out '^  [0-9a-f]{6,16} +st_fix_hit\+0x[0-9a-f]+$'
# -v: notes under our name, and addresses under bcc's
run
refuse_err '^NOTE: cost: '
run -v
expect_err '^NOTE: cost: '
refuse_out '^  [0-9a-f]{6,16} +st_fix_hit$'
ln -s "$STACKTOOL" "$T/stackcount"
ours=$STACKTOOL
STACKTOOL=$T/stackcount
trace calls -n 100 -- -sv "$hit"
STACKTOOL=$ours
expect_out '^  [0-9a-f]{6,16} +st_fix_hit\+0x[0-9a-f]+$'
refuse_err '^NOTE: cost: '
run -P
expect_out "^    calls \[$pid\]$"
run --per-thread
expect_out "^    calls \[$pid/[0-9]+\]$"
# Two threads of a process, each with its own row; their sum is all.
trace calls -n 100 -t 2 -- count -f --per-thread "$hit"
expect_equal "threads" "$(grep -cE '^calls-[0-9]+/[0-9]+;.*st_fix_hit [0-9]+$' "$T/out")" 2
expect_equal "calls of both" "$(folded_sum)" 100
run -T -i 60
expect_out '^[0-2][0-9]:[0-5][0-9]:[0-5][0-9] *$'
# Both stacks by default; a user probe has no kernel stack, and an empty part prints nothing.
run
refuse_out '^    --$'
refuse_out 'Missed|unknown'
run -f
expect_out '^;.*st_fix_hit 100$'
run -fP
expect_out '^calls;.*st_fix_hit 100$'

# Many probes take many descriptors: a shell's limit is not theirs.
(ulimit -S -n 64 && tool funccount -d 0.1 't:sched:*' && cp "$T/err" "$T/few") || fail "with few descriptors"
! grep 'refused' "$T/few" || fail "probes are refused for want of descriptors"
(ulimit -S -n 20 && tool count -D 0.1 t:sched:sched_switch && cp "$T/err" "$T/few" && exit "$status") ||
	fail "with hardly any descriptors: $(cat "$T/few")"

# -D ends the run; -i and -D: a report per interval, and the sum is the whole
returns 0 count -f -D 1 "$hit"
trace calls -n 100 -- count -T -i 1 "$hit"
expect_equal "sum over the intervals" "$(text_sum)" 100
returns 0 count -i 1 -D 3 -T t:sched:sched_switch
# An emulated guest may need more than a second to name what it has found.
reports=$(grep -cE '^[0-2][0-9]:[0-5][0-9]:[0-5][0-9] *$' "$T/out")
[ "$reports" = 3 ] || [ -n "${IN_GUEST:-}" ] || fail "-i 1 -D 3 made $reports reports"
[ "$reports" -ge 1 ] && [ "$reports" -le 3 ] || fail "-i 1 -D 3 made $reports reports"

# Without -P equal user code of different processes is one row; with it there is one for each.
# Two processes of the same file: the second is the child of churn.
trace churn exec 3 10 -- count -f "$FIXTURES/churn:st_fix_hit"
# On a host that maps more than the side band holds the code of the second is unknown, and the report names that loss.
grep -q '^WARNING: [0-9,]* address space records lost' "$T/err" || expect_equal "rows of equal code" "$(folded_rows)" 1
expect_equal "sum" "$(folded_sum)" 30
trace churn exec 3 10 -- count -P "$FIXTURES/churn:st_fix_hit"
expect_equal "rows per process" "$(grep -c '^    churn \[' "$T/out")" 3

# Rows are unique by address: two call sites are two rows that print the same; --by-name makes them one.
trace calls -n 100 -d 4 -- count -f -p PID "$hit"
by_address=$(folded_rows)
trace calls -n 100 -d 4 -- count -f --by-name -p PID "$hit"
by_name=$(folded_rows)
expect_equal "sum by name" "$(folded_sum)" 100
expect_equal "rows by address" "$by_address" 4
[ "$by_name" -le "$by_address" ] || fail "$by_name rows by name, $by_address by address"
expect_equal "rows that print the same" "$(sed 's/ [0-9]*$//' "$T/out" | sort | uniq -d | wc -l | tr -d ' ')" 0

# -c: only that CPU; 0 is a CPU
for cpu in 0 1; do
	trace chain -j "$cpu" calls 1000 -- count -f -c 0 "$FIXTURES/chain:st_fix_leaf"
	expect_equal "-c 0 with the events on CPU $cpu" "$(folded_sum)" $((cpu ? 0 : 1000))
done

for cpus in 0-1 1,0; do
	trace chain -j 1 calls 1000 -- count -f -C "$cpus" "$FIXTURES/chain:st_fix_leaf"
	expect_equal "-C $cpus" "$(folded_sum)" 1000
done
fixture chain -j 1 calls 1000
tool_start stacksnoop -f -c 1 -n 3 "$FIXTURES/chain:st_fix_leaf"
fixture_work
tool_wait 0
fixture_end
expect_equal "stacksnoop -c 1" "$(folded_sum)" 3
returns 1 count -c 0,4095 -D 0.1 "$FIXTURES/chain:st_fix_leaf"
expect_err "CPU 4095: not online"

# --debug: plan and configuration before the run, and the longest turn of the main loop after it; --ebpf of bcc: how to see the instructions
trace calls -n 100 -- count --debug -p PID "$hit"
cat "$T/out" "$T/err" >"$T/both"
grep -q 'config: key_parts=' "$T/both" || fail "--debug does not show the configuration"
expect_err '^NOTE: the main loop was busy for at most [0-9]+\.[0-9] ms at a time \([a-z ]+\)$'
expect_equal "the report with --debug" "$(text_sum)" 100
returns 0 count --ebpf "$hit"
expect_out 'bpftool prog dump xlated'
refuse_out 'Detaching'

# A file by the process that runs it
fixture calls -n 100
tool_start count -f -p "$fixture_pid" "/proc/$fixture_pid/exe:st_fix_hit"
fixture_work
tool_end
fixture_end
expect_equal "a file by its process" "$(folded_sum)" 100
