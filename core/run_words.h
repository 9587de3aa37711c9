/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences on stderr for what a run may come to. `applet` is its name. */
#pragma once

#include <stdint.h>

#include "core/engine/plan.h"
#include "core/engine/process.h"

/* All targets of -p or -L have ended. */
void run_say_gone(const char *applet, const struct plan *plan);

/* Some of several have, and the run went on without them: which. Nothing when none has. */
void run_say_some_gone(const struct plan *plan, struct process_watch *watch);

/* Why there may be nothing in the report; command_tgid 0: no command was run. */
void run_say_empty(const char *applet, const struct plan *plan, uint32_t command_tgid);
