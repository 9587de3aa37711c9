#!/bin/sh
# ctest: host
# Calls that end by an exception, and calls on stacks that the program switches by itself: it prints what it prints without stacktool, also
# when stacktool is killed while a call is open, and each call is in the histogram or in a message.
. "${0%/*}/lib.sh"
needs uprobe program:g++
[ "$(uname -m)" = x86_64 ] || skip "the ends of user functions are found on x86_64 only"

cat >"$FIXTURES/ends.cc" <<'END'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <ucontext.h>
#include <unistd.h>

#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#else
#define DTRACE_PROBE(provider, name)
#endif

#define CALLS 300
#define SWITCHES 200

static volatile unsigned sum;

static void read_line()
{
	char text[64];

	if (read(0, text, sizeof(text)) < 0)
		_exit(1);
}

static unsigned nr_destroyed;
static bool waits;

struct Guard {
	~Guard() { nr_destroyed++; }
};

extern "C" __attribute__((noinline)) void st_leaf(unsigned n)
{
	sum = sum + n;
	if (n % 3 == 0)
		throw n;
	sum = sum + 1;
}

extern "C" __attribute__((noinline)) unsigned st_handle(unsigned n)
{
	Guard guard;

	if (waits && n == CALLS / 2) {
		printf("OPEN\n");
		fflush(stdout);
		read_line();
	}
	st_leaf(n);
	return sum;
}

static ucontext_t scheduler, routines[2];

extern "C" __attribute__((noinline)) void st_yields(unsigned number)
{
	sum = sum + number;
	swapcontext(&routines[number], &scheduler);
	sum = sum ^ number;
}

static void routine(int number)
{
	for (unsigned i = 0; i < SWITCHES; i++)
		st_yields(number);
}

/* ---- for slow: each sleep takes at least 2 ms ---- */

#define SLOW_CALLS 20
#define MANY 1100

static void nap()
{
	const struct timespec pause = { 0, 2000000 };

	nanosleep(&pause, NULL);
}

extern "C" __attribute__((noinline)) void st_naps(unsigned n)
{
	sum = sum + n;
	if (n % 2) {
		nap();
		throw n;
	}
	sum = sum + 1;
}

/* One instruction, in a call that counts. */
__asm__(".text\n.globl st_pair_one\n.type st_pair_one, @function\nst_pair_one: ret\n.size st_pair_one, .-st_pair_one");
extern "C" void st_pair_one();

extern "C" __attribute__((noinline)) void st_pair_outer()
{
	sum = sum + 1;
	st_pair_one();
	sum = sum + 1;
}

static void routine_that_naps()
{
	for (;;) {
		nap();
		swapcontext(&routines[1], &routines[0]);
	}
}

extern "C" __attribute__((noinline)) void st_lets_nap()
{
	sum = sum + 1;
	swapcontext(&routines[0], &routines[1]);
	sum = sum + 1;
}

static void routine_that_calls()
{
	for (int i = 0; i < SLOW_CALLS; i++)
		st_lets_nap();
}

static void begin_routine(int number, char *stack, void (*function)())
{
	getcontext(&routines[number]);
	routines[number].uc_stack.ss_sp = stack;
	routines[number].uc_stack.ss_size = 65536;
	routines[number].uc_link = &scheduler;
	makecontext(&routines[number], function, 0);
}

