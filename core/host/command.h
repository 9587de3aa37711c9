/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command after "--": a child that executes nothing until everything is attached.
 *
 * It is forked before anything privileged is open and before the system call filter (denied_calls.h), and becomes the user who called sudo
 * (caller.h). It inherits standard input, output, error and the environment; sudo has set HOME. If the tool ends first, for any reason, the
 * command gets SIGTERM, or SIGKILL before it is executed. Exception: after SIGKILL of the tool, the kernel sends no signal to a set-user-id
 * command.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct command;

/*
 * Forks the child. `words` ends with NULL and is borrowed. 0 or a recorded failure: -ENOENT if there is no such command, -EACCES if nobody
 * may execute it.
 */
int command_start(char *const *words, struct command **ret_command);

/* The exit status for a failure of command_start(), as in env(1); -1: the command is not the cause. */
int command_status_of(int err);

/* A child that still waits ends without executing anything. A stopped command is continued, so that it can take the SIGTERM. */
void command_free(struct command *command);

uint32_t command_pid(const struct command *command);

/* Lets the child execute the command, without waiting for that. 0, or a negative errno with a recorded cause. */
int command_let_go(struct command *command);

/*
 * Lets the child execute the command, if command_let_go() did not, and waits for that. 0, or a negative errno with a recorded cause:
 * -ECANCELED if a signal that ends the tool came first. command_refused() tells whether the command could not be executed.
 */
int command_release(struct command *command);
bool command_refused(const struct command *command);

/*
 * Waits for the command and returns the exit status for the tool, as env(1): that of the command, 128 plus the signal that killed it, or
 * 126 or 127 if it could not be executed. Waits for at most two seconds after a signal that ends the tool or that has ended the collection.
 * Returns -1 if the command still runs.
 */
int command_wait(struct command *command);

/* From now on command_wait() waits for at most two seconds. */
void command_hurry(struct command *command);
