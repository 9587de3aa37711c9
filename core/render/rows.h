/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that write a whole row to a writer, one for each form of text. Private to render/. */
#pragma once

#include "core/render/text_writer.h"

void text_row(struct text_writer *writer, const struct merged_row *row);
void table_row(struct text_writer *writer, const struct merged_row *row); /* VIEW_FUNCCOUNT */
#define TABLE_NAME_COLUMNS 36 /* bcc's; longer names push their number to the right */
void event_row(struct text_writer *writer, const struct merged_row *row,
	       const struct profile_interval *interval); /* VIEW_SNOOP */
void folded_row(struct text_writer *writer, const struct merged_row *row);
void wake_text_row(struct text_writer *writer, const struct merged_row *row);   /* VIEW_OFFWAKE, VIEW_WAKE */
void wake_folded_row(struct text_writer *writer, const struct merged_row *row); /* the same */

/* Parts of several forms: labels and stacks as lines, or as elements of a folded line. `up`: root first. */
void text_label(struct text_writer *writer, const char *label);
void text_stack(struct text_writer *writer, const struct merged_stack *stack, bool kernel, bool up);
void text_durations(struct text_writer *writer, const struct merged_row *row); /* lines below its number */
void text_all_durations(struct text_writer *writer, const struct profile_interval *interval);

/*
 * bcc's histogram of powers of two, up to the last one with a count: powers[i] is that of 2^i to 2^(i+1) - 1, and of 0 in the first. It
 * begins with the first one that has a count, or with 0.
 */
#define DURATION_POWERS_MAX 64
void text_histogram(struct text_writer *writer, const char *unit, const uint64_t powers[DURATION_POWERS_MAX],
		    bool from_zero);

/* VIEW_FUNCLATENCY: adds the histograms of an interval. The range of the lengths of a row's calls, in the unit of the view. */
void latency_add(struct text_writer *writer, const struct profile_interval *interval);
struct duration_range latency_range(const struct profile_view *view, uint64_t count, uint64_t sum_ns);
void folded_label(struct text_writer *writer, const char *label);
void folded_stack(struct text_writer *writer, const struct merged_stack *stack, bool kernel, bool up);
void folded_end(struct text_writer *writer, const struct merged_row *row, size_t line);
