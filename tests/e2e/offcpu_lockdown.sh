#!/bin/sh
# ctest: guest boots=lockdown
# The whole family works where the kernel keeps its memory secret from programs: it reads by plain dereference only.
. "${0%/*}/lib.sh"
needs btf

trace offcpu pair 10 20000 -- offcputime -f -p PID
expect_out '^st-sleeper;.*st_off_wait'
trace offcpu pair 10 20000 -- offwaketime -f -p PID
expect_out '^st-sleeper;.*st_off_wait;.*;--;.*st_off_wake;.*;st-waker [0-9]+$'
expect_out '^st-waker;.*;--;.*;\[(irq|softirq)\] [0-9]+$'
trace offcpu pair 10 20000 -- wakeuptime -f -p PID
expect_out '^st-waker;.*;st-sleeper [0-9]+$'
trace offcpu sleep 5 2000 -- offcputime -K --histogram -p PID
expect_out '^        [0-9]+ intervals?: shortest [0-9]+(-[0-9]+)?, mean [0-9]+, longest [0-9]+(-[0-9]+)?$'

# A pid namespace below the initial one, too
fixture "$FIXTURES/as" pid-namespace "$FIXTURES/offcpu" pair 10 20000
tool_start offcputime -f --pidns "/proc/$fixture_child/ns/pid_for_children"
fixture_work
tool_end
expect_out '^st-sleeper;.*st_off_wait'
[ -z "$(grep -vE '^(st-|offcpu|as;)' "$T/out")" ] || fail "threads from outside"
fixture_end
