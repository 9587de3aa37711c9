/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The main loop: waits for signals, timers, the ring, the side-band and the end of the targets, and drains until a report is due. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/host/process.h"
#include "core/plan/plan.h"
#include "core/session/attachment.h"
#include "core/session/drain.h"
#include "core/unwind/unwinding.h"

struct collector;

/* All are borrowed. */
struct collector_sources {
	struct attachment *attachment;
	struct drain *drain;
	struct spaces *spaces;
	struct unwinding *unwinding; /* NULL: no tables */
	struct process_watch *watch; /* NULL: no targets */
};

enum collect_reason {
	COLLECT_INTERVAL, /* an interval is over; the run continues */
	COLLECT_EVENTS, /* EVENTS_EACH: there are new rows; the run continues */
	COLLECT_LOOK, /* 20 times a second: time to check the cost; the run continues */
	COLLECT_KEYS, /* the descriptor of collector_watch_keys() is readable; the run continues */
	COLLECT_DURATION, /* the duration is over */
	COLLECT_SIGNAL, /* a signal of signals_that_end() */
	COLLECT_COST, /* never returned by collector_wait(): the caller sets it if the programs cost too much */
	COLLECT_TARGET_GONE, /* the command, or all processes or threads of -p or -L have ended */
};

/* Blocks the signals of signals_that_end(), which then end a wait. `plan` is borrowed. Returns 0 or a recorded failure. */
int collector_new(const struct plan *plan, const struct collector_sources *sources, struct collector **ret_collector);

/* Also ends a wait when `fd` is readable. -1: does nothing. Returns 0 or a recorded failure. */
int collector_watch_keys(struct collector *collector, int fd);

/* Starts the timers of interval and duration, once everything is attached. Returns 0 or a recorded failure. */
int collector_start(struct collector *collector);

/* The signalfd, owned by the collector. */
int collector_signal_fd(const struct collector *collector);

/* Another thread now reads the signalfd, and makes `told_fd` readable for each signal. Takes `told_fd`. 0 or a recorded failure. */
int collector_give_signals(struct collector *collector, int told_fd);

/* Whether a signal of signals_that_end() has arrived. */
bool collector_signalled(struct collector *collector);

/* Notes a signal that another function has read. */
void collector_note_signal(struct collector *collector);

/*
 * Unblocks the signals. If a signal has arrived, the next one ends the program at once. Otherwise the first signal does nothing, so that
 * the report is still printed (signals_spare_first()).
 */
void collector_free(struct collector *collector);

/*
 * The longest time between two waits of the loop, in ns: the rings must have room for the events in this time. 0: the loop has not waited
 * twice. *ret_what is what the loop did in this time.
 */
uint64_t collector_longest_turn(const struct collector *collector, const char **ret_what);

/* Drains into the target until a report is due. Returns 0 and the reason, or a recorded failure. */
int collector_wait(struct collector *collector, const struct drain_target *target, enum collect_reason *ret_reason);
