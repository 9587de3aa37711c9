#!/bin/sh
# ctest: boots=5.10|7.2
# lock: who waits for which lock, how long, and who holds it, as holders and waiters have logged it by their own clocks.
. "${0%/*}/lib.sh"
needs btf
needs_unwinder

# Least and most of what the fixture says for a lock.
least() { field "$1_least"; }
most() { field "$1_most"; }

# lock NAME STACK LOCK HOLDER: the waiter's time in the folded rows, without the rest of a microsecond of each
lock() {
	us=$(folded_sum_of "^st-waiter;.*;st_fix_wait;.*$2.*;$3;--;.*$4;.*;st-holder [0-9]+\$")
	all_us=$(folded_sum_of "^st-waiter;.*;st_fix_wait;.*$2.*;$3;")
	echo "$1: $us us of $all_us; logged: $(least "$1") to $(most "$1") us"
	[ $((us + 10 + missed * $(most "$1") / 4)) -ge "$(least "$1")" ] || fail "$1: $us us are less than the waiter slept"
	[ "$all_us" -le "$(most "$1")" ] || fail "$1: $all_us us are more than its calls took"
}

# As folded rows have it, in the program and in one that is moved by the kernel.
for program in locks locks-dyn; do
	trace $program -n 5 -h 20 -- lock -f --save "$T/$program.stk" -p PID
	missed=$(said_of 'waits not counted') # of 20 ms each: the kernel of this host does not report each switch
	[ $program = locks-dyn ] || missed_first=$missed
	lock slept pthread_mutex_lock st_slept_lock st_fix_sleep
	lock burned pthread_mutex_lock st_burned_lock st_fix_burn
	lock heap pthread_mutex_lock '\[heap\]\+0x[0-9a-f]+' st_fix_sleep
	lock condition pthread_cond_wait st_conditions st_fix_signal
	lock written pthread_rwlock_rdlock st_rwlock st_fix_write
	lock counted '' st_semaphore st_fix_post
	refuse_err 'does not add up'
done

# The table. A mutex has an owner; for other locks, the thread that ended the wait stands in.
returns 0 report --text "$T/locks.stk"
waiter=$(field waiter) holder=$(field holder)
expect_out '^ WAITED \(ms\)     WAITS          LONGEST \(ms\) THREADS  KIND               LOCK$'
table() { # KIND LOCK HOW FUNCTION
	awk -v least=$((5 - missed_first)) -v lock="$2" -v kind="$1" -v how="$3 st-holder " -v in_="$4" '
		/^ *[0-9.]+ +[0-9]+ +[0-9.-]+ +[0-9]+  / { here = index($0, lock) && index($0, "  " kind " "); waits = $2; longest = $3 + 0 }
		here && index($0, how) && index($0, " in " in_ " < ") { found = 1; if (waits < least || longest < 20) bad = 1 }
		END { exit !found || bad }' "$T/out" || fail "$2: not in the table as $1, $3 st-holder in $4"
}
table mutex '!st_slept_lock [' 'held by' st_fix_sleep
table mutex '!st_burned_lock [' 'held by' st_fix_burn
table mutex '[heap]+0x' 'held by' st_fix_sleep
table 'condition variable' '!st_conditions+' 'woken by' st_fix_signal
table rwlock '!st_rwlock+' 'woken by' st_fix_write
table semaphore '!st_semaphore [' 'woken by' st_fix_post
refuse_out "st_(slept|burned)_lock.*unknown"
# A wait for a mutex in any other thread's hands would have another line.
expect_equal "holders of mutexes" "$(grep -cE 'held by .* in st_fix_(sleep|burn) ' "$T/out")" 3

# The same bytes from the saved profile
returns 0 report "$T/locks-dyn.stk"
grep -q 'st_fix_wait' "$T/out" || fail "no folded rows"
for form in html json pprof; do
	returns 0 report --format $form -o "$T/report.$form" "$T/locks.stk"
done
grep -q st_slept_lock "$T/report.html" || fail "the page has no lock"

# Threads that wait for each other. Both waits are open when the run ends.
trace locks -d -- lock -p PID
waiter=$(field waiter) holder=$(field holder)
[ "$(said_of 'waits not counted')" = 0 ] || { echo "no deadlock is judged: $(grep 'not counted' "$T/err")" && exit 0; }
expect_equal "deadlocks" "$(grep -c '^deadlock: ' "$T/out")" 1
expect_out "^    st-waiter $waiter waits for locks!st_burned_lock "
expect_out "^    st-holder $holder waits for locks!st_slept_lock "
