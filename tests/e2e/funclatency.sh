#!/bin/sh
# ctest: boots=^(5.10|7.2)$
# funclatency times all calls of user functions and of a system call: each length is between the two that the call itself has logged.
# Functions that end in other ways than by a return do as without stacktool.
. "${0%/*}/lib.sh"
needs uprobe
[ "$(uname -m)" = x86_64 ] || skip "the ends of user functions are found on x86_64 only"

N=$([ -n "${IN_GUEST:-}" ] && echo 200 || echo 3000)

# calls_of FUNCTION: the calls in its histogram; of all functions without a name
calls_of() {
	awk -v name="${1-}" '/^Function = / { in_it = $3 == name } /^ *[0-9]+ -> [0-9]+ / && (in_it || name == "") { sum += $5 } END { print sum + 0 }' "$T/out"
}

# within_bounds UNIT_NS: up to each power of two there are as many calls as the two logs allow. The kernel leaves out a program where it was
# preempted on that CPU, and counts that: each may have taken a call away.
within_bounds() {
	awk -v unit="$1" -v log_file="$T/log" -v lost="$(lost_events)" '
		/^ *[0-9]+ -> [0-9]+ / { count[$3 + 1] += $5; all += $5 }
		END {
			while ((getline line <log_file) > 0) {
				split(line, words, " ")
				nr_logged++
				for (power = 2; power < 1099511627776; power *= 2) {
					least[power] += words[2] < power * unit
					most[power] += words[1] < power * unit
				}
			}
			if (all > nr_logged || all < nr_logged - lost) print all + 0 " calls, not " nr_logged
			for (power = 2; power < 1099511627776; power *= 2) {
				sum += count[power]
				if (sum < least[power] - lost || sum > most[power])
					print sum " calls below " power ", not " least[power] " to " most[power] ", " lost " lost"
			}
		}' "$T/out" >"$T/verdict"
	[ ! -s "$T/verdict" ] || fail "$(cat "$T/verdict")"
}

# timed UNIT_NS "FIXTURE ARGUMENTS" ARG…
timed() {
	unit=$1 arguments=$2
	shift 2
	# shellcheck disable=SC2086
	trace latency $arguments -o "$T/log" -- funclatency "$@"
	echo "funclatency $*: $(calls_of) calls"
	within_bounds "$unit"
	refuse_err 'does not add up'
	[ "$(lost_events)" -gt 0 ] || refuse_err 'WARNING|NOTE: .*calls?'
}

timed 1 "-n $N -t 2" -p PID "$FIXTURES/latency:st_fix_work"
expect_out '^Tracing 1 functions for ".*latency:st_fix_work"\.\.\. Hit Ctrl-C to end\.$'
expect_out '^     nsecs               : count     distribution$'
expect_out "^avg = [0-9]+ nsecs, total: [0-9]+ nsecs, count: [0-9]+\$"
expect_out '^at most, in nsecs: 50% [0-9]+, 90% [0-9]+, 99% [0-9]+, 99\.9% [0-9]+, all [0-9]+$'
timed 1000 "-n $N -t 2" -u -i 0.05 "$FIXTURES/latency:st_fix_work"
expect_out '^Function = st_fix_work \[[0-9]+\]$'
# The program runs as without stacktool, and every call is in the histogram of its function or in a message.
# A static program, and a guest without libgcc, cannot cancel a thread.
for name in latency latency-dyn; do
	[ "$name" = latency ] || [ -z "${IN_GUEST:-}" ] || continue
	"$FIXTURES/$name" -k ways -n 80 >"$T/alone"
	expect_equal "status of $name" "$?" 3
	returns 3 funclatency -F -r "$FIXTURES/$name:^st_fix_" -- "$FIXTURES/$name" -k ways -n 80
	sed -n '/^Tracing/d; /^sum/p; /^child/p; /^after/p' "$T/out" | cmp -s - "$T/alone" || fail "$name printed other lines"
	for one in st_fix_switch:82 st_fix_tail:80 st_fix_may_tail:80 st_fix_pointer:80 st_fix_jumps:40 st_fix_forks:1; do
		[ "$(calls_of "${one%:*}")" -le "${one#*:}" ] && [ "$(calls_of "${one%:*}")" -ge $((${one#*:} - $(lost_events))) ] ||
			fail "calls of ${one%:*} in $name: $(calls_of "${one%:*}"), not ${one#*:}"
	done
	[ "$(lost_events)" = 0 ] || continue
	refuse_err WARNING
	expect_err "^NOTE: 4$([ $name = latency ] && echo 1 || echo 2) calls ended without return"
done

# The rest does not depend on the kernel.
[ -z "${IN_GUEST:-}" ] || [ -n "${FULL:-}" ] || exit 0

timed 1 "-k nest -n $((N / 10))" -p PID "$FIXTURES/latency:st_fix_nest"
timed 1000 "-k sleep -n $((N / 10))" -u -p PID t:syscalls:sys_enter_clock_nanosleep

# only the outermost two
trace latency -k nest -n 10 -- funclatency -l 2 -p PID "$FIXTURES/latency:st_fix_nest"
expect_equal "calls of two levels" "$(calls_of)" 20
refuse_err 'WARNING|NOTE: .*calls?'

# What is saved prints the same.
trace latency -n 10 -- funclatency -F --save "$T/saved.stk" -p PID "$FIXTURES/latency:st_fix_w*"
cp "$T/out" "$T/live"
tool report "$T/saved.stk"
cmp -s "$T/live" "$T/out" || fail "the saved profile differs"
tool report --format json "$T/saved.stk"
expect_out '"length_ns":\{"from":[0-9]+,"to":[0-9]+\},"sum_ns":[0-9]+'

refused 2 'has no end' funclatency t:sched:sched_switch
refused 2 'USDT probe has no end' funclatency u:c:setjmp
refused 2 'only one' funclatency c:malloc c:free
