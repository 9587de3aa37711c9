#!/bin/sh
# ctest: boots=5.10|7.2
# One function among many on which the kernel puts no breakpoint is left out by name, the others are exact; and where a link
# stands for all of them, there is one link still, not one for every half that was tried.
. "${0%/*}/lib.sh"
needs uprobe x86-64

fixture locked 1000
tool count --explain -p "$fixture_pid" "$FIXTURES/locked:st_lk_*"
links=$(grep -c '^mechanism: uprobe.multi$' "$T/out")
tool_start funccount -p "$fixture_pid" "$FIXTURES/locked:st_lk_*"
found=$(grep -l '^link_id' "/proc/$tool_pid/fdinfo/"* 2>/dev/null | wc -l)
fixture_work
tool_end
expect_err '1 of 6 probes was refused, such as st_lk_3: the kernel cannot set a breakpoint on the instruction there'
for number in 1 2 4 5 6; do
	expect_out "^st_lk_$number +1000\$"
done
refuse_out 'st_lk_3'
[ "$links" = 0 ] || expect_equal "links" "$found" 1
fixture_end

# A link has at most 50 places: that many breakpoints stay when the process that attaches it is killed.
[ "$links" != 0 ] || exit 0
fixture places
tool_start funccount -p "$fixture_pid" -r "$FIXTURES/places:st_place_(.|..|10.)$"
expect_equal "links of 110 places" "$(grep -l '^link_id' "/proc/$tool_pid/fdinfo/"* 2>/dev/null | wc -l)" 3
tool_end
fixture_end
