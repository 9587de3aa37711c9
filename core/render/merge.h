/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the rows of an interval to the rows of a report.
 *
 * The kernel counts records, and a record has more than a report shows (thread, time, process without -P, frames of the
 * tracer). Rows that show the same become one: the same addresses in the same order and, if the view shows it, the same
 * process. With view.by_name, rows that print the same text.
 *
 * The order is that of bcc, ascending by count, with ties in the order of first occurrence and then of the frames: never
 * that of a hash table, so that two reports of one profile are the same bytes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/durations.h"
#include "core/profile/profile.h"

/* The visible part of one stack: a slice of profile.stack_frames and stack_addresses, leaf first. */
struct merged_stack {
	uint32_t first;
	uint16_t nr;
	uint8_t status; /* enum stack_status; STACK_NOT_ASKED when the view leaves this part out */
	bool cut;       /* by --max-depth, at the root end */
	uint16_t elided_least, elided_most; /* frames that the frame FRAME_ELIDED stands for; 0: none */
};

struct merged_row {
	uint32_t record; /* the first of the records in this row; process and raw addresses are taken from it */
	uint64_t count, sum;
	uint64_t time_ns; /* of the first event */
	struct merged_stack kernel, user;
	struct merged_stack waker_kernel, waker_user;
	uint32_t sleeper; /* `record`, or the first of the two records that it stands for */
	uint32_t waker;   /* the second, or PROFILE_NONE */
	uint32_t durations; /* position in merged.durations, where those are kept */
	uint8_t reason;   /* enum waker_reason */
	bool waker_lost;
	bool lost; /* the record never arrived: neither stack nor process is known */
};

struct merged {
	VEC(struct merged_row) rows;
	VEC(struct durations) durations; /* of each row, only for views with a histogram */
};

void merged_done(struct merged *merged);

/* What an output format keeps apart in addition to what the view shows. */
enum merge_apart {
	APART_THREADS = 1,
	APART_CGROUPS = 2,
	APART_RECORDS = 4, /* nothing is merged */
};

/* APART_THREADS if a record has a thread other than the main thread, APART_CGROUPS if one has a cgroup. */
unsigned int merge_apart_of(const struct profile *profile);

/* Fills an empty `ret_merged` with the rows to print, in the order to print them. `apart`: bits of enum merge_apart. */
void merge_interval(const struct profile *profile, const struct profile_interval *interval,
		    const struct profile_view *view, unsigned int apart, struct merged *ret_merged);

/* One row by itself, as it would be shown. */
struct merged_row merge_row_alone(const struct profile *profile, const struct profile_row *row,
				  const struct profile_view *view);

/* The number of a row: a count, or microseconds where the view shows time. */
uint64_t row_value(const struct profile_view *view, const struct merged_row *row);

/* Whether a profile of this view knows how long the intervals of a row were: by class, or each with its time. */
bool view_has_durations(const struct profile_view *view);

/* Whether reports of this view show how long the intervals of a row were. */
bool view_shows_durations(const struct profile_view *view);

/* Whether rows of this view show the process. */
bool view_shows_process(const struct profile_view *view);

/*
 * Frames that stand for something that is not there. They begin with '[', which escape.h keeps names from doing.
 * The two of bcc keep bcc's words.
 */
#define LABEL_UNKNOWN "[unknown]"
#define LABEL_MISSED_KERNEL "[Missed Kernel Stack]"
#define LABEL_MISSED_USER "[Missed User Stack]"
#define LABEL_TRUNCATED "[truncated]"
#define LABEL_CUT "[truncated by --max-depth]"
#define LABEL_LOST "[stack lost: ring full]"
#define LABEL_UNFINISHED "[unfinished]"

/* What follows the name of a frame that the walk found by guess; "" for others. */
static inline const char *frame_mark(const struct profile_frame *frame)
{
	return frame->guessed && !frame->level ? "?" : "";
}

/* Whether this frame without a name is "FILE![unknown]", and not LABEL_UNKNOWN alone: not for [vdso], which is no file. */
bool frame_shows_file(const struct profile *profile, const struct profile_view *view,
		      const struct profile_frame *frame);

/*
 * What is shown in place of the waker's name: an interrupt, or why there is no waker; "" if the run recorded no wakers,
 * NULL if there is a name.
 */
const char *waker_label(const struct profile *profile, const struct merged_row *row);

/* The label at the root end of a stack that is not complete; NULL for one that is. */
const char *stack_root_label(const struct merged_stack *stack);
