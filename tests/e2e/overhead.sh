#!/bin/sh
# ctest: alone plain
# What the programs cost is reported; too much of it is stopped with a message, probe by probe; many probes do not run for ever.
# Alone: it judges what the programs cost of all CPU time, and its guard must see no events but these.
# Plain: the cost of a sanitized program says nothing.
. "${0%/*}/lib.sh"
needs uprobe tracepoint:task:task_rename
unset STACKTOOL_MAX_OVERHEAD
cut='[0-9,]+ milliseconds? after its start the run was ended to limit its cost \(--max-overhead\)'

# counted NAME: the count of the row whose name ends so
counted() {
	awk -v name="$1" 'substr($1, length($1) - length(name) + 1) == name { sum += $2 } END { printf "%.0f\n", sum }' "$T/out"
}

busy() {
	fixture_running calls -n 1000000000 "$@"
}

enough() {
	kill "$fixture_child"
	wait "$fixture_child"
	exec 7<&- 8>&-
}

# The hotter of two probes is detached, and the run ends with the other.
both_in_turn() {
	expect_status 6
	expect_err "^stacktool funccount: ($1|$2): detached after [0-9.]+ s: .*; its later events are not counted\$"
	expect_err '^stacktool funccount: ended after [0-9.]+ s: .*; (-p or )?a rarer event costs less$'
	expect_err '^WARNING: [0-9,]+ milliseconds in which a probe was detached to limit the cost \(--max-overhead\)$'
	refuse_err 'does not add up'
	[ "$(counted "$1")" -gt 0 ] && [ "$(counted "$2")" -gt 0 ] || fail "no counts of $1 and $2"
}

# Kernel functions
if "$FIXTURES/hostprobe" kprobe >/dev/null; then
	busy -k rename
	tool funccount --strict --max-overhead 0.05 -r '^(__x64_sys_prctl|security_task_prctl)$'
	both_in_turn __x64_sys_prctl security_task_prctl
	enough
fi
[ -z "${IN_GUEST:-}" ] || exit 0 # where each start of the tool takes seconds

# A cheap run is not disturbed. With -v it prints what it cost, otherwise nothing.
trace calls -n 10000 -- count --strict -v -f "$FIXTURES/calls:st_fix_hit"
expect_equal "counted" "$(folded_sum)" 10000
expect_err '^NOTE: cost: [0-9.]+ % of all CPU time, [0-9,]+ ns an event in the programs and about 1,000 ns a trap; [0-9,]+ ms of CPU in stacktool$'
refuse_err 'detached|ended'
tool count -D 0.1 t:task:task_rename
refuse_err 'cost'
tool count -q -v -D 0.1 t:task:task_rename
refuse_err 'cost'
tool count -v -D 0.1 "$FIXTURES/calls:st_fix_hit"
expect_err '^NOTE: cost: too few events to measure; [0-9,]+ ms of CPU in stacktool$'

# Its share is of all the time in which events were counted, also of that before the command starts: the header waits.
fixture calls -n 100000
mkfifo "$T/full"
exec 9<>"$T/full"
! dd if=/dev/zero of="$T/full" oflag=nonblock bs=4096 2>/dev/null || fail "a pipe that is never full"
"$STACKTOOL" funccount -v --max-overhead off "$FIXTURES/calls:st_fix_hit" -- true >"$T/full" 2>"$T/err" 7<&- 8>&- 9<&- &
blocked=$!
until grep -q pipe_write "/proc/$blocked/wchan"; do
	kill -0 "$blocked" || fail "the tool has not waited for its reader: $(cat "$T/err")"
done
fixture_work
fixture_end
exec 6<"$T/full" 9<&-
tr -d '\0' <&6 >"$T/out"
exec 6<&-
wait "$blocked" || fail "the tool failed: $(cat "$T/err")"
share=$(sed -n 's/^NOTE: cost: \([0-9.]*\) % of all CPU time, .*/\1/p' "$T/err")
awk -v share="$share" 'BEGIN { exit !(share > 0 && share <= 100) }' || fail "cost: $(cat "$T/err")"

