/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stops a child where it has new code that it has not run yet: when it has executed a program, and each time the dynamic loader of that
 * program has mapped code. Uses ptrace(2).
 *
 * The program does not notice. No byte of its memory and no signal of ours is needed: the loader is followed by its system calls.
 * Signals that others send are delivered. If this process ends, killed or not, the kernel lets the child run on.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct hold {
	pid_t pid;
	bool stopped; /* by ptrace: it waits for hold_next() or hold_end() */
	bool listens; /* a stop signal has stopped it, and SIGCONT may come */
	bool gone;
	bool in_call; /* between the two stops of a system call */
	bool maps; /* that call maps code */
	int signal; /* to be delivered when the child goes on */
	uint64_t loader_start, loader_end; /* the code of the dynamic loader; 0: it is not followed */
	uint64_t stopped_ns; /* since when */
	uint64_t held_ns; /* the sum of all stops until now */
	sigset_t mask_before;
};

enum hold_at {
	HOLD_PROGRAM, /* a program was executed; nothing of it has run */
	HOLD_MAPPED, /* the loader has mapped code */
	HOLD_OVER, /* the program itself runs, or it has 32-bit code, or it has ended: nothing more is to be waited for */
	HOLD_LATE, /* the time is over, or a signal has come that ends this process */
};

/*
 * Begins to follow a child of this thread, which runs on. 0 or a negative errno. -EPERM without CAP_SYS_PTRACE: the kernel would
 * ignore the set-user-id bits of what the child executes.
 */
int hold_begin(struct hold *hold, pid_t pid);

/* Lets the child go on to its next stop, until `until_ns` (CLOCK_MONOTONIC) at most. */
enum hold_at hold_next(struct hold *hold, uint64_t until_ns);

/* At HOLD_PROGRAM: where the kernel has mapped the dynamic loader; 0: the program has none. */
uint64_t hold_loader_base(const struct hold *hold);

/* Lets the child go. It must be stopped for that: waits for as long as the kernel cannot stop it; after a signal that ends us for a second. */
void hold_end(struct hold *hold);
