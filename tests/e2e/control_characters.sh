#!/bin/sh
# ctest: host
# Control characters, escape sequences, newlines and separators in comm and symbol names never reach the output raw and
# never forge a folded line.
. "${0%/*}/lib.sh"
needs perf-event uprobe

fixture_running evil "$T"
fixture_line

for form in -f '' -A '-f -d -a'; do
	# shellcheck disable=SC2086
	returns 0 profile $form -F 199 -p "$fixture_pid" --save "$T/evil.stk" 0.5
	expect_printable
	grep -q 'vil' "$T/out" || fail "profile $form: the evil function is not there"
	cp "$T/out" "$T/live"
	tool report "$T/evil.stk"
	expect_printable
	cmp -s "$T/live" "$T/out" || fail "report differs"
done

# Folded: every line is "comm;frames count" with one comm of this process; "forged" begins no line, and the only
# semicolons are those between frames: the evil frame has the outer function before it.
returns 0 profile -f -U -F 199 -p "$fixture_pid" 0.5
expect_printable
refuse_out '^forged'
refuse_out '^ 9'
[ -z "$(grep -vE ' [0-9]+$' "$T/out")" ] || fail "a line without a count"
expect_equal "different first fields" "$(cut -d';' -f1 "$T/out" | sort -u | wc -l | tr -d ' ')" 1
expect_out ';st_fix_outer;[^;]+ [0-9]+$'
# No UTF-8 that turns text around, no 8-bit CSI
LC_ALL=C grep -q "$(printf '\342\200\256')" "$T/out" && fail "a character that turns the text"
LC_ALL=C grep -q "$(printf '\233')" "$T/out" && fail "an 8-bit escape"

# The same through count, by the file's path and a wildcard
tool_start count -P "$T/evil-copy:st_fix_ou*"
tool_end
expect_printable
returns 5 count "$T/evil-copy:no_such_name"
expect_printable
fixture_end

# Names that the user types are shown without their control characters.
returns 1 count "$(printf '/tmp/\033[31mred:malloc')"
expect_printable
