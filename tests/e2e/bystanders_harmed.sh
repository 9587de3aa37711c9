#!/bin/sh
# ctest: alone plain
# What bpf/returns.h says of the other values is true: a build that returns them does harm, where the kernel lets it.
# Alone: the build hides events from every bystander, those of other tests too.
# Plain: the build is not a sanitized one.
. "${0%/*}/lib.sh"
needs tracepoint:task:task_rename
STACKTOOL=$VARIANTS/returns

# seen NAME: what this bystander saw in the round of the fixture's last line.
seen() {
	echo "$line" | sed -nE "s/.* $1=([0-9]+).*/\\1/p"
}

fixture_running bystander -n 300 -r 3 t:task:task_rename
fixture_line
[ "$(seen count)" = 300 ] || fail "somebody else on this host hides the events: $line"
tool_start count t:task:task_rename
go
fixture_line
expect_equal "events of a counter beside a program that returns 0" "$(seen count)" 0
expect_equal "events of a ring beside a program that returns 0" "$(seen ring)" 0
tool_end
go
fixture_line
expect_equal "events of a counter after it" "$(seen count)" 300
fixture_end
echo "t:task:task_rename: a 0 hides the events from perf"

# With perf uprobes there too, which keep it, the breakpoint would stay.
"$FIXTURES/hostprobe" uprobe-multi || exit 0
trace calls -n 300 -- count -f "$FIXTURES/calls:st_fix_hit"
sum=$(folded_sum)
case $sum in
300) echo "uprobe.multi: this kernel ignores a 1" ;;
1) echo "uprobe.multi: a 1 takes the breakpoint away" ;;
*) fail "uprobe.multi: $sum of 300 events are neither one nor all" ;;
esac
