#!/bin/sh
# ctest: boots=5.10|7.2
# The filter of a container refuses seccomp(): no process of stacktool can have a system call filter. The run goes on with all names,
# and says so.
. "${0%/*}/lib.sh"
needs perf-event

fixture_running spin
returns_under 0 no-seccomp profile -f -F 199 -p "$fixture_pid" 1
expect_out ';st_fix_spin'
expect_err '^NOTE: the symbol worker ran without a system call filter'
refuse_err 'worker ended'
fixture_end

returns_under 0 no-seccomp doctor symbol-worker
expect_out "container's filter refuses seccomp\(\)"
