/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The collecting loop: waits for signals, the clock, the ring, the side-band and the end of the target, and reads what
 * comes in, until the next report is due.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/host/process.h"
#include "core/plan/plan.h"
#include "core/session/attachment.h"
#include "core/session/drain.h"
#include "core/unwind/unwinding.h"

struct collector;

/* What is read, or looked at while it is. */
struct collector_sources {
	struct attachment *attachment;
	struct drain *drain;
	struct spaces *spaces;
	struct unwinding *unwinding; /* NULL: no tables */
	struct process_watch *watch; /* NULL: no targets */
};

enum collect_reason {
	COLLECT_INTERVAL,    /* an interval is over, the run goes on */
	COLLECT_EVENTS,      /* EVENTS_EACH: there are new rows, the run goes on */
	COLLECT_LOOK,        /* it is time to look at the cost, the run goes on; twice a second */
	COLLECT_KEYS,        /* there is something on the descriptor of collector_watch_keys(), the run goes on */
	COLLECT_DURATION,    /* the asked time is over */
	COLLECT_SIGNAL,      /* SIGINT, SIGTERM or SIGHUP */
	COLLECT_COST,        /* what came of COLLECT_LOOK: it costs too much */
	COLLECT_TARGET_GONE, /* every process or thread of -p or -L has ended */
};

/*
 * Blocks SIGINT, SIGTERM and SIGHUP, which from now on end the collection, but SIGHUP only if nobody ignores it. 0 or a
 * failure. The collection also ends when all targets of `watch` have. Everything is borrowed.
 */
int collector_new(const struct plan *plan, const struct collector_sources *sources, struct collector **ret_collector);

/* Ends a wait when `fd` is readable, -1: there is none. 0 or a recorded failure. */
int collector_watch_keys(struct collector *collector, int fd);

/* Starts the clock of interval and duration, once everything is attached. 0 or a recorded failure. */
int collector_start(struct collector *collector, const struct plan *plan);

/* The signals, as a signalfd. */
int collector_signal_fd(const struct collector *collector);

/*
 * From now on another thread reads that signalfd, and makes `told_fd` readable when a signal has come. Takes ownership of `told_fd`. 0 or
 * a recorded failure.
 */
int collector_give_signals(struct collector *collector, int told_fd);

/* Whether a signal has come. */
bool collector_signalled(struct collector *collector);

/* Notes a signal that was read elsewhere. */
void collector_note_signal(struct collector *collector);

/*
 * Gives the signals back: from here on another SIGINT, SIGTERM or SIGHUP ends the program at once, but only if there
 * was a first one. Of a collection that has ended by itself the report gets printed: the first signal comes too late.
 */
void collector_free(struct collector *collector);

/* Reads into the target until a report is due. 0 and the reason, or a recorded failure. */
int collector_wait(struct collector *collector, const struct drain_target *target, enum collect_reason *ret_reason);
