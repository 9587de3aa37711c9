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
	frozen "$how" 'for 2.5 secs' count -D 2.5 -p "$first,$second" "$FIXTURES/calls:st_fix_hit"
	expect_removed
	kill "$first"
	wait "$first"
	thaw 0
done

# frozen_from_start HOW ARG…: the same, but the terminal is held before the tool begins
frozen_from_start() {
	how=$1
	shift
	tool_line="terminal -$how stacktool $*"
	mkfifo "$T/start"
	# shellcheck disable=SC2016 # the inner shell's
	fixture terminal "-$how" 12 "$T/seen" GO sh -c 'echo GO; read -r _ <"$1"; shift; exec "$@"' - "$T/start" "$STACKTOOL" "$@"
	go
	read -r _ tool <&7 || fail "$tool_line: $(cat "$T/seen" "$T/fixture.err")"
	echo start >"$T/start"
	rm "$T/start"
}

# The tool ends with a report, or without its rest, or a second signal has ended it.
end_interrupted() {
	go
	fixture_done
	exec 8>&-
	wait "$fixture_child"
	status=$?
	exec 7<&-
	case $status in 0 | 1 | 130) ;; *) fail "$tool_line: status $status" ;; esac
}

has_ended() {
	grep -q '^State:.Z' "/proc/$tool/status"
}

# It catches or blocks SIGTERM, bit 14.
until_it_listens() {
	until grep -qE '^Sig(Blk|Cgt):.*[4567cdef]...$' "/proc/$tool/status"; do :; done
}

for how in s n; do
	# Its first line waits for the terminal. Ctrl-C again ends that.
	begin_targets 1
	frozen_from_start "$how" count -p "$first,$second" "$FIXTURES/calls:st_fix_hit"
	while "$FIXTURES/leftovers" text "$second" >/dev/null; do
		! has_ended || fail "$tool_line: has ended"
	done
	until "$FIXTURES/leftovers" text "$second" >/dev/null || has_ended; do
		kill -INT "$tool"
	done
	"$FIXTURES/leftovers" text "$second" || fail "$tool_line: a breakpoint is left"
	end_interrupted
	kill "$first"
	wait "$first"
	end_targets

	# Before anything is attached the line is left out.
	frozen_from_start "$how" count "$FIXTURES/calls:st_fix_hit"
	until_it_listens
	until has_ended; do
		kill -INT "$tool"
	done
	end_interrupted
done
