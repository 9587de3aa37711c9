#!/bin/sh
# ctest: alone boots=-all$
# Ctrl-C while names are late: a line within a tenth of a second, the report within three seconds, at the second Ctrl-C at once. The
# names that are missing are counted. A run that ends at once has no such line.
# Alone: it judges the time on the clock.
. "${0%/*}/lib.sh"
needs uprobe

HALF=$([ -n "${IN_GUEST:-}" ] && echo 3 || echo 1) # a guest is slow
NAMES=$([ -n "${SANITIZED:-}" ] && echo 800 || echo 250) # hundredths that a first Ctrl-C leaves for names
LINE='^stacktool count: stopping: '

# Hundredths of a second since the host started.
now() {
	read -r uptime _ </proc/uptime
	echo "${uptime%.*}${uptime#*.}"
}

# within WHAT HUNDREDTHS SINCE
within() {
	took=$(($(now) - $3))
	[ "$took" -le $(($2 * HALF)) ] || fail "$1: after $took hundredths of a second, not $2"
}

# The worker does not answer.
start_with_silent_worker() {
	fixture chain calls 100
	tool_start count -f -p "$fixture_pid" "$FIXTURES/chain:st_fix_leaf"
	fixture_work
	worker=$(symbol_workers)
	kill -STOP "$worker" || fail "no symbol worker below the tool"
}

# stop_and_await PATTERN HUNDREDTHS: sends SIGINT, and waits at most so long for a line in the messages
stop_and_await() {
	since=$(now)
	tool_signal INT
	until grep -q "$1" "$T/err"; do
		within "the line" "$2" "$since"
	done
}

expect_late_names() {
	expect_equal "events" "$(folded_sum_of . "$T/out")" 100
	expect_err 'the run was stopped before the name was found'
	! kill -0 "$worker" 2>/dev/null || fail "the worker is still there"
	fixture_end
}

fixture chain calls 100
tool_start count -f -p "$fixture_pid" "$FIXTURES/chain:st_fix_leaf"
fixture_work
since=$(now)
tool_end
[ $(($(now) - since)) -ge 9 ] || refuse_err "$LINE"
fixture_end

start_with_silent_worker
stop_and_await "$LINE" 25 # 0.1 s, and what the loop takes on a busy host
tool_wait 0
within "the report" $((NAMES + 70)) "$since"
[ $(($(now) - since)) -ge $((NAMES - 50)) ] || fail "names were not waited for"
expect_late_names

start_with_silent_worker
stop_and_await "$LINE.*names" 100
since=$(now)
tool_signal INT
tool_wait 0
within "the report after the second signal" 60 "$since"
expect_late_names
