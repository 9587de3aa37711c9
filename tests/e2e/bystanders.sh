#!/bin/sh
# ctest: alone plain timeout=400
# Who traces the same events sees what they saw before: a counter and a ring of perf_event_open(), tracefs, a BPF program and a
# second stacktool. Three rounds of exactly N events each: alone, beside the tool, after it.
# Alone: a classic tracepoint program of anybody else, bpftrace's in bystanders_perf too, hides events from the bystanders.
# Plain: the same commands are in count_forms, stacksnoop and the tests of the off-CPU family.
. "${0%/*}/lib.sh"
needs tracepoint:task:task_rename

N=300

# saw WHEN: the fixture's next line has the number of events everywhere.
saw() {
	go
	fixture_line
	# shellcheck disable=SC2086
	set -- "$1" $line
	[ "$2" = SAW ] || fail "the fixture says: $line"
	when=$1 made=$3
	shift 3
	for number; do
		case $number in
		*=- | *="$made") ;;
		*) fail "$watched $when: $made events, but the bystanders saw $line" ;;
		esac
	done
	case $line in
	*count=[0-9]*ring=[0-9]*trace=[0-9]*bpf=[0-9]*) ;;
	*) missing="$missing $watched" ;;
	esac
}

# beside EVENT TOOL-ARG…: the bystanders watch EVENT; PID is theirs.
beside() {
	watched=$1
	shift
	missing=
	fixture bystander -n $N -r 3 "$watched"
	saw alone
	tool_start_on_fixture "$@"
	saw "beside stacktool $*"
	tool_end
	saw "after stacktool $*"
	echo "$watched beside stacktool $*: all of $made${missing:+, without some kinds of bystanders}"
	fixture_end
}

# In a guest, which is slow, only where FULL is set.
also() {
	[ -n "${IN_GUEST:-}" ] && [ -z "${FULL:-}" ] || "$@"
}

rename=t:task:task_rename
enter=t:syscalls:sys_enter_getppid
leave=t:syscalls:sys_exit_getppid
switch=t:sched:sched_switch
seen=$FIXTURES/bystander:st_fix_seen

beside $rename count $rename
also beside $rename count -p PID "t:task:*"
also beside $rename funccount $rename
beside $rename stacksnoop -p PID $rename
beside $enter count $enter
beside $leave count -r 't:syscalls:sys_(enter|exit)_getppid'
# Beside another event that of a system call is a classic one.
beside $enter count -r 't:(syscalls|task):(sys_enter_getppid|task_rename)'
also beside $rename count -r 't:(syscalls|task):(sys_enter_getppid|task_rename)'
also beside $switch count $switch
beside $switch profile -F 999
also beside $rename profile -F 999
also beside $switch offcputime
beside $switch offwaketime
beside $switch wakeuptime

if no=$("$FIXTURES/hostprobe" uprobe); then
	beside u count "$seen"
	beside u count -p PID "$seen"
	also beside u count -p PID "$FIXTURES/bystander:st_fix_*"
	also beside u funccount "$FIXTURES/bystander:st_*"
	beside u stacksnoop -p PID "$seen"
	also beside u profile -F 999
else
	echo "no uprobes: $no"
fi

if no=$("$FIXTURES/hostprobe" kprobe); then
	called=$(grep -xE '__(do|x64|arm64)_sys_getppid' /sys/kernel/tracing/available_filter_functions | head -n 1)
	hows=
	for how in multi kprobe fentry; do
		tool count --explain "--attach=$how" "$called"
		[ "$status" = 0 ] || continue
		hows="$hows $how"
		beside "k:$called" count "--attach=$how" "$called"
		also beside "k:$called" funccount "--attach=$how" "$called"
		also beside "$enter" count "--attach=$how" "$called"
	done
	beside "k:$called" stacksnoop -p PID "$called"
else
	echo "no kprobes: $no"
fi

# second EVENT "TOOL-ARG…" TOOL-ARG…: a second stacktool: what came in all three rounds.
second() {
	watched=$1
	tool=$2
	shift 2
	fixture bystander -n $N -r 3 "$watched"
	# shellcheck disable=SC2086 # words
	tool_out=$T/first.out tool_start count -f -p "$fixture_pid" $tool
	first=$tool_pid
	saw alone
	tool_start_on_fixture "$@"
	saw "beside two"
	tool_end
	saw "after one of two"
	tool_pid=$first
	tool_end
	expect_equal "$watched: events that a second stacktool saw" "$(folded_sum "$T/first.out")" $((3 * N))
	echo "$watched: stacktool count $tool beside stacktool $*: all of $((3 * N))"
	fixture_end
}

second $rename $rename count $rename
second $enter $enter count $enter
also second $rename $rename count -r 't:(syscalls|task):(sys_enter_getppid|task_rename)'
! "$FIXTURES/hostprobe" uprobe >/dev/null || second u "$seen" count "$seen"
! "$FIXTURES/hostprobe" uprobe >/dev/null || also second u "$seen" count -p PID "$FIXTURES/bystander:st_fix_*"
! "$FIXTURES/hostprobe" kprobe >/dev/null || second "k:$called" "$called" count "$called"

# By fentry, whose trampoline shares the entry of the function with the kernel's other probes, beside the kind we choose.
case ${hows:-} in
*fentry*)
	second "k:$called" "--attach=fentry $called" count "$called"
	for how in $hows; do
		also second "k:$called" "--attach=fentry $called" count "--attach=$how" "$called"
	done
	;;
*) echo "no fentry" ;;
esac
