# SPDX-License-Identifier: GPL-2.0-or-later
# Functions for e2e scripts, whose first command is `. "${0%/*}/lib.sh"`. Runs under dash, bash and busybox sh.
#
# The script then runs on its own stage (fixtures/stage.c): private mounts with tracefs, a deadline, and a check for
# processes left behind. $T is an empty directory.
#
#   needs QUESTION…       skips unless fixtures/hostprobe answers yes to all
#   needs_unwinder        skips if the tool has no unwinder
#   fixture NAME ARG…     starts a fixture, and waits until it is READY: $fixture_pid, $fixture_expect
#   go                    makes it begin; `fixture_line` reads its next line, `fixture_done` waits for DONE
#   fixture_running NAME ARG…
#                         fixture and go
#   fixture_work          go and fixture_done; `field NAME` prints the value of NAME=… in its line
#   fixture_end           ends it and waits; its status must be 0
#   tool ARG…             runs the tool to its end: $status, $T/out, $T/err
#   returns N ARG…        the same; its status must be N
#   returns_under N CIRCUMSTANCES ARG…
#                         the same under circumstances of fixtures/as.c
#   refused N REGEX ARG…  the same; it prints nothing but one error message, which matches
#   tool_start ARG…       starts it and returns when everything is attached: $tool_pid
#   tool_signal SIGNAL    tool_wait [N]: $status, which must be N, $T/out, $T/err
#   tool_end [N]          SIGINT, and waits; its status must be N (0)
#   trace FIXTURE ARG… -- TOOL-ARG…
#                         runs the tool during all of the fixture's work. The word PID in its arguments, alone or at the end
#                         of a list, stands for the fixture's pid
#   expect_status N       expect_out REGEX, refuse_out REGEX, expect_err REGEX, refuse_err REGEX (extended)
#   fail MESSAGE
#
# Nothing waits by sleeping: the tool writes a line to the descriptor in STACKTOOL_READY_FD when everything is attached;
# a fixture prints READY and waits for a line.

# shellcheck shell=sh disable=SC2034
: "${STACKTOOL:?path of the tool}" "${FIXTURES:?directory of the fixtures}" "${ON_STAGE=}"

# The deadline: STAGE_SECONDS, or a little less than the timeout in the script's "ctest:" line, so that the stage ends it
# and prints what hangs.
if [ -z "$ON_STAGE" ]; then
	seconds=$(sed -nE '1,4s/^# ctest:.*timeout=([0-9]+).*/\1/p' "$0")
	ON_STAGE=1 exec "$FIXTURES/stage" "${STAGE_SECONDS:-$((${seconds:-300} - 15))}" "$0" "$@"
fi

set -u
export LC_ALL=C
T=$(mktemp -d "${TMPDIR:-/tmp}/st-e2e.XXXXXX") || exit 1
chmod 755 "$T"
trap 'rm -rf "$T"' EXIT
# Probes belong to files, so a test that runs beside others has its own copy of the fixtures. In a guest, tests run alone.
if [ -z "${IN_GUEST:-}" ]; then
	cp -r "$FIXTURES" "$T/fixtures" || exit 1
	FIXTURES=$T/fixtures
fi
unset STACKTOOL_READY_FD
export STACKTOOL_MAX_OVERHEAD=off # most fixtures are endless loops

# ---- verdicts ----

fail() {
	echo "FAIL: $*"
	for file in out err; do
		[ -s "$T/$file" ] || continue
		echo "--- std$file of the tool ($(wc -l <"$T/$file") lines)"
		head -n 40 "$T/$file" | cat -v
	done
	[ -n "${tool_line-}" ] && echo "--- command: $tool_line (status ${status-})"
	exit 1
}

skip() {
	echo "SKIP: $*"
	exit 77
}

needs() {
	no=$("$FIXTURES/hostprobe" root "$@") || skip "$no"
}

# quota_group PERIOD_US QUOTA_US: makes the cgroup $group with this quota, by the cpu controller of version 1 or 2; it goes at the end.
quota_group() {
	root=$(sed -nE 's/^[^ ]+ [^ ]+ [^ ]+ [^ ]+ ([^ ]+) .* - cgroup [^ ]+ .*\<cpu(,.*)?$/\1/p' /proc/self/mountinfo | head -n 1)
	if [ -n "$root" ]; then
		group=$root/st-quota-$$
		mkdir "$group" || skip "no cgroup can be made in $root"
		echo "$1" >"$group/cpu.cfs_period_us" && echo "$2" >"$group/cpu.cfs_quota_us" || fail "no quota"
	else
		root=$(sed -nE 's/^[^ ]+ [^ ]+ [^ ]+ [^ ]+ ([^ ]+) .* - cgroup2 .*/\1/p' /proc/self/mountinfo | head -n 1)
		grep -qw cpu "$root/cgroup.controllers" 2>/dev/null || skip "no cgroup has a quota of CPU time"
		echo +cpu >"$root/cgroup.subtree_control" || skip "the cpu controller of $root is not to be had"
		group=$root/st-quota-$$
		mkdir "$group" || skip "no cgroup can be made in $root"
		echo "$2 $1" >"$group/cpu.max" || fail "no quota"
	fi
	trap 'rmdir "$group" 2>/dev/null; rm -rf "$T"' EXIT
}

