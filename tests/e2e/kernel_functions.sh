#!/bin/sh
# ctest: guest timeout=400 live-kallsyms
# Kernel functions are counted exactly, by each mechanism that the kernel has, with the whole stack from function to root
# and nothing of the tracer's on top. An fentry program that is preempted keeps its CPU's next calls from being counted
# (docs/use/probes.md): there all that is missing is named as lost.
. "${0%/*}/lib.sh"
needs kprobe

counted=0
has_fentry=
for how in multi kprobe fentry; do
	fixture calls -n "$EVENTS" -t 2 -k getppid -b 2
	tool count --explain --attach="$how" -r '__(x64|do|se)_sys_getppid'
	if [ "$status" = 3 ]; then
		expect_err 'this kernel has no CONFIG_'
		echo "$how: $(cat "$T/err")"
		[ "$how" != kprobe ] || fail "kprobes were refused"
		fixture_end
		continue
	fi
	expect_status 0
	[ "$how" != fentry ] || has_fentry=1
	tool_start count -f --attach="$how" -p "$fixture_pid" -r '__(x64|do|se)_sys_getppid'
	fixture_work
	tool_signal INT
	tool_wait
	if [ "$how" = fentry ] && [ "$status" != 0 ]; then # functions without arguments have no type information
		expect_err 'fentry|cannot attach|refuses'
		echo "$how: $(head -n 1 "$T/err")"
		fixture_end
		continue
	fi
	expect_status 0
	sum=$(folded_sum)
	echo "$how: $sum counted + $(lost_events) lost, $(folded_rows) rows"
	if [ "$how" = fentry ] && programs_are_preempted; then
		[ "$sum" -le "$EVENTS" ] && [ $((sum + $(lost_events))) -ge "$EVENTS" ] || fail "$how: not $EVENTS"
	else
		expect_equal "$how: calls" "$sum" "$EVENTS"
		expect_equal "$how: lost" "$(lost_events)" 0
	fi
	expect_out ';do_syscall_64;(x64_sys_call;)?__(x64|do|se)_sys_getppid [0-9]+$'
	refuse_out 'bpf_prog_|bpf_trampoline|kprobe|ftrace|fprobe'
	counted=$((counted + 1))
	fixture_end
done
[ "$counted" -ge 1 ] || fail "no mechanism counted"

# Aliases: ftrace lists one of the names that an address has, and any of them means the function.
for name in __x64_sys_getppid __do_sys_getppid __se_sys_getppid; do
	grep -q " $name\$" /proc/kallsyms || continue
	trace calls -n 100 -k getppid -- funccount -p PID "$name"
	expect_equal "$name" "$(awk -v name="$name" '$1 == name { print $2 }' "$T/out")" 100
done

# wildcards, one refused name among many, the limit, near misses
returns 0 count --explain 'vfs_re*'
expect_out '^attach: vfs_read$'
returns 2 count -D 1 '*'
expect_err 'exceed the limit of 1000'
returns 5 count -D 1 vfs_raed
expect_err "did you mean 'vfs_read'"
returns 2 count -D 1 _raw_spin_lock
expect_err 'known to hang'
returns 0 count -D 1 'vfs_*'
expect_out '^Tracing [0-9]+ functions for "vfs_\*"'

# What is left out is named with its number, for its danger or because the kernel has no place for a probe there
returns 0 count -D 0.1 -r '(asm_)?exc_(int3|page_fault)|_raw_spin_lock|vfs_read'
expect_err "function '_raw_spin_lock' skipped: probing it is known to hang hosts \(--force\); [0-9]+ functions such as '(asm_)?exc_(int3|page_fault)' skipped: the kernel does not allow a probe on it"

# Each copy of fentry's program counts for its own function, and a function that the kernel's types do not have is not a reason to
# end the run.
if [ -n "$has_fentry" ]; then
	trace calls -n 300 -k rename -- funccount --attach=fentry -p PID -r '__x64_sys_(prctl|getpgid|getpriority)'
	refuse_err 'refused'
	expect_equal "calls by the copy" "$(awk '$1 == "__x64_sys_prctl" { print $2 }' "$T/out")" 300
	expect_equal "rows" "$(grep -c '^__x64_sys_' "$T/out")" 1

	# It goes by the name of a type: of two functions of one name it would count one of them twice.
	returns 0 count -D 0.1 --attach=fentry -r 'vfs_read|name_show'
	expect_err "probes (was|were) refused, such as name_show: (fentry attaches by name|the kernel's type information has no function)"
fi
