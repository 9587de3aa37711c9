/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "symbolize/cfi/unwind_table.h"

static uint64_t bits_of(struct st_unwind_rule rule)
{
	uint64_t bits;

	memcpy(&bits, &rule, sizeof(bits));
	return bits;
}

static bool same_rule(const void *context, uint32_t position, const void *key)
{
	const struct unwind_table *table = context;

	return !memcmp(&table->rules.data[position], key, sizeof(struct st_unwind_rule));
}

static int add_rule(struct unwind_builder *builder, struct st_unwind_rule rule, uint32_t *ret_number)
{
	struct unwind_table *table = &builder->table;
	uint64_t hash = hash_bytes(&rule, sizeof(rule));
	int err;

	*ret_number = hashidx_find(&builder->index, hash, same_rule, table, &rule);
	if (*ret_number != HASHIDX_NONE)
		return 0;
	*ret_number = (uint32_t)table->rules.nr;
	if (table->rules.nr == UNWIND_TABLE_RULES_MAX)
		return -E2BIG;
	err = vec_try_push(&table->rules, rule);
	return err ?: hashidx_try_add(&builder->index, hash, *ret_number);
}

/* Finds or adds a rule, with a cache, because most rules are soon used again. Returns 0, -E2BIG or -ENOMEM. */
static int number_of(struct unwind_builder *builder, struct st_unwind_rule rule, uint32_t *ret_number)
{
	uint64_t bits = bits_of(rule);
	size_t place = (bits * 0x9e3779b97f4a7c15u) >> 56;
	int err;

	if (bits == bits_of(builder->recent[place].rule)) { /* empty entries are right: they are rule 0 */
		*ret_number = builder->recent[place].number;
		return 0;
	}
	err = add_rule(builder, rule, ret_number);
	if (err)
		return err;
	builder->recent[place].rule = rule;
	builder->recent[place].number = *ret_number;
	return 0;
}

int unwind_builder_init(struct unwind_builder *builder, uint64_t low, uint64_t high)
{
	uint64_t nr = ((high - 1) >> ST_UNWIND_PAGE_SHIFT) - (low >> ST_UNWIND_PAGE_SHIFT) + 1;
	struct unwind_table *table = &builder->table;
	uint32_t unused;
	int err;

	memset(builder, 0, sizeof(*builder));
	if (low >= high || nr > UNWIND_PAGES_MAX || low >> ST_UNWIND_PAGE_SHIFT > UNWIND_FIRST_PAGE_MAX)
		return -E2BIG;
	table->first_page = low >> ST_UNWIND_PAGE_SHIFT;
	err = vec_try_reserve(&table->pages, (size_t)nr);
	err = err ?: add_rule(builder, (struct st_unwind_rule){}, &unused);
	if (err)
		unwind_builder_done(builder);
	else
		table->pages.nr = (size_t)nr;
	return err;
}

void unwind_builder_done(struct unwind_builder *builder)
{
	unwind_table_done(&builder->table);
	hashidx_done(&builder->index);
}

static int add_row(struct unwind_builder *builder, uint64_t address)
{
	struct unwind_table *table = &builder->table;

	if (table->rows.nr == UNWIND_ROWS_MAX)
		return -E2BIG;
	return vec_try_push(&table->rows, ST_UNWIND_ROW(address, builder->rule));
}

/* Ends the current page. A page whose only row has no rule gets no rows. */
static void close_page(struct unwind_builder *builder)
{
	struct unwind_table *table = &builder->table;
	size_t nr = table->rows.nr - builder->page_start;

	if (nr == 1 && ST_UNWIND_ROW_RULE(vec_last(&table->rows)) == 0)
		nr = 0;
	table->rows.nr = builder->page_start + nr;
	table->pages.data[builder->page] = ST_UNWIND_PAGE(builder->page_start, nr);
	builder->page_start = (uint32_t)table->rows.nr;
	builder->page_full = false;
}

/* Moves on to a page. The pages between get one row each, with the current rule. Returns 0, -E2BIG or -ENOMEM. */
static int go_to_page(struct unwind_builder *builder, uint64_t page)
{
	while (builder->page < page) {
		int err = builder->table.rows.nr == builder->page_start ? add_row(builder, 0) : 0;

		if (err)
			return err;
		close_page(builder);
		builder->page++;
	}
	return 0;
}

/* The page is full: from its last row on, it has no rule. */
static int fill_page(struct unwind_builder *builder)
{
	vec_last(&builder->table.rows) &= ~(uint32_t)(ST_UNWIND_RULES_MAX - 1);
	builder->page_full = true;
	builder->table.facts.nr_bad++;
	return 0;
}

static int put_row(struct unwind_builder *builder, uint64_t address, uint32_t number)
{
	struct unwind_table *table = &builder->table;
	uint32_t in_page = (uint32_t)address & ((1u << ST_UNWIND_PAGE_SHIFT) - 1);
	size_t nr = table->rows.nr - builder->page_start;

	if (!nr && in_page) {
		int err = add_row(builder, 0);

		if (err)
			return err;
		nr = 1;
	}
	builder->rule = number;
	if (builder->page_full)
		return 0;
	if (nr && ST_UNWIND_ROW_ADDRESS(vec_last(&table->rows)) >= in_page) {
		vec_last(&table->rows) = ST_UNWIND_ROW(ST_UNWIND_ROW_ADDRESS(vec_last(&table->rows)), number);
		return 0;
	}
	return nr == ST_UNWIND_PAGE_ROWS_MAX ? fill_page(builder) : add_row(builder, address);
}

int unwind_builder_add(struct unwind_builder *builder, uint64_t address, struct st_unwind_rule rule)
{
	uint64_t page = (address >> ST_UNWIND_PAGE_SHIFT) - builder->table.first_page;
	uint32_t number;
	int err;

	if (page >= builder->table.pages.nr || page < builder->page)
		return -ERANGE;
	err = number_of(builder, rule, &number);
	if (err || number == builder->rule)
		return err;
	err = go_to_page(builder, page);
	return err ?: put_row(builder, address, number);
}

int unwind_builder_finish(struct unwind_builder *builder, struct unwind_table *ret_table)
{
	int err = go_to_page(builder, builder->table.pages.nr);

	if (err)
		return err;
	*ret_table = builder->table;
	memset(&builder->table, 0, sizeof(builder->table));
	unwind_builder_done(builder);
	return 0;
}
