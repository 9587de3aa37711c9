/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports as text: a profile with names goes in, the lines that bcc's stackcount and profile would print come out.
 *
 * Pure functions of their arguments: no clock, no locale, no time zone, no host, so that `report FILE.stk` prints the
 * bytes of the live run. Output goes through one large buffer into `out`; nothing is flushed.
 * docs/reference/output.md describes every form, and where it differs from bcc on purpose.
 *
 * A run prints: render_header, render_report per interval, render_footer to stdout, and render_notes per interval to
 * stderr. All return 0 or the negative errno of a failed write (-EPIPE when the reader has gone) and record no cause.
 */
#pragma once

#include <stdio.h>

#include "core/profile/profile.h"

/* The line before the first report. Nothing in folded mode, with view.no_header or when quiet, or without one in the profile. */
int render_header(const struct profile *profile, const struct profile_view *view, FILE *out);

/*
 * One interval: an empty line (none when quiet), the time with view.timestamps, then the rows in ascending order of their
 * value. VIEW_SNOOP: all events, as render_events() prints them.
 */
int render_report(const struct profile *profile, const struct profile_interval *interval,
		  const struct profile_view *view, FILE *out);

/*
 * Events one by one in the order of their rows, from row `first` on: VIEW_SNOOP. In folded mode a line for each.
 */
int render_events(const struct profile *profile, const struct profile_interval *interval, size_t first,
		  const struct profile_view *view, FILE *out);

/* VIEW_DUMP: each process with its threads, those with the same stacks together. In folded mode it is as any other. */
int render_dump(const struct profile *profile, const struct profile_interval *interval, const struct profile_view *view,
		FILE *out);

/* VIEW_WALL: threads and states in words, then the call tree. In folded mode it is as any other. */
int render_wall(const struct profile *profile, const struct profile_interval *interval, FILE *out);
/* Only the words. */
void wall_add_words(const struct profile *profile, const struct profile_interval *interval, struct buf *text);

/* The line after the last report ("Detaching..."). Nothing in folded mode, when quiet, or without one in the profile. */
int render_footer(const struct profile *profile, const struct profile_view *view, FILE *out);

/*
 * What is wrong with the numbers of an interval, one line each: losses by cause, user stacks that may be incomplete, frames without a
 * name by reason, timed samples that were not taken, and accounting that does not add up. When quiet only where something is missing;
 * with view.verbose also what is in order: complete stacks, the account of timed samples, delays.
 */
int render_notes(const struct profile *profile, const struct profile_interval *interval, FILE *err);
/* The same as text. */
void render_add_notes(const struct profile *profile, const struct profile_interval *interval, struct buf *text);

/*
 * "# WARNING: 1,004 milliseconds after its start …" if the run was cut short by its guard, for documents that cannot carry notes
 * otherwise: readers of folded stacks and of perf's text skip lines with a "#".
 */
void render_add_cut(const struct profile_interval *interval, struct buf *text);
