#!/bin/sh
# ctest: timeout=200 alone boots=7.2
# What a killed tool leaves: doctor finds the breakpoints, --heal removes them and those of nobody else, and so does the same pattern
# once more. Alone, for doctor looks at all processes.
. "${0%/*}/lib.sh"
needs uprobe uprobe-multi x86-64

# leave: $fixture_expect breakpoints are left in the fixture.
leave() {
	"$FIXTURES/places" leave </dev/null >"$T/tried"
	! grep -q '^NO' "$T/tried" || skip "a killed tool leaves no breakpoint on this kernel"
	fixture places leave
	! "$FIXTURES/leftovers" text "$fixture_pid" >"$T/teeth" || fail "a breakpoint is not seen by this test"
}

clean() {
	"$FIXTURES/leftovers" text "$fixture_pid" || fail "$*"
}

# Found and healed
leave
returns 0 doctor breakpoints
expect_out '^breakpoints +partly +[0-9,]+ breakpoints? at [0-9,]+ places? without a known probe, such as in process [0-9]+: 0x[0-9a-f]+ of .*/places'
expect_equal "found" "$(sed -nE 's/^breakpoints +partly +([0-9,]+) .*/\1/p' "$T/out" | tr -d ,)" "$fixture_expect"
expect_out '^    remedy: stacktool doctor --heal'
returns 0 doctor --heal
expect_out "^$fixture_expect breakpoints? removed"
clean "after --heal"
returns 0 doctor --heal
expect_out '^no breakpoints left by killed tools$'
fixture_work
expect_equal "the fixture" "$line" "calls=2000"
fixture_end
returns 0 doctor breakpoints
expect_out '^breakpoints +yes +none found( in the processes that this user may inspect)?$'

# Without descriptors for maps and pagemap it does not know; one that may raise its limit raises it. The sanitizers' library needs one to
# start, so nothing that this shell inherited may take it.
few='^breakpoints +unknown +none found, but not all processes could be inspected$' few_status=3
capabilities=$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)
if [ $((0x$capabilities >> 24 & 1)) = 1 ]; then # CAP_SYS_RESOURCE
	few='^breakpoints +yes +none found$' few_status=0
fi
for limit in 4 5; do
	status=0
	(
		exec >"$T/out" 2>"$T/err" 3<&- 4<&- 5<&- 6<&- 7<&- 8>&- 9<&- && ulimit -n "$limit" &&
			exec "$STACKTOOL" doctor breakpoints
	) || status=$?
	expect_status $few_status
	expect_out "$few"
done

# The same pattern once more
leave
returns 0 funccount -d 0.1 --force --max-probes=3000 "$FIXTURES/places:st_place_*"
clean "after the same pattern"
fixture_end

# SIGKILL in the middle of attaching: the child that attaches a link goes on, and undoes it.
for try in 1 2 3; do
	fixture places kill
	"$STACKTOOL" funccount --force --max-probes=3000 "$FIXTURES/places:st_place_*" >"$T/out" 2>"$T/err" </dev/null 7<&- 8>&- &
	tool_pid=$!
	echo "$tool_pid" >&8
	fixture_line
	expect_equal "fixture" "$line" KILLED
	tool_wait 2>/dev/null
	expect_equal "killed" "$status" 137
	until "$FIXTURES/leftovers" text "$fixture_pid" >/dev/null; do :; done
	echo 0 >&8
	fixture_done
	expect_equal "breakpoints" "$line" left=0
	fixture_end
done

# Those of a run that goes on stay: of links, of perf events for one process, and of tracefs.
fixture places
trap 'echo 0 >/sys/kernel/tracing/events/st_breakpoints_$$/first/enable; echo "-:st_breakpoints_$$/first" >>/sys/kernel/tracing/uprobe_events; rm -rf "$T"' EXIT
echo "p:st_breakpoints_$$/first $FIXTURES/places:$("$STACKTOOL" count --explain "$FIXTURES/places:st_place_9" |
	sed -nE 's/.*file offset (0x[0-9a-f]+).*/\1/p')" >>/sys/kernel/tracing/uprobe_events || fail "no probe by tracefs"
echo 1 >/sys/kernel/tracing/events/st_breakpoints_$$/first/enable
tool_out=$T/all tool_start funccount -r "$FIXTURES/places:st_place_1.$"
all_pid=$tool_pid
tool_out=$T/one tool_start funccount -r -p "$fixture_pid" "$FIXTURES/places:st_place_2$"
tool doctor breakpoints
expect_out '^breakpoints +yes +none found( in the processes that this user may inspect)?$'
tool doctor --heal
expect_out '^no breakpoints left'
fixture_work
tool_end
tool_pid=$all_pid
tool_end
expect_equal "functions of all processes" "$(grep -cE '^st_place_1[0-9] +1$' "$T/all")" 10
expect_equal "the one of the process" "$(grep -cE '^st_place_2 +1$' "$T/one")" 1
echo 0 >/sys/kernel/tracing/events/st_breakpoints_$$/first/enable
echo "-:st_breakpoints_$$/first" >>/sys/kernel/tracing/uprobe_events
trap 'rm -rf "$T"' EXIT
clean "after the run"
fixture_end

# One that the program has written itself is not a probe's: it stays, and doctor does not say whose it is.
fixture places int3
tool doctor breakpoints
expect_out '^breakpoints +partly +1 breakpoint at 1 place without a known probe'
returns 0 doctor --heal
expect_out '^0 breakpoints removed'
expect_out '^    not removed: another tool uses them, or the kernel did not set them'
fixture_end

# Nor is a byte of generated code that looks like one.
fixture places rewritten
returns 0 doctor breakpoints
expect_out '^breakpoints +yes +none found( in the processes that this user may inspect)?$'
fixture_end

# Without privileges
returns_under 3 nobody doctor breakpoints
expect_out '^breakpoints +unknown '
tool_under nobody doctor --heal
expect_printable
returns 2 doctor --heal btf
expect_one_line_error
