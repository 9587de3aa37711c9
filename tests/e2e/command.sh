#!/bin/sh
# ctest: boots=-all$
# count and profile with a command: every event of it from the first to the last, its own stdio, its status, the user who
# called sudo; nothing of it is left behind.
. "${0%/*}/lib.sh"
needs uprobe perf-event tracepoint:sched:sched_switch

# The fixture begins at once: its standard input is at its end.
returns 0 count -f -o "$T/report.folded" "$FIXTURES/calls:st_fix_hit" -- "$FIXTURES/calls" -n 12345 -t 2
expect_out '^DONE events=12345'
expect_equal "events" "$(folded_sum "$T/report.folded")" 12345
returns 0 count -f t:syscalls:sys_enter_getppid -- "$FIXTURES/calls" -n 1000 -k getppid
expect_equal "system calls" "$(folded_sum_of '^calls;')" 1000

# Its standard input is ours
echo words | "$STACKTOOL" count -f -o "$T/report.folded" t:sched:sched_switch -- cat >"$T/out" 2>"$T/err" || fail "cat failed"
expect_equal "what cat wrote" "$(cat "$T/out")" words

# status WANTED COMMAND…: of both applets
status() {
	want=$1
	shift
	for applet in profile "count t:sched:sched_switch"; do
		# shellcheck disable=SC2086
		tool $applet -o "$T/report.folded" -- "$@"
		expect_equal "$applet: status of $*" "$status" "$want"
	done
}
status 0 true
status 7 sh -c 'exit 7'
status 137 sh -c 'kill -9 $$'
status 143 sh -c 'kill -TERM $$'
status 127 st-no-such-command
expect_err "command 'st-no-such-command': not found"
expect_equal "errors" "$(grep -c "not found" "$T/err")" 1
tool profile -- st-no-such-command
expect_equal "what is printed" "$status $(cat "$T/out" "$T/err")" "127 stacktool profile: command 'st-no-such-command': not found"
status 127 "$T/no-such-folder/command"
: >"$T/plain"
status 126 "$T/plain"
tool profile -- "$T/plain"
expect_equal "what is printed" "$status $(cat "$T/out" "$T/err")" \
	"126 stacktool profile: command '$T/plain': cannot be executed: Permission denied"
status 126 "$T"

# Some who start programs ignore the end of children; the kernel then keeps no status, and nobody is woken by it.
"$FIXTURES/as" ignore-children "$STACKTOOL" profile -o "$T/report.folded" -- sh -c 'exit 7' >"$T/out" 2>"$T/err"
expect_equal "status under an ignored SIGCHLD" $? 7

# The tool's own failures come first, and the command is not executed then.
returns 125 count t:sched:no_such_event -- touch "$T/executed"
returns 125 count -p 1 t:sched:sched_switch -- touch "$T/executed"
returns 125 profile --no-such-option -- touch "$T/executed"
expect_err '^stacktool profile: usage: unknown option'
returns 2 profile --

# The reason is a word of the message, and in the file, also of a line that is wrong after --status-file or before.
# says STATUS OWN REASON COMMAND_STATUS ARG...
says() {
	want="\"status\":$1,\"own_status\":$2,\"reason\":\"$3\","
	command=$4
	code=$1
	shift 4
	returns "$code" "$@"
	grep -qF "$want" "$T/status" && grep -q "\"command_status\":$command}" "$T/status" ||
		fail "$*: $(cat "$T/status")"
}
says 125 2 usage null profile --no-such-option --status-file "$T/status" -- true
says 125 5 no-match null count --status-file="$T/status" t:sched:no_such_event -- true
expect_err '^stacktool count: no-match: '
says 7 0 done 7 count --status-file "$T/status" -o "$T/report.folded" t:sched:sched_switch -- sh -c 'exit 7'
says 127 1 failed 127 count --status-file "$T/status" t:sched:sched_switch -- st-no-such-command
says 5 5 no-match null count --status-file "$T/status" t:sched:no_such_event
grep -qF '"message":"tracepoint ' "$T/status" || fail "no message: $(cat "$T/status")"
returns 3 count -o "$T/report.json" t:sched:sched_switch -- sh -c 'exit 3'
grep -q '"own_status":0,"reason":"done"' "$T/report.json" || fail "JSON: no status of the run"
for option in --save -o; do
	says 2 2 usage null profile --status-file "$T/status" "$option" "$T/./status" --format stk
	expect_err "argument --status-file: '$T/./status': the report has the same name"
