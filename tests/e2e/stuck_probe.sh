#!/bin/sh
# ctest: alone host plain
# A process that holds the lock of its memory: the kernel neither attaches nor removes probes in its files meanwhile, and the tool does
# not wait for it. Alone, for no process of the host can fork meanwhile: this script only uses what the shell has built in.
# On the host: guests have no FUSE. Plain: a child that is left shares the memory that the leak checker reads.
. "${0%/*}/lib.sh"
needs uprobe

# held: FUSE must be permitted.
held() {
	"$FIXTURES/grip" </dev/null >"$T/tried" 2>&1
	! grep -q '^NO' "$T/tried" || skip "FUSE is not permitted here"
}
held

why="process [0-9]+ \(grip\) holds the lock of its memory; until it lets go, no process of this host can fork"

# Attaching: nothing is attached, and the error names the process.
for only in '' p; do
	fixture grip
	go
	fixture_line
	expect_equal "the fixture" "$line" HELD
	tool count ${only:+-p "$fixture_pid"} "$FIXTURES/grip:st_fix_grip"
	go
	fixture_line
	expect_equal "was it held until then" "$line" "DONE released"
	expect_status 1
	expect_err "^stacktool count: st_fix_grip: cannot attach: $why\$"
	refuse_out .
	fixture_end
done

# Detaching: the report comes, and a line says what is left to whom.
for only in '' p; do
	fixture grip
	tool_start count ${only:+-p "$fixture_pid"} "$FIXTURES/grip:st_fix_grip"
	go
	fixture_line
	expect_equal "the fixture" "$line" HELD
	tool_signal INT
	tool_wait 0
	go
	fixture_line
	expect_equal "was it held until then" "$line" "DONE released"
	expect_err "^stacktool count: 1 probe is not removed yet: $why; process [0-9]+ removes it then\$"
	expect_out '^    1$'
	remover=$(sed -nE 's/.*; process ([0-9]+) removes it then$/\1/p' "$T/err")
	while [ -d "/proc/$remover" ]; do :; done
	"$FIXTURES/leftovers" text "$fixture_pid" || fail "a breakpoint is left"
	fixture_end
done

# nr_probers: how many children make calls, without a process of ours
count_probers() {
	nr_probers=0
	for comm in /proc/[0-9]*/comm; do
		name=
		read -r name 2>/dev/null <"$comm"
		[ "$name" != stacktool-probe ] || nr_probers=$((nr_probers + 1))
	done
}

# is_said: whether the line about what is left has come
is_said() {
	while read -r said; do
		case $said in
		*'not removed yet'*) return 0 ;;
		esac
	done <"$T/err"
	return 1
}

# Many links: at most four children wait. Ctrl-C again and again does not end the tool before they have the probes.
for again in '' again; do
	fixture grip
	tool_start count -p "$fixture_pid" "$FIXTURES/grip:st_grip_*"
	go
	fixture_line
	expect_equal "the fixture" "$line" HELD
	tool_signal INT
	until is_said; do
		[ -z "$again" ] || tool_signal INT
	done
	count_probers
	[ "$nr_probers" -le 4 ] || fail "$nr_probers children wait"
	tool_wait
	go
	fixture_line
	expect_equal "was it held until then" "$line" "DONE released"
	expect_err "^stacktool count: 300 probes are not removed yet: $why; process [0-9]+ removes them then\$"
	[ -n "$again" ] || expect_status 0
	until "$FIXTURES/leftovers" text "$fixture_pid" >/dev/null; do :; done
	fixture_end
done

# doctor --heal probes the places of breakpoints that a killed tool left. That does not wait for the process either.
if "$FIXTURES/hostprobe" x86-64 >/dev/null; then
	fixture grip int3
	go
	fixture_line
	expect_equal "the fixture" "$line" HELD
	tool doctor --heal
	go
	fixture_line
	expect_equal "was it held until then" "$line" "DONE released"
	expect_status 1
	expect_err "^stacktool doctor: breakpoints: not removed yet: $why\$"
	refuse_out .
	fixture_end
fi

# When it has let go, everything is as before
trace calls -n 1000 -- count -f -p PID "$FIXTURES/calls:st_fix_hit"
expect_equal "events" "$(folded_sum)" 1000
