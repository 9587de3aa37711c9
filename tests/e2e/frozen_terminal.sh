#!/bin/sh
# ctest: host plain
# A terminal that takes nothing (Ctrl-S, an ssh that hangs) delays the messages of a run, but not the end of its probes: they are removed
# first. Plain: a run that waits for a terminal is not for a leak checker.
. "${0%/*}/lib.sh"
needs uprobe

# Two processes, so that there is a message at the end: one of them ends before the other.
begin_targets() {
	mkfifo "$T/lines"
	exec 6<>"$T/lines"
	"$FIXTURES/calls" -n 1 <&6 >/dev/null &
	first=$!
	"$FIXTURES/calls" -n "$1" -d 1 <&6 >/dev/null &
	second=$!
}

end_targets() {
	kill "$second" 2>/dev/null
	wait "$second" 2>/dev/null
	exec 6<&-
	rm "$T/lines"
}

# frozen HOW TEXT ARG…: the tool in a terminal that is held from TEXT on
frozen() {
	how=$1 text=$2
	shift 2
	tool_line="terminal -$how stacktool $*"
	fixture terminal "-$how" 12 "$T/seen" "$text" env TERM=xterm "$STACKTOOL" "$@"
	go
	read -r _ tool <&7 || fail "$tool_line: $(cat "$T/seen" "$T/fixture.err")"
	! "$FIXTURES/leftovers" text "$second" >/dev/null || fail "$tool_line: no probe"
}

# The probe is gone while the terminal is still held.
expect_removed() {
	until "$FIXTURES/leftovers" text "$second" >/dev/null; do
		kill -0 "$tool" || fail "$tool_line: has ended"
	done
}

# Then everything is said.
thaw() {
	go
	fixture_done
	expect_equal "$tool_line: status" "$line" "$1"
	fixture_end
	tr -d '\000' <"$T/seen" | tr '\r' '\n' >"$T/out"
	end_targets
}

for how in s n; do
	begin_targets 1
	frozen "$how" 'Ctrl-C to end' count -p "$first,$second" "$FIXTURES/calls:st_fix_hit"
	kill "$first"
	wait "$first"
	kill -INT "$tool"
	expect_removed
	thaw 0
	grep -aq "^NOTE: process $first .*ended" "$T/out" || fail "the message is missing: $(cat -v "$T/out")"

	# on the live screen
	begin_targets 1
	frozen "$how" 'q end' count --tui -p "$first,$second" "$FIXTURES/calls:st_fix_hit"
	kill "$first"
	wait "$first"
	kill -INT "$tool"
	expect_removed
	thaw 0

	# The line with the time is not waited for, so the run ends by itself.
	begin_targets 1
	frozen "$how" 'Ctrl-C to end' count -D 2.5 -p "$first,$second" "$FIXTURES/calls:st_fix_hit"
	expect_removed
	kill "$first"
	wait "$first"
	thaw 0
done
