/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences on stderr for what a run may come to. `applet` is its name. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/host/process.h"
#include "core/plan/plan.h"
#include "core/resolve/resolve.h"

/* Each of these lines, to its end. */
void run_say_lines(const char *applet, const char *lines);

/*
 * Before anything is attached: of a list of targets those that are not there are named, for the others are what the run is
 * about. 0, or the recorded failure when there is none.
 */
int run_require_targets(const char *applet, const struct plan *plan);

/* All targets of -p or -L have ended. */
void run_say_gone(const char *applet, const struct plan *plan);

/* Some of several have, and the run went on without them: which. Nothing when none has. */
void run_say_some_gone(const struct plan *plan, struct process_watch *watch);

/*
 * The kernel takes breakpoints that were put into one process out of it when its first thread ends while others run on; true when
 * that has come to pass.
 */
bool run_say_leaderless(const struct attach_plan *attach);

/* By what event samples are taken, where it is not the one that a user expects. */
void run_say_sampling(const char *applet, const struct plan *plan, const struct attach_plan *attach);

/* Why kernel frames have no names: `err` of opening the list, 0 none. */
void run_say_kernel_symbols(const char *applet, const struct plan *plan, int err);

/* For --debug: which privileges are left. */
void run_say_privileges(const char *applet);

/* Why there may be nothing in the report; command_tgid 0: no command was run. */
void run_say_empty(const char *applet, const struct plan *plan, uint32_t command_tgid);

/* A script that waits for the probes to be in place names a descriptor in the environment (docs/hacking.md): tells it. */
void run_say_attached(void);
