#!/bin/sh
# ctest: host plain
# With file capabilities a user without root counts, samples and names; what a command gets is none of them.
. "${0%/*}/lib.sh"
needs uprobe perf-event
command -v setcap >/dev/null && command -v setpriv >/dev/null || skip "no setcap(8) or setpriv(1)"

cp "$STACKTOOL" "$T/stacktool"
chmod 755 "$T" "$T/stacktool"
setcap cap_bpf,cap_perfmon,cap_syslog,cap_sys_ptrace,cap_dac_read_search,cap_checkpoint_restore+ep "$T/stacktool" 2>"$T/err" ||
	skip "no file capabilities here: $(cat "$T/err")"
as_user() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@" >"$T/out" 2>"$T/err" || status=$?
}
status=0
as_user "$T/stacktool" --version
[ "$status" = 0 ] || skip "a program with these capabilities cannot be executed here: $(cat "$T/err")"
chmod 755 "$FIXTURES" "$FIXTURES/calls"
as_user "$T/stacktool" count -f "$FIXTURES/calls:st_fix_hit" -- "$FIXTURES/calls" -n 1000
expect_equal "status" "$status" 0
expect_equal "events" "$(folded_sum_of st_fix_hit)" 1000
as_user "$T/stacktool" profile -f -F 99 -- grep CapEff /proc/self/status
expect_equal "status" "$status" 0
expect_out '^CapEff:.0000000000000000$'
