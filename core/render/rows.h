/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows on a sheet, each in one form of text and with everything that ends it. Private to render/. */
#pragma once

#include "core/render/sheet.h"

void text_row(struct sheet *sheet, const struct merged_row *row);
void table_row(struct sheet *sheet, const struct merged_row *row); /* VIEW_FUNCCOUNT */
#define TABLE_NAME_COLUMNS 36 /* bcc's; longer names push their number to the right */
void event_row(struct sheet *sheet, const struct merged_row *row,
	       const struct profile_interval *interval); /* VIEW_SNOOP */
void folded_row(struct sheet *sheet, const struct merged_row *row);
void wake_text_row(struct sheet *sheet, const struct merged_row *row);   /* VIEW_OFFWAKE, VIEW_WAKE */
void wake_folded_row(struct sheet *sheet, const struct merged_row *row); /* the same */

/* Parts that several forms have. Labels and stacks as lines, or as elements of a folded line; `up`: root first. */
void text_label(struct sheet *sheet, const char *label);
void text_stack(struct sheet *sheet, const struct merged_stack *stack, bool kernel, bool up);
void text_durations(struct sheet *sheet, const struct merged_row *row); /* lines below its number */
void text_all_durations(struct sheet *sheet, const struct profile_interval *interval);
void folded_label(struct sheet *sheet, const char *label);
void folded_stack(struct sheet *sheet, const struct merged_stack *stack, bool kernel, bool up);
void folded_end(struct sheet *sheet, const struct merged_row *row, size_t line);
