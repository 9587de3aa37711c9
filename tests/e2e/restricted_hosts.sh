#!/bin/sh
# ctest: host plain
# The table of docs/reference/restricted.md, row by row: what works with less than all of a host. A cell is yes (status 0) or no (status 3,
# with a message that names what is missing).
. "${0%/*}/lib.sh"
needs perf-event uprobe uprobe-multi btf pid-namespace tracepoint:sched:sched_switch program:unshare
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip "kernel.perf_event_paranoid is above 2: CAP_PERFMON is not enough"
PAGE=$SOURCE/docs/reference/restricted.md

# in_group DIRECTORY CMD...: in a control group
in_group() {
	group=$1
	shift
	# shellcheck disable=SC2016
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@"
}

# cell WORD... -- ARG...: one run; adds to $row, and its messages to $T/said
cell() {
	words=
	while [ "$1" != -- ]; do
		words="$words $1"
		shift
	done
	shift
	# shellcheck disable=SC2034 # fail() prints it
	tool_line="$words stacktool $*"
	# shellcheck disable=SC2086
	$words "$STACKTOOL" "$@" >"$T/out" 2>"$T/err" </dev/null 7<&- 8>&-
	status=$?
	cat "$T/err" >>"$T/said"
	case $status in
	0) row="$row yes |" ;;
	3)
		row="$row no |"
		refuse_out .
		;;
	*) fail "status $status" ;;
	esac
}

# expect_row NAME WORDS WORD...: the row of the page with this name, for runs behind WORD..., that say WORDS
expect_row() {
	row="| $1 |"
	said=$2
	shift 2
	: >"$T/said"
	cell "$@" -- profile -F 99 0.2
	cell "$@" -- count -v -D 0.2 t:sched:sched_switch
	cell "$@" -- count -D 0.2 "$FIXTURES/calls:st_fix_hit"
	cell "$@" -- offcputime 0.2
	grep -qF "$row" "$PAGE" || fail "the page does not have the row: $row"
	grep -qE "$said" "$T/said" || fail "no run says: $said: $(cat "$T/said")"
}

# A group of 512 MB: the limit of the tool, its helpers, and the kernel's memory of its maps
memory=/sys/fs/cgroup
[ ! -d $memory/memory ] || memory=$memory/memory
group=$memory/stacktool-$$
trap 'rmdir "$group" 2>/dev/null; rm -rf "$T"' EXIT
mkdir "$group" || skip "no control group for memory can be made"
limit=$group/memory.max
[ -e "$limit" ] || limit=$group/memory.limit_in_bytes
[ -e "$limit" ] || skip "no control group limits memory"
echo 512M >"$limit" || fail "no limit of 512 MB"

fixture_running spin # something to sample
expect_row 'CAP_BPF and CAP_PERFMON alone' 'without CAP_SYSLOG kernel functions have no names' "$FIXTURES/as" bpf-perfmon
# shellcheck disable=SC2016
expect_row 'a pid namespace of its own (a privileged pod without `hostPID`)' 'the process is outside of our pid namespace' \
	unshare -pf --mount-proc
expect_row 'a user namespace (a rootless container)' 'capabilities in a user namespace do not give access to kernel events' unshare -Ur
expect_row 'a control group of 512 MB' 'NOTE: cost: ' in_group "$group"
! grep -qE '^oom_kill [1-9]' "$group/memory.events" "$group/memory.oom_control" 2>/dev/null || fail "a process was killed for its memory"
fixture_end
