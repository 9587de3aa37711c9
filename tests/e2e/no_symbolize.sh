#!/bin/sh
# ctest: host
# --no-symbolize keeps build ids instead of names; report finds the names where the program is, and from a bundle where it
# is not; a program with another build id is not believed.
. "${0%/*}/lib.sh"
needs perf-event

cp "$FIXTURES/chain" "$T/prog"
fixture_running "$T/prog" spin
returns 0 profile -U -F 199 --no-symbolize --save "$T/saved.stk" -p "$fixture_pid" 1
refuse_out 'st_fix_'
expect_out '\[unknown\] \[prog\]'
expect_err 'not looked up'
fixture_end

returns 0 report "$T/saved.stk"
expect_out 'st_fix_h\+0x[0-9a-f]+ \[prog\]'
tool diff -f "$T/saved.stk" "$T/saved.stk"
expect_out ';st_fix_h'
returns 0 bundle "$T/saved.stk" "$T/files"
expect_out '^[0-9]+ files?, [0-9.]+ MB; on the other host: stacktool report --debug-dir'

# Without the program, and with another one in its place
rm "$T/prog"
returns 0 report "$T/saved.stk"
refuse_out 'st_fix_'
cp "$FIXTURES/spin" "$T/prog"
tool report "$T/saved.stk"
refuse_out 'st_fix_'
returns 0 bundle "$T/saved.stk" "$T/none"
expect_err "NOTE: '$T/prog' skipped: not found, or its build id has changed"

# As somebody else on another host, with the bundle
chmod 755 "$T"
chmod -R a+rX "$T/files" "$T/saved.stk"
returns_under 0 nobody report --debug-dir "$T/files" "$T/saved.stk"
expect_out 'st_fix_h\+0x[0-9a-f]+ \[prog\]'
tool_under nobody diff -f --debug-dir "$T/files" "$T/saved.stk" "$T/saved.stk"
expect_out ';st_fix_h'
tool_under nobody flame --format folded --debug-dir "$T/files" "$T/saved.stk"
expect_out ';st_fix_h'
