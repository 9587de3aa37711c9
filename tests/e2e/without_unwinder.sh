#!/bin/sh
# ctest: host plain
# A build without the unwinder has all of its callers by frame pointers, says what it is, and refuses what it cannot.
# Plain: the build is not a sanitized one.
. "${0%/*}/lib.sh"
needs perf-event

STACKTOOL=$VARIANTS/without_unwinder
returns 0 --version
expect_out '^unwinder: none'

fixture_running chain spin
returns 0 profile -f -U --plain -F 199 -p "$fixture_pid" 1
expect_out "$fixture_expect"
refuse_err 'unwind'
refuse_err 'user stacks'
returns 3 profile --unwind=dwarf -p "$fixture_pid" 1
expect_err '^stacktool profile: --unwind=dwarf: this stacktool was built without the unwinder$'
fixture_end
