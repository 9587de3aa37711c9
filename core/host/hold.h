/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stops a child when it has new code that it has not run yet: when it has executed a program, and when the program's dynamic loader has
 * mapped code. Uses ptrace(2).
 *
 * The program does not notice: its memory is not written and it gets no signal of ours, because the loader is followed by its system calls.
 * Signals of others are delivered. If this process ends, even by SIGKILL, the child runs on.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct hold {
	pid_t pid;
	bool stopped; /* by ptrace: it waits for hold_next() or hold_end() */
	bool listens; /* stopped by a stop signal; SIGCONT continues it */
	bool gone;
	bool in_call; /* between the two stops of a system call */
	bool maps; /* that call maps code */
	int signal; /* to deliver when the child continues */
	uint64_t loader_start, loader_end; /* code of the dynamic loader; 0: not followed */
	uint64_t stopped_ns; /* CLOCK_MONOTONIC */
	uint64_t held_ns; /* sum of all stops so far */
	sigset_t mask_before;
};

enum hold_at {
	HOLD_PROGRAM, /* a program was executed and has not run yet */
	HOLD_MAPPED, /* the loader has mapped code */
	HOLD_OVER, /* no more stops: the program itself runs, or has 32-bit code, or has ended */
	HOLD_LATE, /* the time is over, or a signal came that ends this process */
};

/*
 * Begins to follow a child of this thread, without stopping it. 0 or a negative errno. -EPERM without CAP_SYS_PTRACE: the kernel would then
 * ignore the set-user-id bits of what the child executes.
 */
int hold_begin(struct hold *hold, pid_t pid);

/* Continues the child until its next stop, but not after `until_ns` (CLOCK_MONOTONIC). */
enum hold_at hold_next(struct hold *hold, uint64_t until_ns);

/* At HOLD_PROGRAM: the load address of the dynamic loader; 0: the program has none. */
uint64_t hold_loader_base(const struct hold *hold);

/* Stops following the child, which must stop for that: waits until the kernel can stop it, or 1 s after a signal that ends us. */
void hold_end(struct hold *hold);