needs_unwinder() {
	[ "$(uname -m)" = x86_64 ] || skip "unwind tables are for x86_64"
	! "$STACKTOOL" --version | grep -q '^unwinder: none' || skip "built without the unwinder"
}

expect_status() {
	[ "$status" = "$1" ] || fail "status $status, not $1"
}

expect_out() {
	grep -qE -- "$1" "$T/out" || fail "no line of stdout matches: $1"
}

refuse_out() {
	! grep -qE -- "$1" "$T/out" || fail "a line of stdout matches: $1"
}

expect_err() {
	grep -qE -- "$1" "$T/err" || fail "no line of stderr matches: $1"
}

refuse_err() {
	! grep -qE -- "$1" "$T/err" || fail "a line of stderr matches: $1"
}

# expect_equal WHAT IS SHOULD
expect_equal() {
	[ "$2" = "$3" ] || fail "$1: $2, not $3"
}

# An error message: one line that names the tool, perhaps a second one with advice, and no output of libbpf or of a crash.
# Notes of the report (NOTE, WARNING) are not errors.
expect_one_line_error() {
	expect_equal "errors on stderr" "$(grep -c '^stacktool' "$T/err")" 1
	lines=$(grep -cvE '^(NOTE|WARNING): ' "$T/err")
	[ "$lines" -le 2 ] || fail "$lines lines on stderr"
	refuse_err 'libbpf|Segmentation|Sanitizer|core dumped'
}

# The tool prints the reason in one line that matches, and no report.
expect_refusal() {
	expect_err "$1"
	refuse_out .
	expect_one_line_error
}

# No byte of any stream may be a control character (but tab and newline), DEL, C1 or invalid UTF-8.
expect_printable() {
	for file in "$T/out" "$T/err"; do
		LC_ALL=C tr -d '\11\12\40-\176\200-\377' <"$file" >"$T/control"
		[ ! -s "$T/control" ] || fail "control characters in $file: $(od -An -tx1 "$T/control" | head -n 3)"
	done
}

# ---- fixtures ----

# fixture NAME ARG…: only one at a time, because it uses the descriptors 7 and 8.
fixture_before= # words before the command line of a fixture
fixture() {
	fixture_named main "$@"
}

