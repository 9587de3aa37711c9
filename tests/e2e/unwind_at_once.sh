#!/bin/sh
# ctest: host
# A command has whole stacks from its first event on, though it is executed when everything is attached: it is held until the unwind
# tables of what it has mapped are ready.
. "${0%/*}/lib.sh"
needs uprobe tracepoint:sched:sched_switch program:cc
needs_unwinder

# at_once PROBE COMMAND…: five runs, each with all stacks whole. On a very busy host a loader may take longer than the second for which a
# command is held at most. Such a run must say so, and is made again.
at_once() {
	probe=$1
	nr_whole=0
	nr_late=0
	shift
	while [ $nr_whole -lt 5 ]; do
		returns 0 count -v -f -o "$T/report.folded" "$probe" -- "$@" </dev/null
		if grep -q 'of the command took longer than a second' "$T/err"; then
			nr_late=$((nr_late + 1))
			[ $nr_late -lt 20 ] || fail "$nr_late runs were late"
			continue
		fi
		refuse_err 'walked by frame pointers|truncated|cannot be held'
		expect_err 'user stacks? complete$'
		nr_whole=$((nr_whole + 1))
	done
	echo "$probe: $nr_whole whole, $nr_late late"
}
for kind in '' -dyn; do
	at_once "$FIXTURES/calls$kind:st_fix_hit" "$FIXTURES/calls$kind" -n 100
	at_once "$FIXTURES/calls$kind:st_fix_hit" "$FIXTURES/calls$kind" -n 100 -t 4
done

# The very first functions of a program: its entry, a constructor of a library, main
cat >"$T/library.c" <<'C'
int st_fix_value;
__attribute__((noinline)) void st_fix_first(void) { __asm__ volatile("" : : : "memory"); }
__attribute__((constructor)) static void st_fix_begin(void) { st_fix_first(); st_fix_value = 1; }
C
cat >"$T/early.c" <<'C'
extern int st_fix_value;
int main(void) { return !st_fix_value; }
C
cc -O2 -shared -fPIC -o "$T/libearly.so" "$T/library.c" || fail "cc"
cc -O2 -o "$T/early" "$T/early.c" -L"$T" -learly "-Wl,-rpath,$T" || fail "cc"
at_once "$T/libearly.so:st_fix_first" "$T/early"
at_once "$T/early:main" "$T/early"

# Its status and its signals are its own: nobody traces it any more, and what it sends itself arrives.
for command in 'exit 7' 'kill -TERM $$' 'kill -KILL $$' 'trap "exit 9" TERM; kill -TERM $$; exit 1'; do
	sh -c "$command"
	wanted=$?
	returns $wanted profile -f -o "$T/report.folded" -- sh -c "$command"
done
returns 0 profile -f -o "$T/report.folded" -- sed -n 's/^TracerPid:[[:space:]]*//p' /proc/self/status
expect_equal "tracer of the command" "$(cat "$T/out")" 0

# A script, and a program that executes another at once
printf '#!/bin/sh\nexec env true\n' >"$T/script"
chmod 755 "$T/script"
returns 0 profile -f -o "$T/report.folded" -- "$T/script"

# The stops are no time off the CPU. That it waited for a CPU on its way into or out of a stop is: it may be let go just before it gives up
# the CPU, and is then in state R.
returns 0 offcputime --state t -f -o "$T/report.folded" -- "$FIXTURES/calls-dyn" -n 10 </dev/null
! grep 'ptrace_stop;schedule' "$T/report.folded" || fail "the stops are in the report"
