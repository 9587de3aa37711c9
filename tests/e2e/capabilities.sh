#!/bin/sh
# ctest: boots=-all$
# Once attached, the parent keeps only the capabilities it needs to the end, and all its threads have a system call filter; the symbol
# worker and its supervisor have no capabilities, cannot get any and are behind seccomp.
. "${0%/*}/lib.sh"
needs uprobe perf-event

# The set bits of a hexadecimal mask, as decimal numbers.
bits() {
	mask=$(printf '%d' "0x$1")
	bit=0
	while [ "$mask" -gt 0 ]; do
		[ $((mask & 1)) = 0 ] || printf '%d ' "$bit"
		mask=$((mask >> 1))
		bit=$((bit + 1))
	done
}

# All descendants: the supervisor of the worker and the worker.
descendants_of() {
	for status_file in /proc/[0-9]*/status; do
		awk -v parent="$1" '$1 == "Pid:" { pid = $2 } $1 == "PPid:" && $2 == parent { print pid }' "$status_file" 2>/dev/null
	done | while read -r child; do
		echo "$child"
		descendants_of "$child"
	done
}

# A field of the status that was copied: what is read at once is of one moment, and of one process.
field() {
	awk -v name="$1:" '$1 == name { print $2 }' "$T/status"
}

priority_of() {
	sed -nE 's/^Max realtime priority +([0-9]+) .*/\1/p' "/proc/$1/limits"
}

# What may be kept: DAC_READ_SEARCH 2, SYS_PTRACE 19, PERFMON 38, BPF 39, CHECKPOINT_RESTORE 40.
check() {
	echo "parent: capabilities $(bits "$(process_field CapEff "$tool_pid")")"
	for bit in $(bits "$(process_field CapPrm "$tool_pid")"); do
		case $bit in
		2 | 19 | 38 | 39 | 40) ;;
		*) fail "the parent keeps capability $bit" ;;
		esac
	done
	expect_equal "inheritable" "$(process_field CapInh "$tool_pid")" 0000000000000000
	expect_equal "ambient" "$(process_field CapAmb "$tool_pid")" 0000000000000000
	for task in /proc/"$tool_pid"/task/*; do
		cat "$task/status" >"$T/status" 2>/dev/null || continue # a thread that ended meanwhile
		expect_equal "Seccomp of ${task##*/}" "$(field Seccomp)" 2
		expect_equal "NoNewPrivs of ${task##*/}" "$(field NoNewPrivs)" 1
	done
	sandboxed=0 filtered=2
	[ -z "${SANITIZED:-}" ] || filtered='[02]' # there is no filter for the supervisor, nor for writers
	for child in $(descendants_of "$tool_pid"); do
		cat "/proc/$child/status" >"$T/status" 2>/dev/null || continue # a helper that ended meanwhile
		echo "child $(field Name): uid $(field Uid), seccomp $(field Seccomp)"
		for set in CapInh CapPrm CapEff CapAmb; do
			expect_equal "$set of $(field Name)" "$(field $set)" 0000000000000000
		done
		expect_equal "NoNewPrivs of $(field Name)" "$(field NoNewPrivs)" 1
		field Seccomp | grep -q "^$filtered\$" || fail "Seccomp of $(field Name)"
		sandboxed=$((sandboxed + 1))
	done
	[ "$sandboxed" -ge 2 ] || fail "no supervisor and no worker"
	supervisor=$(children_named "$tool_pid" stacktool-super)
	user=$((1879048192 + supervisor))
	grep -qE '^ +0 +0 +4294967295$' /proc/self/uid_map || user=65534 # a user namespace
	for child in $supervisor $(children_named "$supervisor" stacktool-sym); do
		cat "/proc/$child/status" >"$T/status" 2>/dev/null || continue # a worker that has ended meanwhile
		expect_equal "user of $(field Name)" "$(field Uid)" "$user"
		expect_equal "group of $(field Name)" "$(field Gid)" "$user"
	done
	priority=$(priority_of $$)
	[ "$priority" != 0 ] || priority=$((0x$(process_field CapEff $$) >> 24 & 1)) # CAP_SYS_RESOURCE may raise it
	expect_equal "the limit of the priority" "$(priority_of "$tool_pid")" "$priority"
}

fixture calls -n 1000
tool_start count -f "$FIXTURES/calls:st_fix_hit"
check
fixture_work
tool_end
# And what is left is enough: the map is drained, the frames have names.
expect_equal "calls" "$(folded_sum)" 1000
expect_out 'st_fix_hit 1000$'
fixture_end

# Intervals and growth make maps and swap them after the capabilities are gone.
trace calls -n 100000 -d 12000 -- count -f -i 0.1 "$FIXTURES/calls:st_fix_hit"
expect_equal "calls with intervals" "$(folded_sum)" 100000

tool_start profile -f -F 99
check
tool_end
