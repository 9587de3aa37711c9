#!/bin/sh
# ctest: boots=5.10
# Hosts that cannot: status 3, and one line that names the capability or the kernel feature that is missing.
. "${0%/*}/lib.sh"
needs perf-event btf tracepoint:sched:sched_switch

# cannot CIRCUMSTANCE REGEX ARG…
cannot() {
	circumstance=$1
	regex=$2
	shift 2
	returns_under 3 "$circumstance" "$@"
	expect_refusal "$regex"
}

cannot nobody 'CAP_' profile 1
cannot nobody 'CAP_' count -D 1 t:sched:sched_switch
cannot nobody 'CAP_' count -D 1 "$FIXTURES/calls:st_fix_hit"
cannot no-btf 'BTF' profile 1
cannot no-btf 'BTF' count -D 1 t:sched:sched_switch

# Without tracefs a tracepoint with a name is attached raw; nobody can tell then which events belong to a category, and
# hooking all of them is not what was requested.
returns_under 0 no-tracefs count -f -D 0.3 t:sched:sched_switch
expect_out '__schedule'
returns_under 0 no-tracefs count --explain t:sched:sched_switch
expect_out 'tracefs'
# Only --explain: to hook them all brings the host to its knees.
cannot no-tracefs 'tracefs' count --explain 't:sched:*'
returns_under 2 no-tracefs count --explain --max-probes 3 't:*:sched_*'
expect_err 'exceed the limit of 3 probes$'

# profile needs no tracefs.
fixture_running chain spin
returns_under 0 no-tracefs profile -f -F 199 -p "$fixture_pid" 1
expect_out 'st_fix_h'
# Neither does a user function.
fixture_end
fixture calls -n 100
tool_start_under foreground,no-tracefs count -f "$FIXTURES/calls:st_fix_hit"
fixture_work
tool_end
expect_equal "calls" "$(folded_sum)" 100
fixture_end

# tracefs is there, but not for everyone: another remedy than mounting it
if ! "$FIXTURES/as" nobody ls /sys/kernel/tracing/events >/dev/null 2>&1; then
	returns_under 3 nobody list 't:sched:*'
	expect_err "/sys/kernel/tracing cannot be read, so the events in 'sched' are not known"
	expect_err '^  run it as root'
fi

# What needs no privilege works without
returns_under 0 nobody --version
returns_under 0 nobody profile --help

# Kernel symbols that cannot be opened are said, not passed over
mknod "$T/nothing" c 240 200
mount --bind "$T/nothing" /proc/kallsyms || fail "cannot hide kallsyms"
returns 0 count -K -f -D 0.3 t:sched:sched_switch
expect_err '/proc/kallsyms: .*: kernel frames have no names'
tool count -U -f -D 0.1 t:sched:sched_switch
refuse_err '/proc/kallsyms'
umount /proc/kallsyms
