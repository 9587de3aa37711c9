/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwind tables before the first event: for the targets, a command, or running processes that may reach a probe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"
#include "core/plan/plan.h"
#include "core/resolve/attach_plan.h"
#include "core/session/loaded.h"
#include "core/spaces/spaces.h"
#include "core/unwind/unwinding.h"
#include "symbolize/symbolize.h"

struct running_process {
	uint32_t tgid;
	uint64_t used_ns;
};

struct tables {
	const struct plan *plan; /* borrowed, as the others */
	const struct attach_plan *attach;
	struct spaces *spaces;
	struct symbolizer *symbolizer;
	struct unwinding *unwinding; /* NULL: the programs do not use tables */
	uint32_t command; /* its process id; 0: none */
	bool is_busy; /* several other threads ran when the run was prepared */
	uint64_t until_ns; /* time limit for running processes */
	VEC(struct running_process) running; /* in the order in which they get their tables */
	size_t nr_asked; /* how many of them were requested */
};

void tables_done(struct tables *tables);

/* Starts to make the tables. */
void tables_ask(struct tables *tables);

/* Gives the tables that are ready to the programs, and waits for the others for at most two seconds. */
void tables_await(struct tables *tables, struct loaded *loaded);