# beside NAME ARG…: the tool in the background, its end in $T/NAME.status; beside_end makes it the one that is looked at
beside() {
	beside_name=$1
	shift
	{
		"$STACKTOOL" "$@" >"$T/$beside_name.out" 2>"$T/$beside_name.err" </dev/null 7<&- 8>&-
		echo $? >"$T/$beside_name.status"
	} &
	beside_child=$!
}

beside_end() {
	wait "$beside_child"
	status=$(cat "$T/$beside_name.status")
	mv "$T/$beside_name.out" "$T/out"
	mv "$T/$beside_name.err" "$T/err"
}

# The only probe: the run ends with its report. Nothing ends it but the guard.
busy -k rename
STACKTOOL_MAX_OVERHEAD=0.05 beside switches offcputime -f
returns 6 count -f --strict --max-overhead 0.05 t:task:task_rename
expect_err '^stacktool count: ended after [0-9.]+ s: [0-9.]+ % of all CPU time for [0-9,]+ events a second, limit 0.05 % \(--max-overhead off lifts it\); -p or a rarer event costs less$'
expect_err "^WARNING: $cut\$"
[ "$(folded_sum)" -gt 0 ] || fail "an empty report"
# Every format says it.
returns 6 count --max-overhead 0.05 $(printf -- '-o %s ' "$T"/cut.txt "$T"/cut.folded "$T"/cut.json "$T"/cut.svg "$T"/cut.html "$T"/cut.pb.gz \
	"$T"/cut.speedscope.json "$T"/cut.perf "$T"/cut.stk) t:task:task_rename
gunzip -c "$T/cut.pb.gz" >"$T/cut.pb"
for form in txt folded json svg html pb speedscope.json perf; do
	grep -qaE "${cut#*+ }" "$T/cut.$form" || fail "cut.$form does not say that the run was ended"
done
for form in text folded summary perf; do
	returns 0 report --format "$form" "$T/cut.stk"
	expect_out "^# WARNING: $cut\$"
	expect_err "^WARNING: $cut\$"
done
for form in folded perf; do
	returns 0 report -f "$T/cut.$form"
	[ "$(folded_sum)" -gt 0 ] || fail "cut.$form is not read"
	refuse_err malformed
done
beside_end
expect_status 6
expect_err '^stacktool offcputime: ended after .*, limit 0.05 % \(--max-overhead off lifts it\)'
returns 6 stacksnoop --max-overhead 0.05 t:task:task_rename
enough

# Where nobody gave a limit it is 5 %, with -p of the CPU time of the process, which uses one CPU at most; off is none.
busy -d 64
returns 6 funccount -d 100 -p "$fixture_pid" -r "$FIXTURES/calls:st_fix_(left|right)\$"
expect_err '^stacktool funccount: st_fix_(left|right): detached after [0-9.]+ s: [0-9.]+ % of (one CPU|the CPU time of the traced processes) for [0-9,]+ events a second; all probes [0-9.]+ %, limit 5 % \(--max-overhead off lifts it\); its later'
expect_err '^stacktool funccount: ended after [0-9.]+ s: .*, limit 5 % \(--max-overhead off lifts it\); a rarer event costs less$'
returns 6 funccount -d 100 -t "$(ls "/proc/$fixture_pid/task" | tail -n 1)" "$FIXTURES/calls:st_fix_left"
expect_err '^stacktool funccount: ended after [0-9.]+ s: [0-9.]+ % of (one CPU|the CPU time of the traced processes) for '
returns 0 funccount --max-overhead off -d 2 -p "$fixture_pid" -r "$FIXTURES/calls:st_fix_(left|right)\$"
refuse_err 'ended|detached'
enough

