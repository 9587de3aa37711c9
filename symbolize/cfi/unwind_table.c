/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/cfi/unwind_table.h"

#include <errno.h>
#include <string.h>

void unwind_table_done(struct unwind_table *table)
{
	vec_done(&table->pages);
	vec_done(&table->rows);
	vec_done(&table->rules);
	vec_done(&table->needs);
	*table = (struct unwind_table){};
}

size_t unwind_table_bytes(const struct unwind_table *table)
{
	return table->pages.nr * sizeof(*table->pages.data) + table->rows.nr * sizeof(*table->rows.data) +
	       table->rules.nr * sizeof(*table->rules.data);
}

int unwind_table_address_of_offset(const struct unwind_table *table, uint64_t offset, uint64_t *ret_address)
{
	const uint64_t page_bytes = 1 << ST_UNWIND_PAGE_SHIFT;

	for (uint32_t i = 0; i < table->nr_segments && i < UNWIND_SEGMENTS_MAX; i++) {
		const struct unwind_segment *segment = &table->segments[i];
		uint64_t before = segment->offset % page_bytes, start = segment->offset - before;

		if (offset < start || offset - start >= ((before + segment->nr_bytes + page_bytes - 1) & -page_bytes))
			continue;
		*ret_address = segment->address + (offset - segment->offset);
		return 0;
	}
	return -ENODATA;
}

static bool rules_are_sound(const struct unwind_table *table)
{
	static const struct st_unwind_rule none;

	if (!table->rules.nr || table->rules.nr > UNWIND_TABLE_RULES_MAX ||
	    memcmp(&table->rules.data[0], &none, sizeof(none)) != 0)
		return false;
	for (size_t i = 0; i < table->rules.nr; i++) {
		const struct st_unwind_rule *rule = &table->rules.data[i];

		if (rule->kind >= ST_UNWIND_NR_KINDS || ST_UNWIND_HOW_RA(rule->how) > ST_UNWIND_RA_ELSEWHERE)
			return false;
	}
	return true;
}

static bool rows_are_sound(const struct unwind_table *table, size_t first, size_t nr)
{
	uint32_t before = 0;

	for (size_t i = first; i < first + nr; i++) {
		uint32_t row = table->rows.data[i], address = ST_UNWIND_ROW_ADDRESS(row);

		if (ST_UNWIND_ROW_RULE(row) >= table->rules.nr || (i == first ? address != 0 : address <= before))
			return false;
		before = address;
	}
	return true;
}

bool unwind_table_is_valid(const struct unwind_table *table)
{
	size_t next = 0;

	if (table->nr_segments > UNWIND_SEGMENTS_MAX || !interpreter_is_valid(&table->interpreter))
		return false;
	if (table->pages.nr > UNWIND_PAGES_MAX || table->rows.nr > UNWIND_ROWS_MAX ||
	    table->first_page > UNWIND_FIRST_PAGE_MAX || !rules_are_sound(table))
		return false;
	for (size_t i = 0; i < table->pages.nr; i++) {
		uint32_t first = ST_UNWIND_PAGE_FIRST(table->pages.data[i]);
		uint32_t nr = ST_UNWIND_PAGE_NR(table->pages.data[i]);

		if (first != next || nr > ST_UNWIND_PAGE_ROWS_MAX || nr > table->rows.nr - next ||
		    !rows_are_sound(table, next, nr))
			return false;
		next += nr;
	}
	return next == table->rows.nr;
}
