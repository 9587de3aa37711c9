#!/bin/sh
# ctest: boots=-all$
# --save and report: the same bytes as the live run, without root, after everything is gone; a broken file is refused.
. "${0%/*}/lib.sh"
needs perf-event uprobe

# same ARG…: the tool with --save, then report of the file
same() {
	name=$1
	shift
	rm -f "$T/saved.stk"
	returns 0 "$@" --save "$T/saved.stk"
	cp "$T/out" "$T/live.out"
	cp "$T/err" "$T/live.err"
	[ -s "$T/saved.stk" ] || fail "$name: nothing saved"
	returns 0 report "$T/saved.stk"
	cmp -s "$T/out" "$T/live.out" || fail "$name: report differs from the live run: $(diff "$T/live.out" "$T/out" | head -n 5)"
}

fixture_running chain kernel
same text profile -F 199 -p "$fixture_pid" 0.5
expect_out 'st_fix_h'
same folded profile -f -d -a -F 199 -p "$fixture_pid" 0.5
same addresses profile -A -F 199 0.5
same count count -P -d -D 0.7 t:sched:sched_switch
same intervals count -T -i 0.3 -D 0.7 -s -A t:sched:sched_switch
same folded-count count -f -D 0.7 t:sched:sched_switch
fixture_end

# Without privileges
chmod 644 "$T/saved.stk"
returns_under 0 nobody report "$T/saved.stk"
cmp -s "$T/out" "$T/live.out" || fail "report as nobody differs"

# Broken, foreign and missing files: one line, status 1, no crash
head -c 100 "$T/saved.stk" >"$T/short.stk"
echo "not a profile" >"$T/text.stk"
: >"$T/empty.stk"
mkfifo "$T/fifo.stk"
mkdir "$T/directory.stk"
for file in short text empty fifo directory missing; do
	refused 1 "$file.stk" report "$T/$file.stk"
done
# Each byte of the head and the tables turned over: refused or read, never a crash or a hang. Not the kernel's business.
size=$(wc -c <"$T/saved.stk")
at=0
[ -z "${IN_GUEST:-}" ] || at=$size
while [ "$at" -lt "$size" ]; do
	{
		head -c "$at" "$T/saved.stk"
		printf '\377'
		tail -c +$((at + 2)) "$T/saved.stk"
	} >"$T/turned.stk"
	tool report "$T/turned.stk"
	[ "$status" -le 1 ] || fail "byte $at turned over: status $status"
	expect_printable
	at=$((at < 64 ? at + 1 : at + size / 100 + 1))
done

# Over an existing file, and where none can be
returns 0 profile --save "$T/saved.stk" -f 0.2
returns 1 profile --save /proc/nothing/x.stk -f 0.2
expect_one_line_error
