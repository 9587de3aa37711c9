#!/bin/sh
# ctest: live-kallsyms
# Samples of a thread that is inside somebody else's uprobes: its stack is the one that it has without them. The probes are those of
# tracefs, which no tracer of ours has made.
. "${0%/*}/lib.sh"
needs perf-event
[ "$(uname -m)" = x86_64 ] || skip "other architectures have other trampolines"
events=/sys/kernel/tracing/uprobe_events
[ -w "$events" ] || skip "this kernel has no uprobes in tracefs"
group=st_under_$$

# probe p|r: one of the fixture's function; unprobe takes all away
probe() {
	echo "$1:$group/$1 $FIXTURES/probed:${fixture_expect##* }" >>"$events" || fail "tracefs refuses the probe"
	echo 1 >"/sys/kernel/tracing/events/$group/$1/enable" || fail "tracefs does not enable the probe"
}
unprobe() {
	for one in p r; do
		[ -e "/sys/kernel/tracing/events/$group/$one" ] || continue
		echo 0 >"/sys/kernel/tracing/events/$group/$one/enable"
		echo "-:$group/$one" >>"$events"
	done
	echo >/sys/kernel/tracing/trace
}
trap 'unprobe; rm -rf "$T"' EXIT

# under KINDS WAY SHAPE
under() {
	fixture probed "$3"
	for one in $1; do
		probe "$one"
	done
	go
	tool profile -U -f -F 499 --unwind="$2" -p "$fixture_pid" 1
	unprobe
	fixture_end
	expect_status 0
	plain_names "$T/out" >"$T/plain"
	chain=${fixture_expect%% *}
	all=$(folded_sum "$T/plain")
	whole=$(folded_sum_of ";$chain [0-9]+$" "$T/plain")
	# between two calls; before main() is entered there are none, for the fixture waits
	outside=$(folded_sum_of ";${chain%;*} [0-9]+$|;main;st_fix_work [0-9]+$" "$T/plain")
	# The kernel puts the trampoline in the place of the return address before anybody can know the address.
	unknown=0
	[ "$1" = p ] || unknown=$(folded_sum_of "(\[no unwind information\]|st_fix_work);\[unknown\];${chain##*;} [0-9]+$" "$T/plain")
	echo "$*: $all samples, $whole whole, $outside outside, $unknown of an unknown caller"
	[ "$all" -ge 20 ] || fail "only $all samples"
	[ $((whole * 4)) -ge "$all" ] || fail "only $whole of $all samples are of the probed function and whole: $(cat "$T/plain")"
	[ $((unknown * 8)) -le "$all" ] || fail "the caller of $unknown of $all samples is not known"
	expect_equal "samples with another stack: $(cat "$T/plain")" $((all - whole - outside - unknown)) 0
	refuse_out "\\[unknown\\] "
}

# A guest takes ten seconds for each: there both probes are set at once, and the walk by tables sees all shapes.
kinds='p,p r' few='push endbr nop' first='push nop'
if [ -n "${IN_GUEST:-}" ] && [ -z "${FULL:-}" ]; then
	kinds='p r' few='push' first='push'
fi

# shapes WAY SHAPE...
shapes() {
	way=$1
	shift
	for shape in "$@"; do
		[ "$kinds" = 'p r' ] || under p "$way" "$shape"
		under 'p r' "$way" "$shape"
	done
}

# shellcheck disable=SC2086
shapes fp $few
case $("$STACKTOOL" --version) in
*'unwinder: none'*) exit 0 ;;
esac
shapes auto push endbr nop load
# a process that has just been started, before the programs know its mappings
STACKTOOL=$VARIANTS/unknown_processes
# shellcheck disable=SC2086
shapes auto $first
