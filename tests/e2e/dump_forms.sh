#!/bin/sh
# ctest: boots=-all$
# dump: the forms of its report agree, a thread that runs has a sample, and what it has no use for is refused.
. "${0%/*}/lib.sh"
needs btf perf-event
needs_unwinder

fixture waits more 40 0

# Text: threads with the same stacks together, each thread once
returns 0 dump --plain -p "$fixture_pid" --save "$T/now.stk"
expect_out '^54 threads of 1 process$'
expect_out "^PROCESS $fixture_pid waits: 54 threads\$"
expect_out '^41 threads: S futex(, last ran [^:]*)?: [0-9]'
expect_out '^thread [0-9]+ epoll: S epoll(, last ran [^:]* ago)?$'
listed=$(sed -nE 's/^41 threads: .*: ([0-9].*)/\1/p' "$T/out" | tr ',' '\n' | awk '
	{ split($1, range, "-"); sum += (range[2] ? range[2] - range[1] : 0) + 1 }
	END { print sum }')
expect_equal "threads of a group" "$listed" 41

# The saved profile prints the same, and the other forms have the same threads.
cp "$T/out" "$T/live"
returns 0 report "$T/now.stk"
cmp "$T/out" "$T/live" || fail "the saved profile prints something else"
returns 0 report -f "$T/now.stk"
expect_equal "folded" "$(folded_sum)" 54
expect_equal "folded: the same stacks" "$(folded_sum_of ';st_wait_futex;.*;\[S futex\] 41$')" 41
returns 0 report --format json "$T/now.stk"
expect_out '"unit":"threads"'
expect_out '"\[S pipe read\]"'
returns 0 report --format svg "$T/now.stk"
expect_out '\[S epoll\]'

# All processes: the fixture's threads are among them.
returns 0 dump -a
expect_out "^PROCESS $fixture_pid waits: 54 threads\$"
fixture_work
fixture_end

# A thread that runs: on a busy host it may get no CPU, and so no sample, in time
fixture_running spin
returns 0 dump -f -p "$fixture_pid"
expect_equal "threads" "$(folded_sum)" 2
sampled='st_fix_spinner;st_fix_spin(;.*)?;\[R (running|waits for a CPU)\]'
not_sampled='\[running, no sample\];\[R running\]'
moved='\[moved while being read\];(.*;)?\[[A-Z] [a-z A-Z]+\]'
expect_equal "a running thread" "$(folded_sum_of ";($sampled|$not_sampled|$moved) 1\$")" 1
fixture_end

refused 2 'dump: no threads selected: give -p PID, or -a' dump
refused 2 'not allowed with argument' dump -a -p 1
refused 2 "state 'Q'" dump -a --state Q
refused 2 'there is no command' dump -a --no-children
refused 2 "unexpected argument '5'" dump -a 5