# User functions: of one link for both, and of one for each.
busy -d 64
beside each funccount --strict --max-overhead 0.05 -p "$fixture_pid" -r "$FIXTURES/calls:st_fix_(left|right)\$"
tool funccount --strict --max-overhead 0.05 -r "$FIXTURES/calls:st_fix_(left|right)\$"
both_in_turn st_fix_left st_fix_right
if "$FIXTURES/hostprobe" uprobe-multi >/dev/null; then
	expect_err '^stacktool funccount: the other probe of its group was detached for [0-9]+ ms meanwhile$'
fi
beside_end
both_in_turn st_fix_left st_fix_right
refuse_err 'of its group'
enough

# A command is there to be traced. What others pay for its probes is limited.
returns 0 funccount "$FIXTURES/calls:st_fix_hit" -- "$FIXTURES/calls" -n 3000000
expect_equal "calls of a command" "$(counted st_fix_hit)" 3000000
refuse_err 'ended|detached'
busy
returns 125 funccount --max-overhead 0.05 "$FIXTURES/calls:st_fix_hit" -- sh -c "until grep -q ': ended ' '$T/err'; do sleep 0.1; done"
expect_err '^stacktool funccount: ended after [0-9.]+ s: [0-9.]+ % of all CPU time for [0-9,]+ events a second of others, limit 0.05 % \(--max-overhead off lifts it\); a rarer event costs less$'
enough

# More than 100 probes: five minutes, and no more without --forever.
many="$FIXTURES/calls:_IO_*"
refused 2 'duration: too long for [0-9]+ probes' count --explain -D 301 "$many"
expect_err '^  --forever'
returns 0 count --explain --forever -D 301 "$many"
tool_start count --max-overhead off "$many"
tool_end
expect_err '^stacktool count: ends after 5 minutes, the limit for [0-9]+ probes: see --forever$'
returns 0 count --max-overhead off -D 0.1 "$many"
refuse_err 'minutes'
tool_start count --max-overhead off --forever "$many"
tool_end
refuse_err 'minutes'

# So many that they are likely a mistake: refused, by our own number or that of bcc's tools
BCC_PROBE_LIMIT=1 tool count --explain 't:task:*'
expect_status 2
expect_one_line_error
expect_err ': [0-9]+ matches exceed the limit of 1 probes'
expect_err '^  .*--max-probes [0-9]+'
BCC_PROBE_LIMIT=1 tool count --explain --max-probes 10000 't:task:*'
expect_status 0
BCC_PROBE_LIMIT=1 tool count --explain --force 't:task:*'
expect_status 0
refused 2 ': [0-9]+ matches exceed the limit of 1000 probes' count --explain "$FIXTURES/calls:*"
matches=$(sed -nE 's/.*: ([0-9]+) matches.*/\1/p' "$T/err")
expect_err "^  .*--max-probes $matches$"
returns 0 count --explain --max-probes "$matches" "$FIXTURES/calls:*"
expect_equal "functions" "$(grep -c '^attach: ' "$T/out")" "$matches"
BCC_PROBE_LIMIT=$matches tool count --explain "$FIXTURES/calls:*"
expect_status 0
returns 0 count --explain --force "$FIXTURES/calls:*"
for limit in abc 0 -5 7x 99999999999; do
	BCC_PROBE_LIMIT=$limit tool count --explain "$FIXTURES/calls:st_fix_hit"
	expect_status 2
	expect_one_line_error
	expect_err "BCC_PROBE_LIMIT: '$limit' is not a number of probes"
	BCC_PROBE_LIMIT=$limit tool count --explain --max-probes 5 "$FIXTURES/calls:st_fix_hit"
	expect_status 0
done

# Nonsense
for limit in much 101 -1; do
	returns 2 count --max-overhead "$limit" t:task:task_rename
	expect_one_line_error
done
STACKTOOL_MAX_OVERHEAD=5x tool count t:task:task_rename
expect_status 2
expect_one_line_error
