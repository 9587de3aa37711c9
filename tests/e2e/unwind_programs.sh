#!/bin/sh
# ctest: boots=5.10
# Whole stacks of programs that make it hard: in children by vfork and fork, of libraries that come and go, in the kernel's own
# code. What cannot be whole, in programs that live for half a millisecond, is named.
. "${0%/*}/lib.sh"
needs uprobe perf-event
needs_unwinder

# In guests as many as show it
if [ -n "${IN_GUEST:-}" ] && [ -z "${FULL:-}" ]; then forks=120 execs=40 loads=300; else forks=300 execs=200 loads=1000; fi
# Whole: from the root of the thread
root='([^;]*;)?(_start|clone3?|__clone3?)(;[^;]+)*;'

# Children of a command, from their first instruction on: they have the tables of their parent, once it has them, which on a
# busy host is not before the command begins. Every try is exact.
for shape in vfork fork; do
	for try in 1 2 3 4; do
		returns 0 count -v -f -U -o "$T/report.folded" "$FIXTURES/frameless-dyn:st_fix_leaf" -- "$FIXTURES/frameless-dyn" $shape $forks
		plain_names "$T/report.folded" >"$T/plain"
		expect_equal "$shape: all events" "$(folded_sum "$T/plain")" $forks
		expect_equal "$shape: all told" "$(said_of 'user stacks (complete|walked by frame pointers|truncated:)')" $forks
		whole=$(folded_sum_of "^$root""main;st_fix_work;st_fix_$shape;st_fix_leaf [0-9]+$" "$T/plain")
		echo "$shape, try $try: $whole of $forks whole"
		[ $((whole * 6)) -lt $((forks * 5)) ] || break
	done
	[ $((whole * 6)) -ge $((forks * 5)) ] || fail "$shape: $whole of $forks stacks are whole"
done

# Programs of one event: all are counted, and those that are not whole say why.
returns 0 count -v -f -U -o "$T/report.folded" "$FIXTURES/frameless-dyn:st_fix_leaf" -- "$FIXTURES/frameless-dyn" exec $execs
expect_equal "exec: all events" "$(folded_sum "$T/report.folded")" $execs
expect_equal "exec: all told" "$(said_of 'user stacks (complete|walked by frame pointers|truncated:)')" $execs

# A library that is loaded and unloaded for each call: its table is there some milliseconds after the first time.
for try in 1 2 3 4; do
	trace frameless-dyn dlopen $loads -- count -v -f -p PID "$FIXTURES/frameless-dyn:st_fix_leaf"
	expect_equal "dlopen: all events" "$(folded_sum)" $loads
	expect_equal "dlopen: all told" "$(said_of 'user stacks (complete|walked by frame pointers|truncated:)')" $loads
	plain_names "$T/out" >"$T/plain"
	whole=$(folded_sum_of "^$root$fixture_expect [0-9]+$" "$T/plain")
	echo "dlopen, try $try: $whole of $loads whole"
	[ $((whole * 10)) -lt $((loads * 7)) ] || break
done
[ $((whole * 10)) -ge $((loads * 7)) ] || fail "dlopen: $whole of $loads stacks are whole"

# The loader, whose first function has no unwind information: it is where the program begins, and that is the root. The first events
# may come before the tables.
for try in 1 2 3 4; do
	returns 0 count -v -f -U -o "$T/report.folded" t:syscalls:sys_enter_mmap -- "$FIXTURES/frameless-dyn" once
	plain_names "$T/report.folded" >"$T/plain"
	all=$(folded_sum "$T/plain")
	expect_equal "loader: all told" "$(said_of 'user stacks (complete|walked by frame pointers)')" "$all"
	roots=$(said_of 'user stacks complete')
	[ -n "${IN_GUEST:-}" ] || # there its own functions have no names
		expect_equal "loader: whole" "$(folded_sum_of '^frameless-dyn;_start;_dl_start;.*;(__)?mmap(64)? [0-9]+$' "$T/plain")" "$roots"
	echo "loader, try $try: $roots of $all whole"
	[ "$roots" -eq 0 ] || break
done
[ "$roots" -gt 0 ] || fail "no stack of the loader is whole"

# Samples in the vDSO
fixture_running frameless-dyn vdso 0
returns 0 profile -f -U -F 999 --save "$T/vdso.stk" -p "$fixture_pid" 1
fixture_end
plain_names "$T/out" >"$T/plain"
inside=$(folded_sum_of ";st_fix_vdso;clock_gettime;(__vdso_)?clock_gettime [0-9]+$" "$T/plain") # of libc, of the kernel
whole=$(folded_sum_of "^$root.*;st_fix_work(;[^;]+)* [0-9]+$" "$T/plain")
all=$(folded_sum)
echo "vdso: $inside samples in it, $whole of $all whole"
[ "$inside" -ge 5 ] || fail "vdso: $inside samples in it"
[ $((whole * 100)) -ge $((all * 99)) ] || fail "vdso: $whole of $all stacks are whole"
returns 0 report -o "$T/vdso.json" "$T/vdso.stk"
tr -d ' \n' <"$T/vdso.json" | grep -qE '"name":"(__vdso_)?clock_gettime","offset":[0-9]+,"module":"\[vdso\]"' ||
	fail "no frame of the vDSO: $(grep -i vdso "$T/vdso.json" | head -n 3)"
