#!/bin/sh
# ctest: host
# Debian's own programs without frame pointers: the shares of their paths and leaves are those that perf finds by itself, and all
# but one stack in a thousand begin where the program does (tests/runtimes/against_perf; ./dev runtimes perf: more of them, longer).
. "${0%/*}/lib.sh"
needs perf-event program:perf program:readelf
needs_unwinder

export STACKTOOL SECONDS_EACH=2 TRIES=3
programs='python3 bash perl sort xz openssl cc1'
[ -z "${SANITIZED:-}" ] || programs=bash
# shellcheck disable=SC2086
"$SOURCE/tests/runtimes/against_perf" $programs >"$T/out" 2>&1 || fail "not as perf has it"
cat "$T/out"
refuse_out '^n/a'
