#!/bin/sh
# ctest: boots=-all$
# --unwind: what each of its ways finds in the same program, and what the report says; with what it does not go together.
. "${0%/*}/lib.sh"
needs perf-event
needs_unwinder

# Code with frame pointers and no table, in a loop without end
way() {
	fixture jit
	tool profile -v -f -F 997 "$@" -p "$fixture_pid" 1
	fixture_end
	expect_status 0
	plain_names "$T/out" >"$T/plain"
	all=$(folded_sum "$T/plain")
	[ "$all" -ge 10 ] || fail "only $all samples"
}
# nearly N WHAT: nearly all samples are
nearly() {
	[ $(($1 * 10)) -ge $((all * 9)) ] || fail "$1 of $all samples $2"
}
here='st_jit_new in a script:7'

way -U --unwind=auto
nearly "$(folded_sum_of "^jit;_start;.*main;$here [0-9]+$" "$T/plain")" "are whole"
nearly "$(said_of 'user stacks complete')" "are complete, says the report"

way -U --unwind=dwarf
nearly "$(folded_sum_of "^jit;\[no unwind information\];$here [0-9]+$" "$T/plain")" "end in code without a table"
nearly "$(said_of 'user stacks truncated: code with neither unwind information')" "end there, says the report"

# The fixture keeps frame pointers, its C library does not: nobody says whether that was the root.
way -U --unwind=fp
nearly "$(folded_sum_of ";main;$here [0-9]+$" "$T/plain")" "have the callers"
refuse_err 'user stack'
refuse_err 'unwind'

way --unwind=off
refuse_out 'st_jit|;main'
refuse_err 'user stack|unwind'
fixture jit
tool profile --unwind=off -p "$fixture_pid" 1
fixture_end
expect_out 'by kernel stack'
way -K --unwind=off
refuse_out 'st_jit|;main'

for word in dwar aut fpp of; do
	refused 2 "^stacktool profile: argument --unwind: '$word': unknown method: did you mean '(dwarf|auto|fp|off)'\?$" profile --unwind=$word -p $$ 1
done
for word in frames none ''; do
	refused 2 "^stacktool profile: argument --unwind: '$word': unknown method: give auto, fp, dwarf or off$" profile --unwind=$word -p $$ 1
done
refused 2 "^stacktool profile: argument --unwind-mem: '0' is out of range: give 1 to 1024$" profile --unwind-mem=0 -p $$ 1
refused 2 "^stacktool profile: argument --unwind-mem: '1025' is out of range: give 1 to 1024$" profile --unwind-mem=1025 -p $$ 1
refused 2 "^stacktool profile: argument --unwind-mem: 'much' is not a number: give 1 to 1024$" profile --unwind-mem=much -p $$ 1
for way in fp off; do
	refused 2 '^stacktool profile: argument --unwind-mem: only with --unwind=auto or --unwind=dwarf$' profile --unwind=$way --unwind-mem=64 -p $$ 1
done
for way in auto fp dwarf; do
	refused 2 '^stacktool profile: argument --unwind: this run takes no user stacks$' profile -K --unwind=$way -p $$ 1
done
refused 2 '^stacktool profile: argument --unwind-mem: this run takes no user stacks$' profile -K --unwind-mem=64 -p $$ 1
refused 2 "^stacktool profile: argument --unwind: 'off' is not allowed: this run takes only user stacks$" profile -U --unwind=off -p $$ 1
refused 2 '^stacktool funccount: argument --unwind: this run takes no user stacks$' funccount --unwind=dwarf -p $$ c:malloc
# What stacksnoop shows of user code is a user stack.
returns 0 stacksnoop --unwind=dwarf --explain -p $$ c:malloc
refused 2 "this run takes no user stacks$" stacksnoop --unwind=dwarf -p $$ t:sched:sched_switch
