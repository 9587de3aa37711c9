/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts the command so that its user stacks are complete from the first event on. The command is held (core/host/hold.h) after execve(),
 * and each time its loader has mapped code, until the BPF programs have the unwind tables of that code. The loader is not followed if the
 * run may count the events that each stop causes.
 */
#pragma once

#include <stdint.h>

struct attach_plan;
struct attachment;
struct command;
struct plan;
struct spaces;
struct unwinding;

/* All borrowed. */
struct release {
	const struct plan *plan;
	const struct attach_plan *attach;
	struct command *command;
	struct spaces *spaces;
	struct unwinding *unwinding; /* NULL: the BPF programs have no tables, and the command is not held */
	struct attachment *attachment;
};

/*
 * Lets the command execute, and returns when it runs. If it cannot be held, or not for long enough, a message gives the reason. Adds the
 * time for which it was held to *start_ns, which may be NULL. 0 or a recorded failure, as command_release().
 */
int release_command(const struct release *release, uint64_t *start_ns);
