#!/bin/sh
# ctest: boots=5.10|7.2
# dump: every thread of a process with the functions in which it waits, and what it waits for.
. "${0%/*}/lib.sh"
needs btf perf-event
needs_unwinder

# NAME REASON of the fixture's threads
waits='futex S futex
epoll S epoll
poll S poll
select S select
sleep S sleep
read S pipe read
write S pipe write
accept S accept
receive S socket read
signal S signal
child S child
eventfd S eventfd
timer S timer'

# Of the only row of the thread NAME: its function, called by st_wait_outer from the root on, and at the end the reason. In a guest, the C
# library has no names.
check() { # FIXTURE
	root='_*clone3?;start_thread'
	[ "$1" = waits ] || root='[^;]+;[^;]+'
	while read -r name reason; do
		found=$(grep -cE "^$name;$root;st_wait_outer;st_wait_$name;.*;\\[$reason\\] 1\$" "$T/out")
		expect_equal "$1: thread $name: $reason" "$found" 1
	done <<-EOF
		$waits
	EOF
}

for program in waits waits-dyn; do
	fixture $program
	returns 0 dump -f -p "$fixture_pid"
	check $program
	expect_equal "$program: threads" "$(folded_sum)" 14 # with the main thread
	refuse_err 'moved|truncated'

	# Stopped by a signal: the same stacks, in another state
	kill -STOP "$fixture_pid"
	until [ "$(grep -h '^State:' "/proc/$fixture_pid/task/"*/status | sort -u | cut -f 2)" = 'T (stopped)' ]; do :; done
	returns 0 dump -f --state T -p "$fixture_pid"
	expect_equal "$program: stopped threads" "$(folded_sum_of ';\[T signal\] 1$')" 14
	expect_equal "$program: stopped in its function" "$(folded_sum_of ';st_wait_outer;st_wait_poll;')" 1
	kill -CONT "$fixture_pid"
	fixture_work
	fixture_end
done

# Uninterruptible: a parent that waits in vfork() for its child
fixture waits vfork
until grep -q '^State:.D' "/proc/$fixture_pid/status"; do :; done
returns 0 dump -f --state D -p "$fixture_pid"
expect_equal "in vfork" "$(folded_sum_of '^waits;.*;st_wait_vfork;.*\[D vfork\] 1$')" 1
expect_equal "in state D" "$(folded_rows)" 1
returns 0 dump -f --state S -p "$fixture_pid"
expect_equal "in state S" "$(folded_rows)" 0
fixture_work
fixture_end

# More threads than are read at once, and a stack that is deeper than what is copied first: both of its ends are there.
fixture waits more 300 1000
returns 0 dump -f -p "$fixture_pid"
expect_equal "threads" "$(folded_sum)" 315
expect_equal "with the same stacks" "$(folded_sum_of ';st_wait_outer;st_wait_futex;.*;\[S futex\] 301$')" 301
expect_equal "deep" "$(folded_sum_of ';start_thread;st_wait_deep_outer;(st_wait_deep;)+\[\.\.\. frames \.\.\.\];(st_wait_deep;)+[^;]*pause;.*\[S signal\] 1$')" 1
fixture_work
fixture_end

# The main thread has ended, the process lives on
fixture waits leader
until [ "$(grep -h '^State:' "/proc/$fixture_pid/task/"*/status | sort | cut -c 8 | tr -d '\n')" = SZ ]; do :; done
returns 0 dump -f -p "$fixture_pid"
expect_equal "ended main thread" "$(folded_sum_of '^waits;\[Z ended\] 1$')" 1
expect_equal "thread that lives" "$(folded_sum_of ';start_thread;st_wait_alone;.*;\[S pipe read\] 1$')" 1
returns 0 dump -p "$fixture_pid"
expect_out "^thread $fixture_pid waits: Z ended"
fixture_work
fixture_end
