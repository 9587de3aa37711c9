#!/bin/sh
# ctest: boots=^5.10$
# --pidns: all of the processes in a pid namespace and in those below it, and none of the others; by number, path and process.
. "${0%/*}/lib.sh"
needs uprobe perf-event pid-namespace tracepoint:sched:sched_switch

# Of a host that is itself in a pid namespace this is all that can be seen.
if [ "$(readlink /proc/self/ns/pid)" != 'pid:[4026531836]' ]; then
	returns 3 profile --pidns $$ 1
	expect_err 'the depth of this pid namespace'
	exit 0
fi

entering="$FIXTURES/as pid-namespace"
case $(command -v unshare) in
/*) entering="$(command -v unshare) -pf --mount-proc" ;; # as people type it
esac

# counted N ARG…: the fixture calls a thousand times in the namespace of a namespace, another five hundred times outside
counted() {
	want=$1
	shift
	tool_start "$@" "$FIXTURES/calls:st_fix_hit"
	go
	printf '\n\n' | "$FIXTURES/calls" -n 500 >/dev/null
	fixture_done
	tool_end
	fixture_end
	expect_equal "$tool_line" "$(folded_sum)" "$want"
	refuse_err 'does not add up'
}

inside() {
	# shellcheck disable=SC2086
	fixture $entering "$FIXTURES/as" pid-namespace "$@"
	outer=$(readlink "/proc/$fixture_child/ns/pid_for_children")
}

inside "$FIXTURES/calls" -n 1000
counted 1000 count -f --pidns "$outer"
if [ -z "${IN_GUEST:-}" ]; then # the same in other words
	inside "$FIXTURES/calls" -n 1000
	counted 1000 count -f --pidns "$(echo "$outer" | tr -dc 0-9)"
	inside "$FIXTURES/calls" -n 1000
	counted 1000 count -f --pidns "/proc/$fixture_child/ns/pid_for_children"
fi
inside "$FIXTURES/calls" -n 1000
counted 1500 count -f --pidns $$
inside "$FIXTURES/calls" -n 1000
mkfifo "$T/hold" "$T/said" # another one beside it
exec 6<>"$T/hold"
$entering "$FIXTURES/calls" -n 1 <"$T/hold" >"$T/said" 6>&- 8>&- 7<&- &
other=$!
read -r _ <"$T/said"
counted 0 count -f --pidns "$(readlink "/proc/$other/ns/pid_for_children")"
exec 6>&-
wait "$other"

# threads off the CPU, and what they wait for
inside "$FIXTURES/offcpu" pair 10 20000
tool_start offcputime -v -f --pidns "$outer"
fixture_work
tool_end
expect_out '^st-sleeper;.*st_off_wait'
[ -z "$(grep -vE '^(st-|offcpu|as;)' "$T/out")" ] || fail "threads from outside"
refuse_err 'does not add up|already off the CPU'
fixture_end

# timed samples
inside "$FIXTURES/spin"
go
returns 0 profile -f -F 199 --pidns "$outer" 0.5
expect_out '^spin;.*st_fix_spin'
[ -z "$(grep -v '^spin;' "$T/out")" ] || fail "processes from outside"
fixture_end

refused 5 "'4294967290': it has no process" profile --pidns 4294967290 1
refused 5 'it has no process' profile --pidns 'pid:[4294967290]' 1
refused 1 "'/proc/self/ns/nothing': No such file" profile --pidns /proc/self/ns/nothing 1
refused 2 'not a pid namespace' profile --pidns /proc/self/ns/mnt 1
refused 2 'not a namespace file' profile --pidns /proc/version 1
for text in pid:4026531836 'pid:[4026531836' 'pid:[12]' 'mnt:[4026531832]' 99999999999 4026531836x x -1; do
	refused 2 'is not a pid namespace' profile --pidns "$text" 1
done
gone=$(($(cat /proc/sys/kernel/pid_max) - 1))
while [ -d "/proc/$gone" ]; do gone=$((gone - 1)); done
refused 1 "process $gone: no such process" profile --pidns "$gone" 1

# From inside, the way up is not seen
tool_line="in a pid namespace: profile --pidns"
"$FIXTURES/as" pid-namespace "$STACKTOOL" profile --pidns /proc/self/ns/pid 1 >"$T/out" 2>"$T/err" </dev/null
status=$?
expect_status 3
expect_one_line_error
expect_err 'the depth of this pid namespace'
