#!/bin/sh
# ctest: boots=5.10|7.2 timeout=600
# wall: with the stacks of all waits, and with sampled ones, the time in each state is what the program and the kernel have measured themselves, and the states add up to the lifetimes.
. "${0%/*}/lib.sh"
needs btf perf-event

# Microseconds of [unknown state]: the kernel did not report a switch, and wall says so.
unknown() {
	folded_sum_of '^[^ ]*;\[unknown state\]'
}

# close LEAST MOST WHAT IS: within 1 percent or 2 ms, and what is unknown. In a guest, whose emulated CPU may be held up between the
# kernel's two looks at a clock, within half.
close() {
	slack=$(($2 / 100 > 2000 ? $2 / 100 : 2000))
	[ -z "${IN_GUEST:-}" ] || slack=$(($2 / 2))
	[ "$4" -ge "$(($1 - slack - $(unknown)))" ] && [ "$4" -le "$(($2 + slack))" ] ||
		fail "$3: $4 us, not from $1 to $2 within $slack, $(unknown) unknown; the fixture: $line"
}

adds_up() {
	refuse_err 'by which states and lifetimes|does not add up'
	[ "$(unknown)" -eq 0 ] || expect_err 'impossible transition'
}

ways=all
"$STACKTOOL" wall --explain --waits sampled -p $$ >"$T/out" 2>&1 && ways="all sampled"
for waits in $ways; do
	trace offcpu sleep 20 20000 -- wall -v --waits "$waits" -f -p PID
	close $(($(field off_us) - $(field delay_us))) "$(field slept_us)" "sleep" \
		"$(folded_sum_of ';\[blocked S\];.*;st_off_sleep;.*;\[sleep\] ')"
	adds_up

	trace offcpu pair 20 10000 -- wall -v --waits "$waits" -f -p PID
	close "$(field blocked_us)" "$(field waited_us)" "futex" \
		"$(folded_sum_of '^st-sleeper;\[blocked S\];.*;st_off_wait;.*;\[futex\] ')"
	adds_up

	trace offcpu pipe 20 10000 -- wall -v --waits "$waits" -f -p PID
	close "$(field blocked_us)" "$(field waited_us)" "pipe" \
		"$(folded_sum_of '^st-reader;\[blocked S\];.*;st_off_read;.*;\[pipe read\] ')"
	adds_up

	trace offcpu vfork 10 20000 -- wall -v --waits "$waits" -f -p PID
	close "$(field blocked_us)" "$(field waited_us)" "vfork" \
		"$(folded_sum_of ';\[blocked D\];.*;st_off_vfork;.*;\[vfork\] ')"
	adds_up

	trace offcpu stop 200000 -- wall -v --waits "$waits" -f -p PID
	close "$(field stopped_us)" "$(field around_us)" "stopped" "$(folded_sum_of ';\[stopped\];.*;\[signal\] ')"
	adds_up

	trace offcpu preempt 20 10000 -- wall -v --waits "$waits" -f -p PID
	close "$(field inner_us)" "$(field outer_us)" "run queue" \
		"$(folded_sum_of '^st-low;\[runnable\];.*;st_off_spin.*;\[run queue\] ')"
	close "$(field ran_us)" "$(($(field all_us) - $(field inner_us)))" "on the CPU" "$(folded_sum_of '^st-low;\[on CPU\];')"
	adds_up
	[ "$waits" = all ] || expect_err "[0-9]+ waits without a stack of their own"
done

# Threads that do not switch during the run, with the stacks that dump prints: each is there for the whole window.
fixture waits
returns 0 wall --waits all --per-thread -f -p "$fixture_pid" 0.2
fixture_work
fixture_end
expect_equal "threads" "$(folded_rows)" 14
expect_equal "lengths" "$(sed 's/.* //' "$T/out" | sort -u | wc -l)" 1
[ "$(sed -n '1s/.* //p' "$T/out")" -ge 200000 ] || fail "shorter than the run"
for wait in 'epoll;.*;\[epoll\]' 'futex;.*;\[futex\]' 'read;.*;\[pipe read\]' 'accept;.*;\[accept\]' 'sleep;.*;\[sleep\]'; do
	expect_out ";\[blocked S\];.*;st_wait_$wait [0-9]+\$"
done

# All processes: also one that begins during the run. The host's ring may be full, so of its threads only what they do at the end is judged.
tool_start wall -a --per-thread -f
fixture waits
fixture_work
tool_end
fixture_end
# Before Linux 5.18 the state of a thread may be read while it changes, and is unknown then, without an impossible transition.
refuse_err 'does not add up'
grep -q ' lost' "$T/err" || refuse_err 'by which states and lifetimes'
expect_equal "threads of a new process" "$(sed -nE "s,^[^;]*-($fixture_pid/[0-9]+);.*,\1,p" "$T/out" | sort -u | wc -l)" 14

# In a pid namespace: a thread has no id there any more when it leaves the CPU for the last time.
echo >"$T/line"
unshare -p -f --mount-proc "$STACKTOOL" wall --per-thread -f -- "$FIXTURES/calls" -n 100 -t 4 <"$T/line" >"$T/out" 2>"$T/err" ||
	fail "status $? in a pid namespace"
expect_equal "processes" "$(sed -nE 's,^calls-([0-9]+)/.*,\1,p' "$T/out" | sort -u | wc -l)" 1
expect_equal "threads" "$(sed -nE 's,^calls-([0-9]+/[0-9]+);.*,\1,p' "$T/out" | sort -u | wc -l)" 5
