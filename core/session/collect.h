/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The main loop: waits for signals, timers, the ring, the side-band and the end of the target, and drains, until a report is due. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/host/process.h"
#include "core/plan/plan.h"
#include "core/session/attachment.h"
#include "core/session/drain.h"
#include "core/unwind/unwinding.h"

struct collector;

/* Borrowed. */
struct collector_sources {
	struct attachment *attachment;
	struct drain *drain;
	struct spaces *spaces;
	struct unwinding *unwinding; /* NULL: no tables */
	struct process_watch *watch; /* NULL: no targets */
};

enum collect_reason {
	COLLECT_INTERVAL, /* an interval is over; the run goes on */
	COLLECT_EVENTS, /* EVENTS_EACH: there are new rows; the run goes on */
	COLLECT_LOOK, /* twenty times a second: the cost should be checked; the run goes on */
	COLLECT_KEYS, /* the descriptor of collector_watch_keys() is readable; the run goes on */
	COLLECT_DURATION, /* the duration is over */
	COLLECT_SIGNAL, /* a signal of signals_that_end() */
	COLLECT_COST, /* never returned here: the caller sets it when the check finds that the programs cost too much */
	COLLECT_TARGET_GONE, /* all processes or threads of -p or -L have ended */
};

/* Blocks the signals of signals_that_end(), which from now on end a wait. The plan is borrowed. 0 or a recorded failure. */
int collector_new(const struct plan *plan, const struct collector_sources *sources, struct collector **ret_collector);

/* Ends a wait when `fd` is readable. -1: does nothing. 0 or a recorded failure. */
int collector_watch_keys(struct collector *collector, int fd);

/* Starts the timers of interval and duration, after everything is attached. 0 or a recorded failure. */
int collector_start(struct collector *collector);

/* The signalfd. */
int collector_signal_fd(const struct collector *collector);

/*
 * From now on another thread reads the signalfd, and makes `told_fd` readable when a signal has come. Takes ownership of `told_fd`. 0 or
 * a recorded failure.
 */
int collector_give_signals(struct collector *collector, int told_fd);

/* Whether a signal has come. */
bool collector_signalled(struct collector *collector);

/* Notes a signal that was read elsewhere. */
void collector_note_signal(struct collector *collector);

/*
 * Unblocks the signals. If one has come, the next ends the program at once. If not, the collection ended by itself, and the first signal
 * does nothing: the report is still printed (signals_spare_first()).
 */
void collector_free(struct collector *collector);

/*
 * The longest time for which the loop did not come back to wait, while it collected: the rings must hold what happens meanwhile. 0: it
 * has not waited twice. *ret_what is what it did.
 */
uint64_t collector_longest_turn(const struct collector *collector, const char **ret_what);

/* Drains into the target until a report is due. 0 and the reason, or a recorded failure. */
int collector_wait(struct collector *collector, const struct drain_target *target, enum collect_reason *ret_reason);
