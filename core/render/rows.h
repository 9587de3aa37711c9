/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that write one row, for each form of text. Private to render/. */
#pragma once

#include "core/render/text_writer.h"

void text_row(struct text_writer *writer, const struct merged_row *row);
void table_row(struct text_writer *writer, const struct merged_row *row); /* VIEW_FUNCCOUNT */
#define TABLE_NAME_COLUMNS 36 /* as in bcc; longer names shift the number to the right */
void event_row(struct text_writer *writer, const struct merged_row *row,
	       const struct profile_interval *interval); /* VIEW_SNOOP */
void folded_row(struct text_writer *writer, const struct merged_row *row);
void wake_text_row(struct text_writer *writer, const struct merged_row *row);   /* VIEW_OFFWAKE, VIEW_WAKE */
void wake_folded_row(struct text_writer *writer, const struct merged_row *row);

/* Parts of rows: labels and stacks, as lines or as elements of a folded line. `up`: root first. */
void text_label(struct text_writer *writer, const char *label);
void text_stack(struct text_writer *writer, const struct merged_stack *stack, bool kernel, bool up);
void text_durations(struct text_writer *writer, const struct merged_row *row); /* lines after the value */
void text_all_durations(struct text_writer *writer, const struct profile_interval *interval);

/*
 * bcc's histogram of powers of two: powers[i] counts 2^i to 2^(i+1) - 1, and powers[0] also 0. It ends with the last power that has a
 * count; with `from_zero` it begins with powers[0], else with the first one that has a count.
 */
#define DURATION_POWERS_MAX 64
void text_histogram(struct text_writer *writer, const char *unit, const uint64_t powers[DURATION_POWERS_MAX],
		    bool from_zero);

/* VIEW_FUNCLATENCY: latency_add() adds an interval's histograms; latency_range() is the range of a row's lengths, in the view's unit. */
void latency_add(struct text_writer *writer, const struct profile_interval *interval);
struct duration_range latency_range(const struct profile_view *view, uint64_t count, uint64_t sum_ns);
void folded_label(struct text_writer *writer, const char *label);
void folded_stack(struct text_writer *writer, const struct merged_stack *stack, bool kernel, bool up);
void folded_end(struct text_writer *writer, const struct merged_row *row, size_t line);
