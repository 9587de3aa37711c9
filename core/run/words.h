/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages of a run on stderr. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/host/process.h"
#include "core/plan/plan.h"
#include "core/resolve/resolve.h"

/* A line "stacktool APPLET: …". */
__attribute__((format(printf, 2, 3))) void run_say(const struct plan *plan, const char *format, ...);

/* Each of these lines in the same form. */
void run_say_lines(const struct plan *plan, const char *lines);

/*
 * Before anything is attached: names the targets of -p and -L that do not exist. 0, or the recorded failure when none of
 * them does.
 */
int run_require_targets(const struct plan *plan);

/* All targets of -p or -L have ended. */
void run_say_gone(const struct plan *plan);

/* Names the targets that have ended while others go on. Nothing when none has. */
void run_say_some_gone(const struct plan *plan, struct process_watch *watch);

/*
 * The kernel removes breakpoints that were put into one process when its first thread ends while others run on. True, with a
 * warning, when that has happened.
 */
bool run_say_leaderless(const struct attach_plan *attach);

/* For --debug: which privileges are left. */
void run_say_privileges(const struct plan *plan);

/* Why there may be nothing in the report; command_tgid 0: no command was run. */
void run_say_empty(const struct plan *plan, uint32_t command_tgid);

/* Writes "attached" to the descriptor that a script names in STACKTOOL_READY_FD to wait for the probes. */
void run_say_attached(void);
