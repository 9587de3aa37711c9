#!/bin/sh
# ctest: host
# Source lines and inlined calls of a live profile and of a saved one: the same chains, with the lines of the source; and every
# frame without a line is counted with its reason.
. "${0%/*}/lib.sh"
needs perf-event

line_of() { # TEXT: the number of the one line of the fixture's source that has it
	grep -nF "$1" "$SOURCE/tests/fixtures/inlined.c" | cut -d: -f1
}
burn=$(($(line_of 'sink = sink * 31') - 1)) # the loop, or what is in it
middle=$(line_of '	st_fix_burn(i);')
outer=$(line_of '	st_fix_middle(i);')
work=$(line_of '		st_fix_outer(i);')
chain="work:inlined\\.c:$work;st_fix_outer:inlined\\.c:$outer;st_fix_middle:inlined\\.c:${middle}_\\[i\\];"
chain="${chain}st_fix_burn:inlined\\.c:($burn|$((burn + 1)))_\\[i\\] [0-9]+$"

cp "$FIXTURES/inlined" "$T/prog"
fixture_running "$T/prog"
returns 0 profile -U -f -a --lines --inlines -F 999 -p "$fixture_pid" --save "$T/with.stk" 0.5
expect_out "$chain"
refuse_out "st_fix_outer:inlined\\.c:($burn|$((burn + 1)))" # lines of what was put into it are not its own
returns 0 profile -U -F 999 -p "$fixture_pid" --save "$T/without.stk" 0.5
refuse_out 'inlined|inlined\.c'
returns 0 offcputime -U -f --inlines -p "$fixture_pid" 0.2
returns 0 count -f --inlines -U -p "$fixture_pid" -D 0.2 t:sched:sched_switch

tool profile -U -F 999 --inlines -p "$fixture_pid" --save "$T/calls.stk" 0.5
tool profile -U -F 999 --lines -p "$fixture_pid" --save "$T/lines.stk" 0.5

# The run as it was, and what was not requested
tool report "$T/with.stk"
expect_out "$chain"
returns 0 report -f -a --lines --inlines "$T/without.stk"
expect_out "$chain"
expect_err 'frames (have|has) no source line: [0-9]+ \(the debug information does not cover the address\)'
tool report -f -a --lines "$T/calls.stk"
expect_out "$chain"
refuse_err 'not looked up'
tool report --inlines --plain "$T/without.stk"
expect_out '^    st_fix_burn \(inlined\)$'
refuse_out 'inlined\.c'
tool report --lines --functions "$T/without.stk"
expect_out "st_fix_outer:inlined\\.c:($burn|$((burn + 1)))"
tool report --functions --top 1 --lines "$T/without.stk"
[ "$(wc -l <"$T/out")" = 3 ] || fail '--top 1 is not one line of the table'

# Names later, lines later
tool profile -q -U -f --lines --inlines --no-symbolize -F 999 -p "$fixture_pid" --save "$T/later.stk" 0.5
tool report -a "$T/later.stk"
expect_out "$chain"
fixture_end

# Without debug information, and with it in another place
id=$(readelf -n "$T/prog" | sed -n 's/.*Build ID: //p')
mkdir -p "$T/debug/.build-id/$(echo "$id" | cut -c1-2)"
objcopy --only-keep-debug "$T/prog" "$T/debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug"
strip --strip-debug "$T/prog"
returns 0 report --lines --inlines "$T/without.stk"
expect_out 'st_fix_outer'
refuse_out 'inlined\)|inlined\.c'
expect_err 'no source line: [0-9]+ \(neither the file nor its debug file has debug information\)'
missing() { # how many frames of the report have no line
	sed -n 's/^NOTE: \([0-9,]*\) of [0-9,]* frames ha[a-z]* no source line.*/\1/p' "$T/err"
}
tool report "$T/lines.stk"
before=$(missing)
tool report --inlines "$T/lines.stk" # what is known of lines is not missing because nothing is found any more
[ "$(missing)" = "$before" ] || fail "$(missing) frames have no line, and $before had none"
fixture_running "$T/prog"
tool profile -U -f -a --lines --inlines -F 999 -p "$fixture_pid" --debug-dir "$T/debug" 0.5
expect_out "$chain"
fixture_end

# Of split debug information the lines are there, and it is said where the calls are, live and of a saved profile
if command -v gcc >/dev/null; then
	(cd "$T" && gcc -O2 -g -gsplit-dwarf -pthread -o split "$SOURCE/tests/fixtures/inlined.c" && rm ./*.dwo) || fail 'gcc'
	missing="^NOTE: '$T/split': the inlined calls of 1 source file are not known: they are in '$T/split-inlined.dwo', which was not found"
	fixture_running "$T/split"
	tool profile -U --inlines -F 999 -p "$fixture_pid" --save "$T/split.stk" 1
	fixture_end
	expect_err "$missing"
	tool report --inlines "$T/split.stk"
	expect_out 'st_fix_outer'
	tool report --lines --inlines "$T/with.stk"
	refuse_err 'source file'
fi

# An address in the memory of a process has the chain that it has in the file
fixture inlined-dyn
address=$("$STACKTOOL" addr2sym -e "$FIXTURES/inlined-dyn" --find st_fix_outer | cut -d' ' -f1)
address=$((address + 0x14))
base=$(sed -n 's/-.*inlined-dyn$//p' "/proc/$fixture_pid/maps" | head -n 1)
"$STACKTOOL" addr2sym --lines --inlines -e "$FIXTURES/inlined-dyn" "$(printf %x "$address")" | sed 's/ \[.*\]//' >"$T/file"
returns 0 addr2sym --lines --inlines -p "$fixture_pid" "$(printf %x $((0x$base + address)))"
sed -i 's/ \[inlined-dyn\]//' "$T/out"
cmp -s "$T/file" "$T/out" || fail "in the file: $(cat "$T/file")"
[ "$(wc -l <"$T/out")" = 3 ] || fail 'not three lines'
tool addr2sym --lines -p "$fixture_pid" 10
expect_err '^stacktool addr2sym: 0x10: no source line: code in anonymous memory$'
fixture_end

# A file that is not a vmlinux of this kernel is refused before anything begins
tool profile --lines --vmlinux "$FIXTURES/inlined" 1
[ "$status" != 0 ] || fail 'any file is taken for the kernel'
expect_err 'not for this kernel: its build id is [0-9a-f]+, the kernel.s is [0-9a-f]+|the build id of the kernel is not known'
tool addr2sym -k --inlines --vmlinux "$FIXTURES/inlined" ffffffff81000000
[ "$status" != 0 ] || fail 'any file is taken for the kernel'
returns 2 report --vmlinux "$FIXTURES/inlined" "$T/with.stk"
expect_err 'argument --vmlinux: only with --lines or --inlines'

returns 2 funccount --lines 'vfs_*'
expect_err "argument --lines: events are counted without stacks; use 'stacktool count'"
