#!/bin/sh
# ctest: guest boots=^(5.10|7.2)$
# funclatency times all calls of a kernel function, by each way to probe it: none is shorter than the program asked for, none longer than
# the program has measured.
. "${0%/*}/lib.sh"
needs kprobe

N=100

# below MICROSECONDS: the calls that took less; the number is a power of two
below() {
	awk -v limit="$1" '/^ *[0-9]+ -> [0-9]+ / && $3 < limit { sum += $5 } END { print sum + 0 }' "$T/out"
}

# "": the best that the kernel has
for way in '' fentry ${FULL:+multi kprobe}; do
	if [ -n "$way" ] && ! "$STACKTOOL" funclatency --explain --attach "$way" hrtimer_nanosleep >/dev/null 2>"$T/err"; then
		expect_err 'this kernel has no CONFIG_'
		continue
	fi
	trace latency -k sleep -n $N -o "$T/log" -- funclatency ${way:+--attach "$way"} -u -p PID hrtimer_nanosleep
	# An fentry program that is preempted keeps its CPU's next calls from being seen (docs/use/probes.md).
	[ "$(below 2147483648)" -ge $((N - $(lost_events))) ] || fail "calls by ${way:-the default}: $(below 2147483648), not $N"
	expect_equal "calls of less than 64 us by ${way:-the default}" "$(below 64)" 0
	longest=$(awk '$2 > most { most = $2 } END { for (power = 1; power * 1000 <= most; power *= 2) { } print power }' "$T/log")
	[ "$(lost_events)" -gt 1 ] || expect_equal "calls up to $longest us by ${way:-the default}" "$(below "$longest")" "$(below 2147483648)"
	refuse_err 'does not add up'
	[ "$(lost_events)" -gt 0 ] || refuse_err 'WARNING|NOTE: .*calls?'
	ways="${ways-} ${way:-default}"
done
echo "ways:${ways-}"
[ -n "${ways-}" ] || fail "no way to probe kernel functions"