done
ln -s "$T/status" "$T/link"
returns 1 count --status-file "$T/link" t:sched:sched_switch
returns 125 count --status-file "$T/none/status" t:sched:sched_switch -- touch "$T/executed"
expect_err 'No such file'
returns 0 count --explain t:sched:sched_switch -- touch "$T/executed"
[ ! -e "$T/executed" ] || fail "the command was executed"

# Its time is sampled.
returns 0 profile -f -F 199 -U -- "$FIXTURES/calls" -n 300000000
expect_out '^calls;.*st_fix_'

# Whose events are missing is said by an empty report, not by another. What it starts: children.sh.
refuse_err 'nothing recorded for process'
tool count --no-children -f "$FIXTURES/calls:st_fix_hit" -- sh -c "echo | $FIXTURES/calls -n 100; :"
expect_equal "rows" "$(grep -c st_fix "$T/out")" 0
expect_err 'nothing recorded for process [0-9]+ itself \(--no-children\)$'
tool count -f "$FIXTURES/calls:st_fix_hit" -- true
expect_err 'nothing recorded for process [0-9]+ and its children$'
tool profile -e page-faults -c 1000000 -- true
expect_err 'nothing recorded for process [0-9]+ and its children; -F or -c samples more often, offcputime shows waits$'

# As the user who called sudo, with the groups of the shell that it was typed into, and with our environment. Where no such shell
# is above us the user's own group is all that is known.
for applet in profile "count t:sched:sched_switch"; do
	# shellcheck disable=SC2086
	HOME=/st-home tool_under sudo $applet -o "$T/report.folded" -- \
		sh -c 'id -u; id -g; id -G; echo $HOME; grep -c "^CapEff:[[:space:]]*0*$" /proc/self/status; exit 5'
	expect_status 5
	expect_equal "$applet: uid, gid, groups, home, no capabilities" "$(tr '\n' ' ' <"$T/out")" \
		"65534 65533 65533 4001 4002 /st-home 1 "
	# shellcheck disable=SC2086
	SUDO_UID=65534 SUDO_GID=65533 tool $applet -o "$T/report.folded" -- sh -c 'id -u; id -g; id -G'
	expect_status 0
	expect_equal "$applet: uid, gid, groups" "$(tr '\n' ' ' <"$T/out")" "65534 65533 65533 "
done
unset SUDO_UID SUDO_GID

# No filter and no restriction of the tool is the command's.
for applet in profile "count t:sched:sched_switch"; do
	# shellcheck disable=SC2086
	returns 0 $applet -o "$T/report.folded" -- sed -nE 's/^(Seccomp|NoNewPrivs):[[:space:]]*//p' /proc/self/status
	expect_equal "$applet: NoNewPrivs and Seccomp of the command" "$(cat "$T/out")" \
		"$(sed -nE 's/^(Seccomp|NoNewPrivs):[[:space:]]*//p' /proc/self/status)"
	[ -z "${IN_GUEST:-}" ] || expect_equal "$applet: in a guest" "$(tr '\n' ' ' <"$T/out")" "0 0 "
done

# The duration ends the collection, not the command.
returns 9 count -f -D 0.1 -o "$T/report.folded" t:sched:sched_switch -- sh -c 'sleep 1; echo finished; exit 9'
expect_out finished

# A signal for the tool alone: the report is printed, and the command ends with the tool.
tool_start count -f t:sched:sched_switch -- sleep 1000
child=$(for stat in /proc/[0-9]*/status; do
	awk -v parent="$tool_pid" '$1 == "Name:" { name = $2 } $1 == "Pid:" { pid = $2 }
		$1 == "PPid:" && $2 == parent && (name == "sleep" || name == "stacktool") { print pid }' "$stat" 2>/dev/null
done | head -n 1)
[ -n "$child" ] || fail "no child"
tool_end
tries=0
while [ -d "/proc/$child" ] && grep -q 'sleep' "/proc/$child/comm" 2>/dev/null && [ $tries -lt 1000 ]; do
	tries=$((tries + 1))
done
! grep -q sleep "/proc/$child/comm" 2>/dev/null || fail "the command is still there"
