/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command after "--": a child process that waits, before it executes anything, until everything is attached.
 *
 * It is forked before anything privileged is open and before the system call filter (denied_calls.h), and becomes the user who called
 * sudo (caller.h). Standard input, output, error and the environment are the tool's: HOME is the one that sudo has set. When the
 * tool ends first, however that ends, the command gets SIGTERM; before it is executed, SIGKILL. After SIGKILL of the tool that is not true of a command
 * that has become another user (set-user-id): the kernel sends it no signal then.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct command;

/*
 * Forks the child; `words` ends with NULL and is borrowed. 0 or a negative errno with a recorded cause; -ENOENT: no such command;
 * -EACCES: nobody may execute it.
 */
int command_start(char *const *words, struct command **ret_command);

/* The exit status for a failure of command_start(), as env(1) has it; -1: the command is not the cause. */
int command_status_of(int err);

/*
 * A child that still waits ends and executes nothing. A command that still runs and is stopped is continued, so that it takes the SIGTERM of
 * our end.
 */
void command_free(struct command *command);

uint32_t command_pid(const struct command *command);

/* Lets the child execute the command, and does not wait for that. 0 or a recorded failure. */
int command_let_go(struct command *command);

/*
 * Lets the child execute the command, unless that has been done, and waits until it has. 0, or a recorded failure; command_refused() is
 * true if the command could not be executed. -ECANCELED: a signal that ends the tool has come first.
 */
int command_release(struct command *command);
bool command_refused(const struct command *command);

/*
 * Waits for the command and returns the exit status for the tool, as env(1) does: that of the command, 128 plus the signal that
 * killed it, 126 or 127 if it could not be executed. After a signal that ends the tool, also one that has ended the collection, it
 * waits for two seconds at most; -1 if the command still runs.
 */
int command_wait(struct command *command);

/* From now on command_wait() waits for two seconds at most. */
void command_hurry(struct command *command);
