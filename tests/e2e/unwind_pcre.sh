#!/bin/sh
# Whole stacks through code that PCRE's compiler has made: its functions keep no frame pointer, and call parts of themselves.
# ctest: host
. "${0%/*}/lib.sh"
needs perf-event program:grep
needs_unwinder
echo a | grep -qP a || skip "this grep has no PCRE"

seq 30000 >"$T/numbers"
# a loop in one function; parts that are called at each character
for pattern in '(\d)(\d).*\2\1.*\1$' '\b(\w+)\b.*\b\1\b'; do
	while cat "$T/numbers"; do :; done 2>/dev/null | grep -cP "$pattern" >"$T/count" &
	grep_pid=$!
	until_used "$grep_pid" 10
	tool_start profile -f -U -F 499 -p "$grep_pid"
	until_used "$grep_pid" 50
	tool_end
	kill "$grep_pid"
	wait "$grep_pid"
	# frames of generated code have no name
	grep -qE '^grep;.*;__libc_start_main;.*pcre2[^;]*;(\[unknown\];)*\[unknown\] [0-9]+$' "$T/out" || fail "$pattern: no stack of generated code"
	refuse_out 'no unwind information'
done
