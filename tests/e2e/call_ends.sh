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
#include <ucontext.h>
#include <unistd.h>

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

int main(int argc, char **argv)
{
	unsigned nr_caught = 0;

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
