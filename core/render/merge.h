/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merges the rows of an interval into the rows of a report.
 *
 * The kernel counts records, which have more than a report shows (thread, time, process without -P, frames of the tracer). Rows that look
 * the same become one: the same addresses in the same order and, if the view shows it, the same process. With view.by_name, rows that print
 * the same text.
 *
 * The order is bcc's: ascending by count; ties by first occurrence, then by frames. It never depends on a hash table, so two reports of one
 * profile are the same bytes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/durations.h"
#include "core/profile/profile.h"

/* The visible part of a stack: a range of profile.stack_frames and stack_addresses, leaf first. */
struct merged_stack {
	uint32_t first;
	uint16_t nr;
	uint8_t status; /* enum stack_status; STACK_NOT_ASKED: not in the view */
	bool cut; /* by --max-depth, at the root */
	uint16_t elided_least, elided_most; /* number of frames that FRAME_ELIDED stands for; 0: none */
};

struct merged_row {
	uint32_t record; /* first record of this row; process and addresses are from it */
	uint64_t count, sum;
	uint64_t time_ns; /* of the first event */
	struct merged_stack kernel, user;
	struct merged_stack waker_kernel, waker_user;
	uint32_t sleeper; /* `record`, or the first one of its pair */
	uint32_t waker; /* the second one of the pair, or PROFILE_NONE */
	uint32_t durations; /* index in merged.durations, if that is filled */
	uint8_t reason;   /* enum waker_reason */
	bool waker_lost;
	bool lost; /* the record was lost: stack and process are unknown */
};

struct merged {
	VEC(struct merged_row) rows;
	VEC(struct durations) durations; /* one per row, only for views with a histogram */
};

void merged_done(struct merged *merged);

/* What an output format keeps separate, in addition to what the view shows. */
enum merge_apart {
	APART_THREADS = 1,
	APART_CGROUPS = 2,
	APART_RECORDS = 4, /* nothing is merged */
};

/* APART_THREADS if a record is of another thread than the main thread, APART_CGROUPS if one has a cgroup. */
unsigned int merge_apart_of(const struct profile *profile);

/* Fills an empty `ret_merged` with the rows to print, in order. `apart`: bits of enum merge_apart. */
void merge_interval(const struct profile *profile, const struct profile_interval *interval,
		    const struct profile_view *view, unsigned int apart, struct merged *ret_merged);

/* One row, not merged with others. */
struct merged_row merge_row_alone(const struct profile *profile, const struct profile_row *row,
				  const struct profile_view *view);

/* The value of a row: a count, or microseconds if the view shows time. */
uint64_t row_value(const struct profile_view *view, const struct merged_row *row);

/* Whether profiles of this view have the lengths of a row's intervals: by class, or of each with its time. */
bool view_has_durations(const struct profile_view *view);

/* Whether reports of this view show these lengths. */
bool view_shows_durations(const struct profile_view *view);

bool view_shows_process(const struct profile_view *view);

/* Labels in place of frames. They begin with '[', which escape.h escapes in names. "[unknown]" and missed stacks: bcc's words. */
#define LABEL_UNKNOWN "[unknown]"
#define LABEL_MISSED_KERNEL "[Missed Kernel Stack]"
#define LABEL_MISSED_USER "[Missed User Stack]"
#define LABEL_TRUNCATED "[truncated]"
#define LABEL_CUT "[truncated by --max-depth]"
#define LABEL_LOST "[stack lost: ring full]"
#define LABEL_UNFINISHED "[unfinished]"

/* Follows the name of a frame that the walk guessed; "" for others. */
static inline const char *frame_mark(const struct profile_frame *frame)
{
	return frame->guessed && !frame->level ? "?" : "";
}

/* Whether this unnamed frame is shown as "FILE![unknown]". Not for [vdso], which is no file. */
bool frame_shows_file(const struct profile *profile, const struct profile_view *view,
		      const struct profile_frame *frame);

/* Shown in place of the waker's name: an interrupt, or why there is none; "" if the run records no wakers; NULL: the name. */
const char *waker_label(const struct profile *profile, const struct merged_row *row);

/* The label at the root of an incomplete stack; NULL: it is complete. */
const char *stack_root_label(const struct merged_stack *stack);
