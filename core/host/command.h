/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command behind "--": a child process that waits, before it executes anything, until everything is attached.
 *
 * It is forked before anything privileged is open and becomes the user who called sudo (SUDO_UID and SUDO_GID, with the groups of
 * the process of that user that sudo was called from) while it waits. Standard input, output and error are the tool's, and so is
 * the environment: HOME is what sudo has made of it. It gets SIGTERM when the tool ends
 * before it, however the tool ends.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct command;

/* Forks the child; `words` ends with NULL and is borrowed. 0 or a negative errno with a recorded cause. */
int command_start(char *const *words, struct command **ret_command);

/* A child that still waits ends without having executed anything. */
void command_free(struct command *command);

uint32_t command_pid(const struct command *command);

/* Lets the child execute the command. 0, or a recorded failure when it could not: command_refused() is true then. */
int command_release(struct command *command);
bool command_refused(const struct command *command);

/*
 * The status for the tool to end with, as of env(1): the command's own, 128 and the signal that killed it, 126 or 127
 * when it could not be executed. Waits for a command that runs, until SIGINT, SIGTERM or SIGHUP comes or has ended the
 * collection: then for two seconds at most, and -1 when it still runs.
 */
int command_wait(struct command *command);

/* From now on command_wait() does not wait long. */
void command_hurry(struct command *command);
