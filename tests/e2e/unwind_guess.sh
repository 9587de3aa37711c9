#!/bin/sh
# A caller that is not proved is marked in every format, and its stack does not count as complete.
. "${0%/*}/lib.sh"
needs uprobe
needs_unwinder

leaf=$FIXTURES/nocfi-dyn:st_fix_leaf

# A frame pointer that skips no caller: nothing is guessed.
trace nocfi-dyn chain 200 -- count -v -f -p PID "$leaf"
plain_names "$T/out" >"$T/plain"
expect_equal "proved" "$(folded_sum_of "^[^;]*;_start(;[^;]+)*;$fixture_expect [0-9]+$" "$T/plain")" 200
expect_err '^NOTE: all 200 user stacks complete$'

# One that skips two callers.
trace nocfi-dyn skipped 200 -- count -f -p PID --save "$T/guess.stk" "$leaf"
expect_err '^WARNING: 200 user stacks guessed: a caller of code without unwind information is not proved$'
plain_names "$T/out" >"$T/plain"
expect_equal "folded" \
	"$(folded_sum_of '^[^;]*;_start(;[^;]+)*;main;st_fix_work\?;st_fix_hidden;st_fix_leaf [0-9]+$' "$T/plain")" 200
for format in text json svg html pprof speedscope perf; do
	returns 0 report --format "$format" "$T/guess.stk"
	cp "$T/out" "$T/guess.$format"
done
for format in text perf; do
	grep -Eq '^\s.*\bst_fix_work\?' "$T/guess.$format" || fail "$format: no mark"
done
grep -q '"name":"st_fix_work",[^}]*"guessed":true' "$T/guess.json" || fail "json: no mark"
grep -q 'st_fix_work?' "$T/guess.svg" || fail "svg: no mark"
grep -q 'st_fix_work?' "$T/guess.html" || fail "html: no mark"
grep -q '"name":"st_fix_work?"' "$T/guess.speedscope" || fail "speedscope: no mark"
gzip -dc "$T/guess.pprof" | grep -aq guessed || fail "pprof: no label"

# A leaf without a frame: the caller is the word at the stack pointer, after a call that leads there.
needs perf-event
fixture_running nocfi-dyn bare 0
tool profile --strict -f -F 199 -p "$fixture_pid" 1
expect_status 4
plain_names "$T/out" >"$T/plain"
refuse_out ';st_fix_top;st_fix_bare|;main;st_fix_bare'
[ "$(folded_sum_of ';main;st_fix_work;st_fix_top;st_fix_below\?;st_fix_bare [0-9]+$' "$T/plain")" -gt 0 ] ||
	fail "no guess: $(cat "$T/out")"
expect_equal "counted" "$(folded_sum_of 'st_fix_below\?' "$T/plain")" "$(said_of 'user stacks guessed')"
fixture_end
