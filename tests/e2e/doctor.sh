#!/bin/sh
# ctest: live-kallsyms
# doctor agrees with what an independent probe of the host finds; every gap has a remedy; without privileges it says what
# is missing; a remedy that can be carried out here closes its gap.
. "${0%/*}/lib.sh"
needs perf-event btf

state_of() {
	awk -v id="$1" '$1 == id { print $2 }' "$T/out"
}

remedy_of() {
	awk -v id="$1" 'found && /^    remedy: / { sub(/^    remedy: /, ""); print; exit } { found = $1 == id }' "$T/out"
}

# same_as_probe ABILITY QUESTION
same_as_probe() {
	"$FIXTURES/hostprobe" root "$2" >"$T/probe" && want=yes || want=no
	expect_equal "$1 ($(cat "$T/probe"))" "$(state_of "$1")" $want
}

returns 0 doctor
cat "$T/out"
expect_printable
[ ! -s "$T/err" ] || fail "it writes to stderr"
same_as_probe bpf btf
same_as_probe btf btf
same_as_probe perf-events perf-event
same_as_probe pmu pmu
same_as_probe uprobe uprobe
"$FIXTURES/hostprobe" root uprobe-multi >/dev/null || same_as_probe uprobe.multi uprobe-multi
same_as_probe tracefs tracepoint:sched:sched_switch
same_as_probe kprobe kprobe
expect_equal "gaps and remedies" "$(grep -cE '^[^ ]+ +(no|partly|unknown) ' "$T/out")" "$(grep -c '^    remedy: .' "$T/out")"
expect_equal "affects" "$(grep -c '^    affects: .' "$T/out")" "$(grep -c '^    remedy: ' "$T/out")"

# The last line is the verdict, and what a run can do agrees with it.
verdict=$(tail -n 1 "$T/out")
expect_equal "verdicts" "$(grep -c '^verdict: ' "$T/out")" 1
working=${verdict#verdict: works: }
working=", ${working%%; *}, "
# works USE APPLET ARG...: the applet, if the verdict says that this use works; else it is refused
works() {
	case $working in
	*", $1, "*) want=0 ;;
	*) want=3 ;;
	esac
	shift
	returns $want "$@"
}
works profile profile -q 0.1
works tracepoints count -q -D 0.1 t:sched:sched_switch
works 'kernel functions' count -q -D 0.1 vfs_read
works 'user functions' count -q -D 0.1 c:malloc
works 'off-CPU time' offcputime -q 0.1

# What it says of the mechanisms is what count takes.
if tool count --explain vfs_read && [ "$status" = 0 ]; then
	mechanism=$(sed -n 's/^mechanism: //p' "$T/out")
	returns 0 doctor "$mechanism"
fi

tool offwaketime --explain
[ "$status" = 3 ] && want=no || want=yes
tool doctor
expect_equal "scheduler-events" "$(state_of scheduler-events)" $want

# Landlock, where the kernel's list of security modules can be read
lsm=/sys/kernel/security/lsm
if [ -r $lsm ]; then
	returns 0 doctor symbol-worker
	if grep -q landlock $lsm; then expect_out ' and Landlock$'; else expect_out 'this kernel has no Landlock$'; fi
fi

# One ability, for scripts
returns 0 doctor btf
expect_equal "lines" "$(grep -c . "$T/out")" 1
refuse_out verdict
returns 2 doctor no-such-thing
expect_one_line_error

# The findings as JSON
returns 0 doctor --json
expect_out '^[{]"schema":1,'
expect_out ',"usable":true,'
if command -v python3 >/dev/null; then
	python3 -c 'import json, sys; d = json.load(sys.stdin); assert len(d["abilities"]) > 20' <"$T/out" || fail "no JSON"
fi

# Hosts and users that have less
returns_under 3 nobody doctor
expect_equal "bpf of nobody" "$(state_of bpf)" no
expect_out '^CAP_PERFMON +no '
expect_out '^fentry +unknown '
expect_equal "verdict for nobody" "$(tail -n 1 "$T/out" | cut -d: -f1-3)" 'verdict: nothing works: bpf'
expect_err 'this user cannot collect anything on this host: bpf: .*CAP_BPF'
expect_one_line_error
returns_under 3 nobody doctor --json
expect_out ',"usable":false,'
returns_under 3 no-btf doctor
expect_equal "btf where it is hidden" "$(state_of btf)" no
expect_out 'CONFIG_DEBUG_INFO_BTF'

# The remedy for tracefs, carried out to the letter
returns_under 0 no-tracefs doctor
expect_equal "tracefs where it is hidden" "$(state_of tracefs)" no
remedy=$(remedy_of tracefs)
expect_equal "remedy" "$remedy" 'mount -t tracefs tracefs /sys/kernel/tracing'
umount -l /sys/kernel/tracing 2>/dev/null
umount -l /sys/kernel/debug/tracing 2>/dev/null
tool doctor tracefs
if [ "$status" = 3 ]; then
	sh -c "$remedy" || fail "the remedy does not work"
	returns 0 doctor tracefs
fi
