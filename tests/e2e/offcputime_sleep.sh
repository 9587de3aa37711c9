#!/bin/sh
# ctest: boots=-all$ live-kallsyms plain
# Known sleeps: the time, the stack and the name are those of the thread that slept.
. "${0%/*}/lib.sh"
needs btf

# between LEAST MOST WHAT IS: off the CPU for what the kernel did not charge the sleeper for, within 1 percent; at least half of it in a
# guest, whose emulated CPU may be held up between the kernel's two looks at a clock.
percent=99
shortest=19000
[ -z "${IN_GUEST:-}" ] || percent=50 shortest=10000
between() {
	least=$(($1 * percent / 100))
	[ "$4" -ge "$least" ] && [ "$4" -le "$2" ] || fail "$3: $4 us, not from $least to $2; the sleeper: $line"
}

# least FIELD: of which a sleep with a switch that the kernel did not report, and that is named as lost, may be missing.
least() {
	echo $(($(field "$1") - $(said_of 'waits not counted') * $(field longest_us)))
}

# What the kernel says that the sleeper waited for a CPU, and a tenth of its sleeps more.
waits_for_a_cpu() {
	echo $(($(field delay_us) + $(field slept_us) / 10))
}

# 20 sleeps of 50 ms. A sleeper that waits for a CPU before or after is in other rows, or in its own measurement only.
trace offcpu sleep 20 50000 -- offcputime -v -f -p PID
slept=$(field slept_us)
expect_out '^offcpu;.*st_off_main;st_off_middle;st_off_sleep;.*schedule'
between "$(least off_us)" $((slept + 100)) "time in st_off_sleep" "$(folded_sum_of 'st_off_sleep;sleep_us;')"
[ -z "$(grep -v '^offcpu;' "$T/out")" ] || fail "-p: other processes"
refuse_err 'does not add up'
expect_equal "stale entries" "$(said_of 'stale entries ignored')" 0
refuse_out 'swapper'

# Text: bcc's header and layout, thread id, microseconds
trace offcpu sleep 10 20000 -- offcputime -K -p PID
expect_out "^Tracing off-CPU time \(us\) of PIDs $fixture_pid by kernel stack\.\.\. Hit Ctrl-C to end\.\$"
expect_out "^    -                offcpu \($fixture_pid\)\$"
refuse_out 'st_off|bpf_prog|bpf_trace_run'

# Limits are inclusive and in microseconds: nothing lasts an hour, everything lasts less
trace offcpu sleep 5 20000 -- offcputime -f -m 3600000000 -p PID
expect_equal "rows of at least an hour" "$(folded_rows)" 0
trace offcpu sleep 10 20000 -- offcputime -f -m $shortest -M 3600000000 -p PID
between "$(least long_us)" "$(field slept_us)" "time with -m $shortest" "$(folded_sum_of 'st_off_sleep;sleep_us;')"
# Less than one sleep: where the CPU of the sleeper stands still until its timer has ended, it is off the CPU for microseconds.
trace offcpu sleep 10 20000 -- offcputime -f -M 15000 -p PID
[ "$(folded_sum_of 'do_nanosleep;schedule;')" -lt 15000 ] || fail "-M 15000: a sleep of 20 ms"
returns 0 offcputime -M 18446744073709551615 -m 1 -f 0.1
returns 2 offcputime -m 10 -M 9 1

# States: sleeping is S or 1, not D, 2, R or 0
for state in S 1 SD 3; do
	trace offcpu sleep 5 20000 -- offcputime -f --state $state -p PID
	between "$(least off_us)" "$(field slept_us)" "time with --state $state" "$(folded_sum_of 'st_off_sleep;sleep_us;')"
done
for state in D 2 TtPI; do
	trace offcpu sleep 5 20000 -- offcputime -f --state $state -p PID
	expect_equal "rows of nanosleep with --state $state" "$(grep -c 'do_nanosleep;schedule;' "$T/out")" 0
done
# A sleeper whose timer ends before it has left the CPU leaves it as R.
for state in R 0; do
	trace offcpu sleep 5 20000 -- offcputime -f --state $state -p PID
	[ "$(folded_sum_of 'do_nanosleep;schedule;')" -le $(waits_for_a_cpu) ] || fail "--state $state: the sleeps themselves"
done
returns 2 offcputime --state Q 1
expect_err 'state letters'

# Lists, threads, and the two parts of a sleep: all of it is blocked, next to nothing waits for a CPU
trace offcpu sleep 10 20000 -- offcputime -f --blocked -t "$(seq -s , 4190000 4190999),PID"
# All but what it waited for a CPU
between $(($(least off_us) - $(field delay_us))) "$(field slept_us)" "--blocked" "$(folded_sum_of 'do_nanosleep;schedule')"
trace offcpu sleep 10 20000 -- offcputime -f --runqueue -p "1,2,$$,$PPID,PID"
[ "$(folded_sum_of 'st_off_sleep;sleep_us;')" -le $(waits_for_a_cpu) ] || fail "--runqueue: the sleep itself"

# A thread that is asleep when tracing ends
fixture offcpu block
tool_start offcputime -f --unfinished -p "$fixture_pid" 1
go
tool_wait 0
expect_out '^offcpu;.*st_off_block;.*;\[unfinished\] [0-9]+$'
fixture_end
fixture offcpu block
tool_start offcputime -f -p "$fixture_pid" 1
go
tool_wait
refuse_out 'st_off_block.*read'
refuse_out 'unfinished'
fixture_end

# Kernel threads have no user stack; one of the two only
tool offcputime -u -f 0.5
refuse_out '^kworker|^ksoftirqd|^rcu_'
tool offcputime -k -f -K 0.5
refuse_out '^stacktool'
returns 2 offcputime -k -U 1
returns 1 offcputime -f -s 1
returns 2 offcputime -p 1 -t 2 1
expect_err 'not allowed with'

# What hangs is in no report, and the empty one says where to look.
sleep 1000 &
hung=$!
until grep -q '^Name:.sleep' "/proc/$hung/status" && grep -q '^State:.S' "/proc/$hung/status"; do :; done
tool offcputime --unfinished -p $hung 0.2
kill $hung
expect_status 0
expect_err "nothing recorded for process $hung: .*'stacktool dump -p $hung'"
