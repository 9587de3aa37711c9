/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables of the processes that a run is about: requested before anything is loaded, there before the first event.
 * Without `unwinding` (NULL) nothing is done.
 */
#pragma once

#include "core/host/command.h"
#include "core/plan/plan.h"
#include "core/session/loaded.h"
#include "core/unwind/unwinding.h"

/* Of the targets, or of what the command will map; NULL: there is none. The symbol worker makes them from now on. */
void run_ask_for_tables(struct unwinding *unwinding, struct spaces *spaces, const struct plan *plan,
			const struct command *command);

/* Gives the programs of the session what is made. Waits for those of targets. */
void run_await_tables(struct unwinding *unwinding, const struct loaded *loaded, const struct plan *plan);

/* Waits for those of a command that is about to be released: its first instructions have unwind tables, too. */
void run_await_command_tables(struct unwinding *unwinding);

/* A line on stderr if tables found no room. */
void run_say_tables_full(const char *applet, const struct unwinding *unwinding, const struct plan *plan);
