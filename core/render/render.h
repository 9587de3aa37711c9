/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports as text: prints a named profile in the formats of bcc's stackcount and profile.
 *
 * Pure functions of their arguments: no clock, locale, time zone or host, so that `report FILE.stk` prints the same bytes as the live run.
 * Output is buffered and written to `out` in large pieces; `out` is not flushed. docs/reference/output.md describes every form, and where
 * it differs from bcc.
 *
 * A run prints render_header, render_report per interval and render_footer to stdout, and render_notes per interval to stderr. All return 0
 * or the negative errno of a failed write (-EPIPE: the reader has closed the pipe) and record no cause.
 */
#pragma once

#include <stdio.h>

#include "core/profile/profile.h"

/* The line before the first report. Nothing in folded mode, with view.no_header, when quiet, or if the profile has none. */
int render_header(const struct profile *profile, const struct profile_view *view, FILE *out);

/* An interval: an empty line (unless quiet), the time with view.timestamps, the rows, ascending. VIEW_SNOOP: render_events(). */
int render_report(const struct profile *profile, const struct profile_interval *interval,
		  const struct profile_view *view, FILE *out);

/* VIEW_SNOOP: events in the order of their rows, from row `first` on. In folded mode one line each. */
int render_events(const struct profile *profile, const struct profile_interval *interval, size_t first,
		  const struct profile_view *view, FILE *out);

/* VIEW_DUMP: each process with its threads, grouped by stack. Not for folded mode. */
int render_dump(const struct profile *profile, const struct profile_interval *interval, const struct profile_view *view,
		FILE *out);

/* VIEW_LOCK: locks, and the threads that held them. Not for folded mode. */
int render_lock(const struct profile *profile, const struct profile_interval *interval, const struct profile_view *view,
		FILE *out);

/* VIEW_WALL: threads and states in words, then the call tree. Not for folded mode. */
int render_wall(const struct profile *profile, const struct profile_interval *interval, FILE *out);
/* The words only. */
void wall_add_words(const struct profile *profile, const struct profile_interval *interval, struct buf *text);

/* The line after the last report ("Detaching..."). Nothing in folded mode, when quiet, or if the profile has none. */
int render_footer(const struct profile *profile, const struct profile_view *view, FILE *out);

/*
 * What is wrong with the numbers of an interval, one line each: losses by cause, user stacks that may be incomplete, frames without a name
 * by reason, timed samples that were not taken, and accounting that does not add up. When quiet, only what is missing in the result. With
 * view.verbose also what is in order: complete stacks, the account of timed samples, delays.
 */
int render_notes(const struct profile *profile, const struct profile_interval *interval, FILE *err);
/* The same as text. */
void render_add_notes(const struct profile *profile, const struct profile_interval *interval, struct buf *text);

/*
 * Adds "# WARNING: 1,004 milliseconds after its start …" if the guard ended the run early. For documents that have no notes: readers of
 * folded stacks and of perf's text skip lines with a "#".
 */
void render_add_cut(const struct profile_interval *interval, struct buf *text);
