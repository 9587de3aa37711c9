#!/bin/sh
# ctest: guest boots=5.10|7.2 live-kallsyms
# What a user without privileges, and one with CAP_BPF and CAP_PERFMON alone, can run: each command works, or is refused with
# status 3 and a sentence that names what is missing.
. "${0%/*}/lib.sh"
needs perf-event btf tracepoint:syscalls:sys_enter_getppid

PARANOID=/proc/sys/kernel/perf_event_paranoid
before=$(cat $PARANOID)
trap 'echo "$before" >$PARANOID; rm -rf "$T"' EXIT

# cannot CIRCUMSTANCES CAUSE REMEDY ARG…
cannot() {
	circumstance=$1
	cause=$2
	remedy=$3
	shift 3
	returns_under 3 "$circumstance" "$@"
	expect_refusal "$cause"
	expect_err "$remedy"
}

needs_both() {
	cannot nobody 'permission denied: this needs CAP_BPF and CAP_PERFMON$' '^  run it as root, with sudo, or once: setcap cap_bpf,cap_perfmon,[^ ]*[+]ep on ' "$@"
}

needs_both profile 1
needs_both count -D 1 t:sched:sched_switch
needs_both count -D 1 vfs_read
needs_both count -D 1 "$FIXTURES/calls:st_fix_hit"
needs_both offcputime 1

# ---- CAP_BPF and CAP_PERFMON ----

# exact KIND PATTERN [TOOL-ARG…]: 100 events of a process of root
exact() {
	fixture calls -n 100 -k "$1"
	pattern=$2
	shift 2
	tool_start_under foreground,bpf-perfmon count -f "$@" "$pattern"
	fixture_work
	tool_end
	expect_equal "events of $pattern" "$(folded_sum)" 100
	fixture_end
}

# Debian's kernels know a third value, which takes more than CAP_PERFMON
echo 3 >$PARANOID
cannot bpf-perfmon 'cpu-cycles: .*: kernel.perf_event_paranoid is 3, so it needs CAP_SYS_ADMIN$' 'sysctl kernel.perf_event_paranoid=2' profile 1
tool_under bpf-perfmon doctor
expect_out '^perf-events +no +refused without CAP_SYS_ADMIN: kernel.perf_event_paranoid is 3$'

# Before 5.11 maps are locked memory
ulimit -l 64
tool_under bpf-perfmon count -D 0.1 t:sched:sched_switch
if [ "$status" != 0 ]; then
	cannot bpf-perfmon 'counts BPF maps as locked memory' 'CAP_SYS_RESOURCE, or raise the limit: ulimit -l unlimited' \
		count -D 0.1 t:sched:sched_switch
fi

ulimit -l unlimited
echo 2 >$PARANOID
returns_under 0 bpf-perfmon profile -f -F 49 -C 0 0.5
expect_err 'without CAP_SYSLOG kernel functions have no names'
exact rename t:task:task_rename --comm '^calls$'
# A perf uprobe takes more than a link of many
if "$FIXTURES/hostprobe" uprobe-multi >/dev/null; then
	exact hit "$FIXTURES/calls:st_fix_hit"
else
	cannot bpf-perfmon 'st_fix_hit: the kernel refuses to attach: Permission denied' 'for user functions, CAP_SYS_ADMIN' \
		count -D 0.1 "$FIXTURES/calls:st_fix_hit"
fi
cannot bpf-perfmon "'$FIXTURES/calls': permission denied in the root of process $$" 'another user.s process needs CAP_SYS_PTRACE' \
	count -D 0.1 -p $$ "$FIXTURES/calls:st_fix_hit"
returns_under 0 bpf-perfmon offcputime -f 0.5
[ "$(folded_rows)" -ge 1 ] || fail "nothing was off the CPU"
cannot bpf-perfmon "function 'vfs_read': /proc/kallsyms shows no addresses" 'this needs CAP_SYSLOG' count -D 0.1 vfs_read
