#!/bin/sh
# ctest: boots=-all$
# PIDs are those of the tool's own pid namespace: pid 1 there is not pid 1 of the host.
. "${0%/*}/lib.sh"
needs perf-event pid-namespace uprobe

inside() {
	tool_line="in a pid namespace with spin as pid 1: $*"
	"$FIXTURES/as" pid-namespace "$FIXTURES/spin" -- "$@" >"$T/out" 2>"$T/err" </dev/null
	status=$?
}

inside "$STACKTOOL" profile -f -F 199 -p 1 1
expect_status 0
expect_out '^spin;.*st_fix_spin'
[ -z "$(grep -v '^spin;' "$T/out")" ] || fail "other processes than pid 1"
inside "$STACKTOOL" profile -F 199 -p 1 1
expect_out '^    -                spin \(1\)$'
# shellcheck disable=SC2016
inside sh -c 'exec "$0" profile -f -F 199 -L "$SPIN_TID" 1' "$STACKTOOL"
expect_status 0
expect_out '^spin;.*st_fix_spin'

# Of processes outside nothing is known but addresses: that is the reason, not that they had no code.
fixture_running chain spin
inside "$STACKTOOL" profile -U -f -F 199 0.5
fixture_end
expect_status 0
expect_err 'frames have no name: .*the process is outside of our pid namespace'
refuse_err '[0-9]{2,} \(no code was mapped there\)' # one can be of the tool's own walk

# A command and its children, which the kernel knows by other pids
inside "$STACKTOOL" count -P -U "$FIXTURES/family:st_fix_hit" -- "$FIXTURES/family" 100
expect_status 0
expect_equal "calls of a family" "$(text_sum)" 600
expect_equal "its members" "$(grep -oE '^    family \[[0-9]+\]$' "$T/out" | sort -u | wc -l)" 6

# The same with the commands that people type
if "$FIXTURES/hostprobe" program:unshare >/dev/null; then
	unshare -pf --mount-proc "$FIXTURES/spin" -- "$STACKTOOL" profile -f -F 199 -p 1 1 >"$T/out" 2>"$T/err" </dev/null
	status=$?
	expect_status 0
	expect_out '^spin;.*st_fix_spin'
fi

# count, too: the process in the namespace is found by its pid there, and its calls are all there
# shellcheck disable=SC2016
inside sh -c '
	mkfifo "$3/go" "$3/ready" "$3/said"
	"$1/calls" -n 1000 <"$3/go" >"$3/said" &
	exec 8>"$3/go" 7<"$3/said"
	read -r _ <&7; read -r _ pid <&7
	STACKTOOL_READY_FD=9 "$1/as" foreground "$2" count -P -p "$pid" "$1/calls:st_fix_hit" 9>"$3/ready" 8>&- 7<&- &
	tool=$!
	read -r _ <"$3/ready"
	echo go >&8
	read -r _ <&7
	kill -INT $tool
	wait $tool
	status=$?
	echo "fixture pid $pid"
	echo end >&8
	exit $status' - "$FIXTURES" "$STACKTOOL" "$T"
expect_status 0
expect_equal "calls counted" "$(text_sum)" 1000
pid=$(sed -n 's/^fixture pid //p' "$T/out")
expect_out "^    calls \[$pid\]$"
