/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a table says of an address, found as the kernel side finds it. */
#pragma once

#include "symbolize/cfi/unwind_table.h"

/* The rule for an address of the file. */
static inline struct st_unwind_rule unwind_table_rule(const struct unwind_table *table, uint64_t address)
{
	uint64_t number = (address >> ST_UNWIND_PAGE_SHIFT) - table->first_page;
	uint32_t first, low = 0, high;

	if (number >= table->pages.nr || !ST_UNWIND_PAGE_NR(table->pages.data[number]))
		return (struct st_unwind_rule){};
	first = ST_UNWIND_PAGE_FIRST(table->pages.data[number]);
	high = ST_UNWIND_PAGE_NR(table->pages.data[number]);
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (table->rows.data[first + middle] <= ST_UNWIND_KEY(address))
			low = middle;
		else
			high = middle;
	}
	return table->rules.data[ST_UNWIND_ROW_RULE(table->rows.data[first + low])];
}
