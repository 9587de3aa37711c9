#!/bin/sh
# ctest: host plain alone timeout=600
# Signals at any moment of the first third of a second, for the command or for the tool, stopped or not: the tool ends when it is told to, and
# leaves no process and no breakpoint. Alone, for the moments are those of an idle host.
. "${0%/*}/lib.sh"
needs uprobe perf-event

TRIES=$([ -n "${FULL:-}" ] && echo 200 || echo 25)
awk -v n="$TRIES" -v seed=$$ 'BEGIN {
	srand(seed)
	nr = split("STOP STOP CONT TERM INT HUP USR1 KILL", signals)
	for (i = 0; i < n; i++)
		printf "%.3f %s %s %d\n", rand() * 0.3, rand() < 0.6 ? "command" : "tool", signals[1 + int(rand() * nr)], rand() * 2
}' >"$T/tries"
cp "$FIXTURES/calls" "$FIXTURES/st-command"
fixture calls -n 1 # a bystander
exec 5<"$T/tries"

# $command: the process of the command, if there is one now. Before it executes the command it has our name.
find_command() {
	command=
	for pid in $(cat "/proc/$tool_pid/task/$tool_pid/children" 2>/dev/null); do
		case $(cat "/proc/$pid/comm" 2>/dev/null) in
		stacktool | st-command) command=${command:-$pid} ;;
		esac
	done
}

# left_of_command: states of processes that were the command
left_of_command() {
	for exe in /proc/[0-9]*/exe; do
		[ "$(readlink "$exe" 2>/dev/null)" = "$FIXTURES/st-command" ] || continue
		sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "${exe%exe}status" 2>/dev/null
	done
}

end_of_command() {
	until [ -z "$(left_of_command)" ]; do
		[ "$killed" = 0 ] || kill -CONT "$command" 2>/dev/null # nobody continues it after the SIGKILL of the tool
	done
}

while read -r moment whom signal applet <&5; do
	tool_line="try: $moment $whom $signal $applet"
	if [ "$applet" = 0 ]; then
		set -- profile -f -F 99 -o "$T/report.folded"
	else
		set -- count -f -o "$T/report.folded" "$FIXTURES/calls:st_fix_hit"
	fi
	"$FIXTURES/as" foreground "$STACKTOOL" "$@" -- "$FIXTURES/st-command" -n 100000000000 </dev/null >"$T/out" 2>"$T/err" \
		7<&- 8>&- 5<&- &
	tool_pid=$!
	sleep "$moment"
	find_command
	killed=0
	[ "$whom" = tool ] && target=$tool_pid || target=$command
	[ -z "$target" ] || kill "-$signal" "$target" 2>/dev/null
	case $whom$signal in
	toolSTOP) kill -CONT "$tool_pid" ;;
	toolKILL) killed=1 ;;
	esac
	kill -INT "$tool_pid" 2>/dev/null
	wait "$tool_pid" 2>/dev/null
	status=$?
	case $status in
	132 | 134 | 135 | 136 | 139) fail "the tool crashed: status $status" ;;
	esac
	end_of_command
	[ "$killed" = 1 ] || "$FIXTURES/leftovers" text "$fixture_pid" || fail "a breakpoint is left"
done
exec 5<&-
fixture_end

# A set-user-id program, to which the kernel sends no signal when the tool ends
killed=0
chown 65534 "$FIXTURES/st-command" && chmod 4755 "$FIXTURES/st-command"
tool_start count -f "$FIXTURES/calls:st_fix_hit" -- "$FIXTURES/st-command" -n 100000000000
until [ -n "$(left_of_command)" ]; do :; done
tool_end
end_of_command
