#!/bin/sh
# ctest: boots=7.2
# wall: the stack that is taken when a thread is back is that with which it left the CPU, for each wait. In this variant both are taken,
# and the time of each wait is there twice: in its states, and with the stack of the return as [unknown state].
. "${0%/*}/lib.sh"
needs btf perf-event
needs_unwinder
"$STACKTOOL" wall --explain --waits sampled -p $$ >"$T/out" 2>&1 || skip "no sched_exit_tp"
STACKTOOL=$VARIANTS/forgets_nothing

# Without the waits of the fixture for the test, which have not begun and ended with the run. A row may lack a microsecond.
compare() {
	awk -v exact="$1" '
		/;\[on CPU\];|;main;(done_waiting;)?(done;)?__libc_read;|^[^;]*;[^;]*;\[[a-z ]*\] / { next }
		{
			us = $NF; sub(/ [0-9]+$/, ""); sub(/;\[[a-z ]*\]$/, "")
			is_back = sub(/;\[unknown state\];/, ";"); sub(/;\[[a-zA-Z ]*\];/, ";")
			(is_back ? back[$0] += us : out[$0] += us); rows[$0]++; stacks[$0]
		}
		END {
			for (stack in stacks) {
				off = back[stack] - out[stack]
				if (exact ? off > rows[stack] || off < -rows[stack] : stack ~ /;st_off_/ && !(back[stack] && out[stack]))
					print "out", out[stack] + 0, "back", back[stack] + 0, stack
				nr += stack ~ /;st_off_/ && back[stack] > 0
			}
			if (!nr) print "no stack of a return"
		}' "$T/out"
}

for work in "sleep 20 2000" "pair 20 2000" "pipe 20 2000" "vfork 5 2000"; do
	# shellcheck disable=SC2086 # words
	trace offcpu $work -- wall -f -p PID
	grep -q 'impossible transition' "$T/err" && exact=0 || exact=1 # a switch was not reported
	different=$(compare "$exact")
	[ -z "$different" ] || fail "offcpu $work: $different"
done
