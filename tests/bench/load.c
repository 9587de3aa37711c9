// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The load under which events are timed: two threads hand a byte to and fro through two pipes on one CPU, so every hand
 * over is a switch between them. Each blocks below a chain of calls of a fixed depth, so every event walks stacks of the
 * same length. The callers are 64 functions, as those of a program are: one that calls itself would be found in one place.
 *
 *   load CPU DEPTH SWITCHES
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static int there[2], back[2];
static unsigned long nr_turns;

__attribute__((noinline)) static void turns(int from, int to, int starts)
{
	char byte = 0;

	for (unsigned long i = 0; i < nr_turns; i++) {
		if (starts && write(to, &byte, 1) != 1)
			exit(1);
		if (read(from, &byte, 1) != 1)
			exit(1);
		if (!starts && write(to, &byte, 1) != 1)
			exit(1);
	}
}

typedef void caller(int depth, int from, int to, int starts);

#define NR_CALLERS 64
static caller *const callers[NR_CALLERS];

static inline void deeper(int depth, int from, int to, int starts)
{
	if (depth > 1)
		callers[depth % NR_CALLERS](depth - 1, from, to, starts);
	else
		turns(from, to, starts);
}

/* By two octal digits. Each is different, or the compiler would make one of them. */
#define CALLER(digits)                                                                                 \
	__attribute__((noinline)) static void caller_##digits(int depth, int from, int to, int starts) \
	{                                                                                              \
		deeper(depth, from, to, starts);                                                       \
		__asm__ volatile("" ::"i"(0##digits));                                                 \
	}
#define NAME(digits) caller_##digits,
#define EIGHT(X, digit) X(digit##0) X(digit##1) X(digit##2) X(digit##3) X(digit##4) X(digit##5) X(digit##6) X(digit##7)
#define ALL(X) EIGHT(X, 0) EIGHT(X, 1) EIGHT(X, 2) EIGHT(X, 3) EIGHT(X, 4) EIGHT(X, 5) EIGHT(X, 6) EIGHT(X, 7)

ALL(CALLER)
static caller *const callers[NR_CALLERS] = { ALL(NAME) };

static int depth;

static void *other(void *unused)
{
	deeper(depth, there[0], back[1], 0);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	cpu_set_t set;

	if (argc != 4)
		return 2;
	CPU_ZERO(&set);
	CPU_SET(atoi(argv[1]), &set);
	depth = atoi(argv[2]);
	nr_turns = strtoul(argv[3], NULL, 10) / 2;
	if (sched_setaffinity(0, sizeof(set), &set) || pipe(there) || pipe(back) ||
	    pthread_create(&thread, NULL, other, NULL))
		return 1;
	deeper(depth, back[0], there[1], 1);
	pthread_join(thread, NULL);
	return 0;
}
