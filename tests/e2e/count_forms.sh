#!/bin/sh
# ctest: boots=-all$
# Every way to write a probe, in any order with -p: tracepoints with wildcards, libraries, p:, paths, -l.
. "${0%/*}/lib.sh"
needs uprobe tracepoint:sched:sched_switch

# one_of ARG…: the fixture allocates 1000 times in st_fix_alloc; the form must see them all.
one_of() {
	trace calls-dyn -k malloc -n 1000 -b 2 -- count -f "$@"
	plain_names "$T/out" >"$T/plain"
	# The direct caller st_fix_alloc is missing at the entry of malloc; the one above it is not.
	expect_equal "$*: calls of malloc below the fixture's functions" \
		"$(folded_sum_of 'st_fix_(left|alloc);(.*;)?(__libc_)?malloc [0-9]+$' "$T/plain")" 1000
}

if [ -x "$FIXTURES/calls-dyn" ] && "$FIXTURES/calls-dyn" -n 1 </dev/null >/dev/null 2>&1; then
	one_of -p PID c:malloc
	one_of c:malloc -p PID
	one_of -p PID p:c:malloc
	one_of -l c -p PID malloc
	one_of -p PID -l c malloc
	one_of malloc -l c -p PID
	one_of -p PID libc.so.6:malloc
	one_of -p PID -r 'c:malloc$'
	# Without a process the folders of the loader are searched; a guest has no loader configuration.
	[ ! -e /etc/ld.so.conf ] || one_of -P c:malloc
else
	[ -n "${IN_GUEST:-}" ] || fail "$FIXTURES/calls-dyn does not run"
fi

# Paths, with and without p:
for pattern in "$FIXTURES/calls:st_fix_hit" "p:$FIXTURES/calls:st_fix_hit"; do
	trace calls -n 500 -- count -f "$pattern"
	expect_equal "$pattern" "$(folded_sum)" 500
done
cd "$FIXTURES" || exit 1
trace calls -n 500 -- count -f ./calls:st_fix_hit
expect_equal "relative path" "$(folded_sum)" 500
cd /

# Tracepoints
trace calls -n 1000 -k getppid -b 2 -- count -f -p PID t:syscalls:sys_enter_getppid
expect_equal "getppid" "$(folded_sum)" 1000
expect_out 'st_fix_thread'

# A wildcard: enter and exit of the same call
trace calls -n 1000 -k getppid -- count -f -p PID 't:syscalls:sys_e*_getppid'
expect_equal "enter and exit" "$(folded_sum)" 2000

# What must run on any host: P, d and f together; the header counts what was attached
returns 0 count -P -df -D 0.4 t:sched:sched_switch
expect_out ';-;.*(schedule|__schedule).* [0-9]+$'
returns 0 count -P -D 0.4 't:sched:sched_sw*'
expect_out '^Tracing [0-9]+ functions for "t:sched:sched_sw\*"\.\.\. Hit Ctrl-C to end\.$'
expect_out '^    [^ ].* \[[0-9]+\]$'
returns 0 count -f -D 0.4 't:sched:*'
returns 0 count -K -D 0.4 t:sched:sched_switch
expect_out '^  (__)?schedule'
returns 0 count -U -f -D 0.4 t:sched:sched_switch
refuse_out ';(__)?schedule(\+0x[0-9a-f]+)?( |;)' # compilers have functions of that name in theirs
tool count -D 0.4 -K -U t:sched:sched_switch
[ "$status" = 1 ] || [ "$status" = 2 ] || fail "-K with -U: status $status"
cat "$T/out" "$T/err" | grep -q 'mutually exclusive\|not allowed with' || fail "-K with -U is not explained"
