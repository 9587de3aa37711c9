#!/bin/sh
# ctest: boots=5.10|7.2
# User frames are places in files: equal stacks of processes that lie elsewhere in memory are one, by frame pointers and by unwind
# tables, and processes that have ended are named as if they were there.
. "${0%/*}/lib.sh"
needs uprobe perf-event

# Where the program's code begins
base_of() {
	sed -nE "s|^([0-9a-f]+)-.* r-xp .*/frameless-dyn$|\1|p" "/proc/$1/maps" | head -n 1
}

# Two of them with tables from the first event on
if [ "$(uname -m)" = x86_64 ]; then
	fixture frameless-dyn recurse 200
	mkfifo "$T/other.in" "$T/other.out"
	"$FIXTURES/frameless-dyn" recurse 300 <"$T/other.in" >"$T/other.out" 7<&- 8>&- &
	other=$!
	exec 6>"$T/other.in" 5<"$T/other.out"
	until [ "${word-}" = READY ]; do
		read -r word rest <&5 || fail "the other fixture ended"
	done
	[ "$(base_of "$fixture_pid")" != "$(base_of $other)" ] || fail "both lie at $(base_of $other)"
	tool_start count -f --save "$T/two.stk" -p "$fixture_pid,$other" "$FIXTURES/frameless-dyn:st_fix_leaf" 5<&- 6>&-
	go
	echo go >&6
	fixture_done
	until [ "$word" = DONE ]; do
		read -r word rest <&5 || fail "the other fixture ended without DONE"
	done
	exec 5<&- 6>&-
	wait $other
	fixture_end
	tool_wait # both have ended
	expect_status 0
	expect_equal "rows, which -p tells apart" "$(folded_rows)" 2
	plain_names "$T/out" >"$T/plain"
	expect_equal "whole, and named after the end" "$(folded_sum_of "^frameless-dyn;_start;.*;$fixture_expect [0-9]+$" "$T/plain")" 500
	refuse_err 'frames (have|has) no name'
	returns 0 report -o "$T/two.json" "$T/two.stk"
	expect_equal "rows with frames" "$(tr -d ' \n' <"$T/two.json" | grep -oE '"user":\[[0-9,]+\]' | wc -l)" 2
	expect_equal "stacks of two layouts" "$(tr -d ' \n' <"$T/two.json" | grep -oE '"user":\[[0-9,]+\]' | sort -u | wc -l)" 1
fi

# A hundred short ones (ten in a guest, where a program takes long to begin), each with a layout of its own: the row does not say
# how many there were.
[ "$(cat /proc/sys/kernel/randomize_va_space)" -ge 1 ] || fail "this host lays out all programs alike"
runs=100
[ -z "${IN_GUEST:-}" ] || runs=10
returns 0 count -f -U --unwind=fp -o "$T/report.folded" "$FIXTURES/calls-dyn:st_fix_hit" -- \
	sh -c 'i=0; while [ $i -lt $1 ]; do "$0" -n 3 >/dev/null; i=$((i + 1)); done' "$FIXTURES/calls-dyn" $runs
expect_equal "all calls" "$(folded_sum "$T/report.folded")" $((3 * runs))
expect_equal "rows of $runs processes" "$(folded_rows "$T/report.folded")" 1
plain_names "$T/report.folded" >"$T/plain"
expect_equal "named" "$(folded_sum_of '^calls-dyn;.*;st_fix_thread;st_fix_hit [0-9]+$' "$T/plain")" $((3 * runs))

# With -P each is a row of its own.
returns 0 count -f -U -P --unwind=fp -o "$T/report.folded" "$FIXTURES/calls-dyn:st_fix_hit" -- \
	sh -c '"$0" -n 3 >/dev/null; "$0" -n 3 >/dev/null' "$FIXTURES/calls-dyn"
expect_equal "rows of two processes" "$(folded_rows "$T/report.folded")" 2

# A return address of 0 ends a stack and is not a frame of it.
if [ "$(uname -m)" = x86_64 ]; then
	trace zeroroot 100 -- count -f -U --unwind=fp -p PID "$FIXTURES/zeroroot:st_fix_leaf"
	expect_status 0
	plain_names "$T/out" >"$T/plain"
	expect_equal "from the last frame that is one" "$(cat "$T/plain")" 'zeroroot;st_fix_root;st_fix_leaf 100'
	refuse_err 'frames? (have|has) no name'
fi

# A page fault at the first instruction of a function is not in the function before it, whoever walks.
if grep -qs . /sys/kernel/tracing/events/exceptions/page_fault_user/id; then
	for way in auto fp; do
		trace firstfault 200 -- count -f --unwind=$way -p PID t:exceptions:page_fault_user
		plain_names "$T/out" >"$T/plain"
		expect_equal "$way: faults at the first instruction" "$(folded_sum_of ';st_fix_faults;' "$T/plain")" 200
		expect_equal "$way: in the function before it" "$(folded_sum_of ';st_fix_before;' "$T/plain")" 0
	done
else
	echo "SKIP: this kernel has no tracepoint for page faults"
fi
