#!/bin/sh
# ctest: boots=5.10
# What a program keeps below its stack pointer survives a probe. A kernel that turns 5-byte nops into calls gets no probe on one inside a
# function, and --explain, the run and doctor say so; with other kernels it is probed. Which kind this one is, a probe of tracefs shows.
. "${0%/*}/lib.sh"
needs uprobe x86-64 file:/sys/kernel/tracing/uprobe_events

FILE=$FIXTURES/redzone
ROUNDS=500
GROUP=st_red_zone_$$

returns 0 count --explain "u:$FILE:wide"
offset=$(sed -nE 's/^attach: .*wide \(file offset (0x[0-9a-f]+)\).*/\1/p' "$T/out")

# Without the tool
fixture redzone $ROUNDS
echo "p:$GROUP/wide $FILE:$offset" >>/sys/kernel/tracing/uprobe_events || fail "no probe by tracefs"
echo 1 >"/sys/kernel/tracing/events/$GROUP/wide/enable"
fixture_work
echo 0 >"/sys/kernel/tracing/events/$GROUP/wide/enable"
echo "-:$GROUP/wide" >>/sys/kernel/tracing/uprobe_events
fixture_end
echo "probed by tracefs: $line"
case $line in
"wide=0 narrow=0 entry=0") overwrites= ;;
"wide=$((ROUNDS - 1)) narrow=0 entry=0") overwrites=1 ;;
*) fail "the kernel does something else: $line" ;;
esac

# probe EXPECTED-EVENTS PATTERN TOOL-ARG…: nothing is lost in the program.
probe() {
	events=$1
	pattern=$2
	shift 2
	fixture redzone $ROUNDS
	tool_start_on_fixture count -f "$@" "$pattern"
	fixture_work
	tool_end
	fixture_end
	expect_equal "$pattern: values that were overwritten" "$line" "wide=0 narrow=0 entry=0"
	expect_equal "$pattern: events" "$(folded_sum)" "$events"
}

for only in "" "-p PID"; do
	# shellcheck disable=SC2086
	{
		probe $((overwrites ? ROUNDS : 2 * ROUNDS)) "u:$FILE:*" $only
		if [ -n "$overwrites" ]; then
			expect_err '1 of 2 probes was refused, such as st_red:wide: this kernel replaces the 5-byte nop there by a call'
		else
			refuse_err refused
		fi
		probe $ROUNDS "u:$FILE:narrow" $only
		probe $ROUNDS "$FILE:st_fix_entry" $only
		refuse_err refused
	}
done

returns 0 count --explain "u:$FILE:*"
expect_out '^attach: .*:st_red:narrow \(file offset 0x[0-9a-f]+\)$'
[ -z "$overwrites" ] || expect_out '^attach: .*:st_red:wide .*: skipped: this kernel replaces the 5-byte nop there by a call'
returns 0 doctor red-zone
expect_out "^red-zone +$([ -n "$overwrites" ] && echo partly || echo yes) "
tool count -D 0.1 "u:$FILE:wide"
expect_status $((overwrites ? 3 : 0))
[ -z "$overwrites" ] || expect_one_line_error
