#!/bin/sh
# ctest: boots=-all$
# What --explain announces is what a run really makes: programs by type, events by number. It attaches nothing itself.
. "${0%/*}/lib.sh"
needs perf-event uprobe tracepoint:sched:sched_switch

# Descriptors of the running tool: prog_type and link_type of each, from fdinfo.
descriptors() {
	for info in /proc/"$tool_pid"/fdinfo/*; do
		file=/proc/$tool_pid/fd/${info##*/}
		kind=$(readlink "$file") || continue
		case $kind in
		anon_inode:bpf-prog) echo "program $(awk '/^prog_type/ { print $2 }' "$info")" ;;
		anon_inode:bpf_link | anon_inode:bpf-link) echo "link $(awk '/^link_type/ { print $2 }' "$info")" ;;
		'anon_inode:[perf_event]') echo "perf-event" ;;
		esac
	done | sort | uniq -c
}

number_of() {
	awk -v what="$1" '{ line = $0; sub(/^ *[0-9]+ /, "", line) } line ~ what { sum += $1 } END { print sum + 0 }' "$T/really"
}

# explained ARG…: --explain of the command, then the same for real; $T/explained and $T/really
explained() {
	returns 0 "$@" --explain
	cp "$T/out" "$T/explained"
	[ -s "$T/explained" ] || fail "--explain prints nothing"
	tool_start "$@"
	descriptors >"$T/really"
	[ -n "${VERBOSE-}" ] && cat "$T/explained" "$T/really"
	if "$FIXTURES/hostprobe" program:bpftool >/dev/null; then
		for info in /proc/"$tool_pid"/fdinfo/*; do
			[ "$(readlink "/proc/$tool_pid/fd/${info##*/}")" = anon_inode:bpf-prog ] || continue
			bpftool prog show id "$(awk '/^prog_id/ { print $2 }' "$info")"
		done >"$T/bpftool"
		sed -nE 's/^[0-9]+: [a-z_]+ +name ([a-z0-9_]+) .*/\1/p' "$T/bpftool" | sort -u >"$T/names"
		while read -r name; do
			grep -q "$name" "$T/explained" || fail "program $name runs, but --explain does not name it"
		done <"$T/names"
		[ -s "$T/names" ] || fail "no BPF program runs"
	fi
	tool_end
}

# said REGEX: --explain says so
said() {
	grep -qiE -- "$1" "$T/explained" || fail "--explain does not say: $1 $(cat "$T/explained")"
}

fixture chain spin

# BPF program types: 2 kprobe (and uprobe), 5 tracepoint, 7 perf_event
explained profile -F 99 --frames native # programs for interpreters come with the first one on the host
said 'perf_event'
said 'cpu-clock|cpu-cycles'
expect_equal "perf_event programs" "$(number_of '^program 7$')" 1
[ "$(number_of '^perf-event')" -ge "$(nproc)" ] || fail "fewer perf events than CPUs: $(cat "$T/really")"

explained count -p "$fixture_pid" "$FIXTURES/chain:st_fix_*"
said 'uprobe'
expect_equal "attach points announced" "$(grep -c '^attach: .*st_fix_' "$T/explained")" 10
expect_equal "uprobe programs" "$(number_of '^program 2$')" 1
! "$FIXTURES/hostprobe" root uprobe-multi-pid || said '^mechanism: uprobe\.multi' # in one go also for one process
if grep -q '^mechanism: uprobe.multi' "$T/explained"; then
	expect_equal "links" "$(number_of '^link')" 1
else
	[ "$(number_of '^perf-event')" -ge 10 ] || fail "fewer perf events than functions: $(cat "$T/really")"
fi

explained count t:sched:sched_switch
said 'tracepoint'
said 'sched_switch'
[ "$(number_of '^program')" -ge 1 ] || fail "no program"

explained count 't:sched:sched_s*'
said 'sched_switch'
said 'sched_stat|sched_swap|sched_stick'

# --explain itself leaves no program: what it loads to ask the kernel is gone when it ends.
returns 0 profile --explain
refuse_out '^Sampling'
# What a screen would show needs no terminal.
returns 0 top --explain
expect_out '^probe: sample$'
fixture_end
