#!/bin/sh
# ctest: host
# Samples of a program that begins during the run, and is over before its unwind tables can be there: they are walked later, in a copy of
# their stacks.
. "${0%/*}/lib.sh"
needs perf-event program:cc
needs_unwinder

# Each run has a program of its own: a second of work in ten processes of some milliseconds, without frame pointers.
cat >"$T/new.c" <<'C'
static volatile unsigned long sum;
__attribute__((noinline)) static void st_new_work(int depth)
{
	unsigned long kept = sum;

	if (depth)
		st_new_work(depth - 1);
	else
		for (unsigned long i = 0; i < 3000000; i++)
			sum += i;
	sum += kept;
}
int main(void)
{
	st_new_work(10);
	return 0;
}
C
cc -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -o "$T/new" "$T/new.c" || fail "cc"

# A ring that overflows on a busy host, or a table that takes longer than a second, is named; such a run is made again.
WHOLE='^new;_start;__libc_start_main[^;]*;(__libc_start_call_main;)?main;(st_new_work;){10}st_new_work '
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	returns 0 profile -v -f -F 999 -U -o "$T/report.folded" -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do "$0"; done' "$T/new"
	plain_names "$T/report.folded" >"$T/plain"
	refuse_err '[0-9]{12}|does not add up'
	work=$(folded_sum_of 'st_new_work [0-9]+$' "$T/plain")
	whole=$(folded_sum_of "$WHOLE" "$T/plain")
	echo "run $try: $whole of $work samples whole"
	[ "$work" -eq 0 ] || [ "$work" -ne "$whole" ] || break
	grep -qE 'walked by frame pointers|unwind table of the code was not ready' "$T/err" || [ "$work" -eq 0 ] ||
		fail "samples are neither whole nor named"
done
[ "$work" -gt 0 ] && [ "$work" -eq "$whole" ] || fail "no run was whole"