static int calls_for_slow()
{
	char *stacks = (char *)malloc(2 * 65536);

	for (unsigned i = 0; i < SLOW_CALLS; i++)
		try {
			st_naps(i);
		} catch (unsigned) {
		}
	for (int i = 0; i < SLOW_CALLS; i++)
		st_pair_outer();
	begin_routine(0, stacks, routine_that_calls);
	begin_routine(1, stacks + 65536, routine_that_naps);
	swapcontext(&scheduler, &routines[0]);
	for (int i = 0; i < SLOW_CALLS; i++) {
		DTRACE_PROBE(st_ends, begin);
		DTRACE_PROBE(st_ends, begin);
		DTRACE_PROBE(st_ends, end);
		nap();
		DTRACE_PROBE(st_ends, end);
	}
	DTRACE_PROBE(st_ends, begin);
	for (int i = 0; i < MANY; i++) {
		DTRACE_PROBE(st_ends, begin);
		DTRACE_PROBE(st_ends, end);
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned nr_caught = 0;

	if (argc > 1 && !strcmp(argv[1], "slow"))
		return calls_for_slow();
	waits = argc > 1;
	printf("READY %d\n", getpid());
	fflush(stdout);
	if (waits)
		read_line();
	for (unsigned i = 0; i < CALLS; i++)
		try {
			st_handle(i);
		} catch (unsigned n) {
			nr_caught += n == i;
		}
	for (int i = 0; i < 2; i++) {
		getcontext(&routines[i]);
		routines[i].uc_stack.ss_sp = malloc(65536);
		routines[i].uc_stack.ss_size = 65536;
		routines[i].uc_link = &scheduler;
		makecontext(&routines[i], (void (*)())routine, 1, i);
	}
	for (unsigned i = 0; i < 2 * SWITCHES + 2; i++)
		swapcontext(&scheduler, &routines[i % 2]);
	printf("caught %u, destroyed %u, sum %u\n", nr_caught, nr_destroyed, sum);
	printf("DONE\n");
	fflush(stdout);
	if (waits)
		read_line();
	return 0;
}
END
g++ -O2 -pthread -o "$FIXTURES/ends" "$FIXTURES/ends.cc" 2>"$T/compile" || fail "g++: $(cat "$T/compile")"
"$FIXTURES/ends" | grep -v READY >"$T/alone"

# as_alone ARG…: the tool runs the program, which prints the same
as_alone() {
	returns 0 "$@" -- "$FIXTURES/ends"
	grep -E '^(caught|DONE)' "$T/out" | cmp -s - "$T/alone" || fail "the program printed other lines"
}

# counted: calls in the last histogram
counted() {
	sed -nE 's/^avg = .* count: ([0-9]+)$/\1/p' "$T/out" | tail -n 1
}

# expect_calls NUMBER: in the histogram, or ended without return
expect_calls() {
	seen=$(($(counted) + $(said_of 'calls ended without return')))
	[ "$seen" -ge $(($1 - $(lost_events))) ] && [ "$seen" -le "$1" ] || fail "$seen calls, of which $(counted) have returned, not $1"
}

as_alone funclatency "$FIXTURES/ends:st_handle"
expect_calls 300
[ "$(lost_events)" -gt 0 ] || expect_equal "calls that returned" "$(counted)" 200
as_alone funclatency "$FIXTURES/ends:st_leaf"
expect_calls 300
as_alone funclatency "$FIXTURES/ends:st_yields"
expect_calls 400
as_alone slow --above 1s "$FIXTURES/ends:st_handle"
expect_calls 300
as_alone slow --above 1s "$FIXTURES/ends:st_yields"

# slow_calls REGEX ARG…: the head of the report, unless events were lost
slow_calls() {
	head=$1
	shift
	returns 0 slow "$@" -- "$FIXTURES/ends" slow
	[ "$(lost_events)" -gt 0 ] || expect_out "^$head"
}

# Of calls that were thrown out of, it is not known that they were fast.
slow_calls '10 calls in [0-9.]+ s, [0-9]+ fast ' --below 1s "$FIXTURES/ends:st_naps"
[ "$(lost_events)" -gt 0 ] || expect_out '^ +blocked S +0\.000000 s'
# One instruction inside another call
slow_calls '20 calls in [0-9.]+ s, ' --above 1s "$FIXTURES/ends:st_pair_*"
# Calls that wait for a coroutine, which sleeps on a stack above
slow_calls '20 calls in [0-9.]+ s, 20 slow ' --above 2ms "$FIXTURES/ends:st_lets_nap"
# Pairs of USDT probes: the outer one counts, and one without an end does not hide the others for ever.
if "$FIXTURES/hostprobe" sdt >/dev/null; then
	slow_calls '96 calls in [0-9.]+ s, [2-9][0-9] slow ' --above 2ms "u:$FIXTURES/ends:st_ends:begin" "u:$FIXTURES/ends:st_ends:end"
	[ "$(lost_events)" -gt 0 ] || expect_equal "calls without an end" "$(said_of 'calls ended without return')" 1
fi

# kill -9 while a call is open
for applet in funclatency 'slow --above 1ms'; do
	fixture ends waits
	# shellcheck disable=SC2086
	tool_start_on_fixture $applet -p PID "$FIXTURES/ends:st_handle"
	go
	fixture_line
	expect_equal "line of the fixture" "$line" OPEN
	tool_signal KILL
	wait "$tool_pid" 2>/dev/null
	# The children that attach and remove links finish that.
	until "$FIXTURES/leftovers" text "$fixture_pid" >/dev/null; do kill -0 "$fixture_pid" || fail "$applet has ended the program"; done
	go
	fixture_line
	echo "$line" >"$T/killed"
	head -n 1 "$T/alone" | cmp -s - "$T/killed" || fail "after kill -9 of $applet: $line"
	fixture_line
	fixture_end
done
