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
void folded_label(struct text_writer *writer, const char *label);
void folded_stack(struct text_writer *writer, const struct merged_stack *stack, bool kernel, bool up);
void folded_end(struct text_writer *writer, const struct merged_row *row, size_t line);
