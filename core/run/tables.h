/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwind tables before the first event: those of the targets, of a command, or of the processes that run and may reach a probe. */
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
	const struct plan *plan; /* borrowed, as all others */
	const struct attach_plan *attach;
	struct spaces *spaces;
	struct symbolizer *symbolizer;
	struct unwinding *unwinding; /* NULL: the programs do not unwind by tables */
	uint32_t command; /* its process id; 0: none */
	bool is_busy; /* the host: several other threads ran when the run was prepared */
	uint64_t until_ns; /* for those of running processes */
	VEC(struct running_process) running; /* in the order in which they get their tables */
	size_t nr_asked; /* of these */
};

void tables_done(struct tables *tables);

/* Starts to make the tables. */
void tables_ask(struct tables *tables);

/* Gives the finished tables to the programs, and waits for the others, two seconds at most. */
void tables_await(struct tables *tables, struct loaded *loaded);
