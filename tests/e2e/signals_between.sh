#!/bin/sh
# ctest: plain boots=5.10
# A signal at any moment, from the first steps of the tool to the end of detaching, ends it with a report or with a line, and leaves no
# breakpoint in a bystander.
. "${0%/*}/lib.sh"
needs uprobe x86-64

SIGNALS='INT TERM HUP QUIT ALRM USR1 USR2 VTALRM PWR XFSZ'
# The tool has one way for all of them; a kernel's own is what detaching does.
[ -z "${IN_GUEST:-}" ] || [ -n "${FULL:-}" ] || SIGNALS='INT TERM XFSZ'
MOMENTS=$([ -n "$SLOW" ] && echo 1 || { [ -n "${FULL:-}" ] && echo 8; } || echo 2)
WINDOW_MS=$([ -n "$SLOW" ] && echo 6000 || echo 400)
PLACES=$([ -n "${IN_GUEST:-}" ] && echo 'st_place_1.?$' || echo 'st_place_') # 5.10 takes one after the other out

fixture places
awk -v n=200 -v window="$WINDOW_MS" -v seed=$$ 'BEGIN { srand(seed); for (i = 0; i < n; i++) printf "%.3f\n", rand() * window / 1000 }' >"$T/moments"
exec 5<"$T/moments"

# It catches or blocks SIGTERM, bit 14.
until_it_listens() {
	while read -r word mask 2>/dev/null; do
		case $word$mask in
		Sig[BC]??:*[4567cdef]???) return 0 ;;
		esac
	done <"/proc/$tool_pid/status"
	return 1
}

# signal_at FIRST [SECOND]: each at its moment.
signal_at() {
	tool_line="stacktool funccount, $*"
	"$FIXTURES/as" foreground "$STACKTOOL" funccount -r --force --max-overhead=off --max-probes=3000 \
		--status-file "$T/status" "$FIXTURES/places:$PLACES" >"$T/out" 2>"$T/err" </dev/null 7<&- 8>&- 5<&- &
	tool_pid=$!
	until until_it_listens; do
		kill -0 "$tool_pid" 2>/dev/null || break
	done
	for signal; do
		read -r moment <&5
		sleep "$moment"
		kill "-$signal" "$tool_pid" 2>/dev/null
	done
	[ "$1" != XFSZ ] || kill -INT "$tool_pid" 2>/dev/null # a write that finds no room fails, and that is all
	tool_wait 2>/dev/null
	if [ $# = 1 ] || [ "$status" = 0 ]; then
		expect_status 0
		grep -q '^Detaching' "$T/out" || expect_err 'stopped by a signal before anything was attached: nothing was counted'
	elif [ "$status" -le 128 ]; then
		fail "status $status"
	fi
	grep -qE "\"state\":\"ended\",\"status\": *$status," "$T/status" || fail "$*: status $status, $(cat "$T/status")"
	"$FIXTURES/leftovers" text "$fixture_pid" || fail "$*: a breakpoint is left"
}

for signal in $SIGNALS; do
	for i in $(seq "$MOMENTS"); do
		signal_at $signal
	done
	signal_at INT $signal
done
fixture_end
