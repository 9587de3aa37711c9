#!/bin/sh
# ctest: timeout=120
# Once attached, the parent keeps only the capabilities it needs to the end, and the symbol worker has none, cannot get
# any and is behind seccomp.
. "${0%/*}/lib.sh"
needs uprobe perf-event

field() {
	awk -v name="$1:" '$1 == name { print $2 }' "/proc/$2/status"
}

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

children_of() {
	for status_file in /proc/[0-9]*/status; do
		awk -v parent="$1" '$1 == "Pid:" { pid = $2 } $1 == "PPid:" && $2 == parent { print pid }' "$status_file" 2>/dev/null
	done
}

# DAC_READ_SEARCH 2, SYS_PTRACE 19, SYS_ADMIN 21 (only where the newer ones do not do), SYSLOG 34, PERFMON 38, BPF 39,
# CHECKPOINT_RESTORE 40
check() {
	echo "parent: capabilities $(bits "$(field CapEff "$tool_pid")")"
	for bit in $(bits "$(field CapPrm "$tool_pid")"); do
		case $bit in
		2 | 19 | 38 | 39 | 40) ;;
		*) fail "the parent keeps capability $bit" ;;
		esac
	done
	expect_equal "inheritable" "$(field CapInh "$tool_pid")" 0000000000000000
	expect_equal "ambient" "$(field CapAmb "$tool_pid")" 0000000000000000
	worker=$(children_of "$tool_pid")
	expect_equal "number of children" "$(echo "$worker" | wc -w | tr -d ' ')" 1
	for set in CapInh CapPrm CapEff CapAmb; do
		expect_equal "$set of the worker" "$(field $set "$worker")" 0000000000000000
	done
	expect_equal "NoNewPrivs of the worker" "$(field NoNewPrivs "$worker")" 1
	expect_equal "Seccomp of the worker" "$(field Seccomp "$worker")" 2
	uid=$(field Uid "$worker")
	echo "worker: uid $uid, $(ls "/proc/$worker/fd" 2>/dev/null | wc -l) descriptors"
}

fixture calls -n 1000
tool_start count -f "$FIXTURES/calls:st_fix_hit"
check
go
fixture_done
tool_end
expect_status 0
# And what is left is enough: the map is drained, the frames have names.
expect_equal "calls" "$(folded_sum)" 1000
expect_out 'st_fix_hit 1000$'
fixture_end

# Intervals and growth make maps and swap them after the capabilities are gone.
fixture calls -n 100000 -d 50000
tool_start count -f -i 0.1 "$FIXTURES/calls:st_fix_hit"
go
fixture_done
tool_end
expect_status 0
expect_equal "calls with intervals" "$(folded_sum)" 100000
fixture_end

tool_start profile -f -F 99
check
tool_end
expect_status 0
