#!/bin/sh
# ctest: guest boots=preempt-full timeout=400
# With full preemption a build with one scratch slot per CPU fails the exactness suite: its programs preempt each other.
. "${0%/*}/lib.sh"
needs uprobe

STACKTOOL=$VARIANTS/one_slot
exactly "$FIXTURES/calls:st_fix_hit" "-t 8"
[ "$lost" -gt 0 ] || fail "one slot per CPU lost nothing: the suite would not notice"
