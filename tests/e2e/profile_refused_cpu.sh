#!/bin/sh
# ctest: plain host timeout=600
# The kernel refuses the event of a CPU that is online: the others are sampled, the report comes, the gap is said in time, and
# the numbers that were measured add up.
. "${0%/*}/lib.sh"
needs perf-event cpus:2
command -v strace >/dev/null || skip "no strace"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" # leaks cannot be looked for under strace

seconds=4
# refused COUNT PROFILE-ARG…: for $seconds, the last of our own events and COUNT of what comes after it are refused.
refused() {
	many=$1
	shift
	tool_line="stacktool profile $*"
	strace --seccomp-bpf -f -o "$T/calls" -e trace=perf_event_open "$STACKTOOL" profile "$@" 1 >"$T/out" 2>"$T/err" </dev/null
	last=$(grep 'perf_event_open(' "$T/calls" | grep -nE 'sample_(period|freq)=[1-9]' | tail -n 1 | cut -d: -f1)
	[ -n "$last" ] || fail "no event was opened"
	strace --seccomp-bpf -f -o "$T/calls" -e trace=perf_event_open -e "inject=perf_event_open:error=ENODEV:when=$last$many" \
		"$STACKTOOL" profile "$@" "$seconds" >"$T/out" 2>"$T/err" </dev/null
	status=$?
	expect_status 0
	refuse_err 'does not add up|more than the counter explains|for an unknown reason'
}

for event in "-e page-faults -c 100" "-e context-switches -F 99" "-e cpu-clock -F 99" "-e cpu-clock -c 1000000" "-F 49"; do
	# shellcheck disable=SC2086
	refused + -f $event
	gap=$(said_of 'milliseconds in which an online CPU was not sampled')
	[ "$gap" -ge 2000 ] || fail "$event: only $gap ms are said to be without samples"
done

# Refused once: the CPU is sampled from the next look on, and what is missing until then is said too.
seconds=8
refused '' -f -e cpu-clock -F 99
gap=$(said_of 'milliseconds in which an online CPU was not sampled')
[ "$gap" -ge 100 ] && [ "$gap" -le 7500 ] || fail "$gap ms are said to be without samples"