fixture_named() {
	fixture_name=$1
	shift
	rm -f "$T/fixture.in" "$T/fixture.out"
	mkfifo "$T/fixture.in" "$T/fixture.out"
	program=$1
	case $program in
	/*) ;;
	*) program=$FIXTURES/$program ;;
	esac
	shift
	exec 8<>"$T/fixture.in"
	$fixture_before "$program" "$@" <"$T/fixture.in" >"$T/fixture.out" 2>"$T/fixture.err" 8>&- &
	fixture_child=$!
	exec 7<"$T/fixture.out"
	fixture_expect=
	while read -r word rest <&7; do
		case $word in
		EXPECT) fixture_expect=$rest ;;
		READY)
			fixture_pid=$rest
			return 0
			;;
		esac
	done
	fail "fixture $program $* did not get ready: $(cat "$T/fixture.err")"
}

go() {
	echo go >&8
}

# Reads the next line of the fixture into $line.
fixture_line() {
	read -r line <&7 || fail "the fixture ended: $(cat "$T/fixture.err")"
}

# Waits for DONE; the rest of that line is in $line.
fixture_done() {
	while read -r word line <&7; do
		[ "$word" = DONE ] && return 0
	done
	fail "the fixture ended without DONE: $(cat "$T/fixture.err")"
}

# Before others on a busy host: it works all the time, and the tool has to find it on a CPU within a second or less. (A guest runs one
# test at a time, and has no nice.)
fixture_running() {
	[ -n "${IN_GUEST:-}" ] || fixture_before='nice -n -10'
	fixture "$@"
	fixture_before=
	go
}

# Hundredths of a second of CPU time
ticks() {
	set -- $(cut -d')' -f2- "/proc/$1/stat")
	echo $((${12} + ${13}))
}

# until_used PID TICKS: of CPU time, from now on
until_used() {
	until=$(($(ticks "$1") + $2))
	while [ "$(ticks "$1")" -lt "$until" ]; do sleep 0.05; done
}

fixture_work() {
	go
	fixture_done
}

field() {
	echo "$line" | tr ' ' '\n' | sed -n "s/^$1=//p"
}

fixture_end() {
	exec 8>&- # it ends when its stdin is closed
	wait "$fixture_child"
	fixture_status=$?
	exec 7<&-
	[ "$fixture_status" = 0 ] || fail "the fixture's status is $fixture_status: $(cat "$T/fixture.err")"
}

# ---- the tool ----

# Runs the tool without our descriptors of the fixture.
tool() {
	tool_line="stacktool $*"
	"$STACKTOOL" "$@" >"$T/out" 2>"$T/err" </dev/null 7<&- 8>&-
	status=$?
}

returns() {
	returned=$1
	shift
	tool "$@"
	expect_status "$returned"
}

# tool_under CIRCUMSTANCES ARG…: fixtures/as.c
tool_under() {
	circumstances=$1
	shift
	tool_line="[$circumstances] stacktool $*"
	"$FIXTURES/as" "$circumstances" "$STACKTOOL" "$@" >"$T/out" 2>"$T/err" </dev/null 7<&- 8>&-
	status=$?
}

returns_under() {
	returned=$1
	shift
	tool_under "$@"
	expect_status "$returned"
}

# refused STATUS REGEX ARG…
refused() {
	returned=$1
	refusal=$2
	shift 2
	tool "$@"
	expect_status "$returned"
	expect_refusal "$refusal"
}

tool_start() {
	tool_start_under foreground "$@"
}

# Replaces PID, alone or at the end of a list, by the fixture's pid.
tool_start_on_fixture() {
	for argument; do
		shift
		case $argument in
		PID | *,PID) argument=${argument%PID}$fixture_pid ;;
		esac
		set -- "$@" "$argument"
	done
	tool_start "$@"
}

tool_start_under() {
	circumstances=$1
	shift
	tool_line="stacktool $*"
	rm -f "$T/ready"
	mkfifo "$T/ready"
	STACKTOOL_READY_FD=9 "$FIXTURES/as" "$circumstances" "$STACKTOOL" "$@" 9>"$T/ready" \
		>"${tool_out:-$T/out}" 2>"$T/err" </dev/null 7<&- 8>&- &
	tool_pid=$!
	if ! read -r line <"$T/ready"; then
		wait "$tool_pid"
		status=$?
		fail "the tool ended before it was attached"
	fi
}

process_field() {
	awk -v name="$1:" '$1 == name { print $2 }' "/proc/$2/status"
}

children_named() {
	for stat in /proc/[0-9]*/stat; do
		read -r whole 2>/dev/null <"$stat" || continue
		after=${whole##*) }
		parent=${after#* }
		case $whole in
		*"($2)"*) [ "${parent%% *}" != "$1" ] || echo "$(echo "$after" | cut -d' ' -f20) ${whole%% *}" ;;
		esac
	done | sort -n | cut -d' ' -f2
}

symbol_workers() {
	children_named "$(children_named "$tool_pid" stacktool-super | head -n 1)" stacktool-sym
}

tool_signal() {
	kill "-$1" "$tool_pid" || fail "the tool has ended already"
}

tool_wait() {
	wait "$tool_pid"
	status=$?
	[ $# = 0 ] || expect_status "$1"
}

tool_end() {
	tool_signal INT
	tool_wait "${1:-0}"
}

trace() {
	traced=
	while [ "$1" != -- ]; do
		traced="$traced $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # words
	fixture $traced
	tool_start_on_fixture "$@"
	fixture_work
	tool_end
	fixture_end
}

# ---- reading reports ----

# Removes offsets, modules and the kernel mark from names.
plain_names() {
	sed -E 's/\+0x[0-9a-f]+//g; s/ \[[^];]*\]//g; s/_\[k\]//g' "$@"
}

# The sum of the values of folded output. awk's %d stops at 2^31 in some builds, %.0f does not.
folded_sum() {
	awk '{ sum += $NF } END { printf "%.0f\n", sum }' "${1:-$T/out}"
}

# The sum of the values of folded lines that match REGEX.
folded_sum_of() {
	grep -E -- "$1" "${2:-$T/out}" | awk '{ sum += $NF } END { printf "%.0f\n", sum }'
}

folded_rows() {
	grep -c . "${1:-$T/out}"
}

# The sum of the counts in stackcount's text: lines of four spaces and a number.
text_sum() {
	awk '/^    [0-9]+$/ { sum += $1 } END { printf "%.0f\n", sum }' "${1:-$T/out}"
}

# Turns messages about one loss into their plural, by the words of bpf/losses.h (tests/lint/losses.sh checks each of them).
said_as_of_many() {
	sed -E '/^[A-Z]+: 1 /!b
		s/^([A-Z]+: 1 ((kernel|user|address space|malformed|stale|impossible) )?)(event|wait|call|transition|nanosecond|sample|record|message|stack|thread|waker|millisecond|process|entry) /\1\4s /
		s/^([A-Z]+: 1 stale )entrys (.*): the thread /\1entries \2: the threads /
		s/^([A-Z]+: 1 )processs /\1processes /
		s/^([A-Z]+: 1 (event|thread)s) was /\1 were /
		s/ timed: it began / timed: they began /
		s/ (but|or|at|of|began:) its / \1 their /'
}

# Splits the lines about user stacks and about timed samples into a line for each kind of loss, in the words of bpf/losses.h.
said_of_losses() {
	sed -E '/ samples of all processes taken/{
			s/^[A-Z]+: /NOTE: /
			s/, ([0-9,]+) late \(/\
WARNING: \1 samples came late (/g
			s/, ([0-9,]+) skipped \(/\
WARNING: \1 samples skipped (/g
			s/, ([0-9,]+) on idle CPUs/\
WARNING: \1 samples of idle CPUs/g
			b
		}
		/ user stacks? complete/!b
		s/^[A-Z]+: (all )?([0-9,]+)( of [0-9,]+)? user stacks? complete( \([0-9.]+%\))?/NOTE: \2 user stacks complete/
		s/, ([0-9,]+) (truncated|guessed|walked|of 32-bit|could not)/\
WARNING: \1 user stacks \2/g
		s/ \(([^()]*)\)(\n|$)/: \1\2/g' "$1"
}

# said_of REGEX [FILE]: the number before a sentence of bpf/losses.h, in its plural; 0 if it was not printed.
said_of() {
	said_of_losses "${2:-$T/err}" | tr -d , | said_as_of_many | sed -nE "s/^[A-Z]*: ([0-9]+) ($1).*/\\1/p" |
		awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

# The events that the tool reports as lost: every sentence of class EVENT.
lost_events() {
	said_of 'events not recorded|events not counted|events not shown|waits not|malformed messages|events missed|events lost' "$@"
}

# The minimum time that a report must have for the waits in the last line of the fixture `offcpu`, without those reported as
# missed. The fixture measures it, because its timer may expire before it has left the CPU. A tenth is subtracted, in a guest half:
# the host may stop an emulated CPU between the kernel's two readings of a clock (70 of 790 ms have been seen).
least_waited() {
	blocked=$(echo "$line" | sed -n 's/.*blocked_us=\([0-9]*\).*/\1/p')
	longest=$(echo "$line" | sed -n 's/.*longest_us=\([0-9]*\).*/\1/p')
	[ "$blocked" -gt 0 ] || fail "the fixture has not waited: $line"
	echo $((blocked * $([ -z "${IN_GUEST:-}" ] && echo 9 || echo 5) / 10 - $(said_of 'waits not counted') * longest))
}

# Whether programs of system calls and of fentry can be preempted, as on kernels whose tracepoints may fault. Such a kernel may
# skip events of any process, and counts them (docs/use/probes.md).
programs_are_preempted() {
	tr '\0' '\n' </sys/kernel/btf/vmlinux | grep -qx faultable
}

# ---- the exactness suite ----

# At default sizes nothing is lost, except that a sanitized tool is too slow for a hundred thousand new stacks at once.
expect_none_lost() {
	[ -n "${SANITIZED:-}" ] || expect_equal "lost" "$lost" 0
}

# `EVENTS=1000000 ./dev test e2e -- -R exact` and `./dev vm-exact` use a million events. Emulated guests are ten to twenty times
# slower than hosts, and so is a sanitized tool that reports 100,000 stacks: they use fewer events and only 2 threads.
SLOW=${IN_GUEST:-${SANITIZED:-}}
EVENTS=${EVENTS:-$([ -n "$SLOW" ] && echo 20000 || echo 200000)}
THREADS=$([ -n "$SLOW" ] && echo 2 || echo "1 2 8")

# exactly PATTERN "FIXTURE-ARGS" [TOOL-ARG…]: each of $EVENTS events is in the report or reported as lost ($lost).
exactly() {
	exact_pattern=$1
	exact_fixture=$2
	shift 2
	# shellcheck disable=SC2086
	trace calls -n "$EVENTS" $exact_fixture -- count -f "$@" "$exact_pattern"
	sum=$(folded_sum)
	lost=$(lost_events)
	echo "calls $exact_fixture; count -f $* $exact_pattern: $sum counted + $lost lost, $(folded_rows) rows"
	[ $((sum + lost)) = "$EVENTS" ] || fail "$sum counted and $lost named as lost are not $EVENTS"
	refuse_err 'does not add up|identity'
}
