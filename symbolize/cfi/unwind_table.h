/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind table of one file, as bpf/unwind_abi.h describes it, with rows and rules counted from 0; and how it is put
 * together and checked. docs/internals/unwind-tables.md has the format.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bpf/unwind_abi.h"
#include "core/base/hashidx.h"
#include "core/base/vec.h"

enum {
	UNWIND_PAGES_MAX = 1 << 20, /* 4 GiB of addresses; more makes no sense to the code models of x86_64 */
	UNWIND_ROWS_MAX = 1 << 24, /* 64 MiB; libLLVM has two million */
	UNWIND_TABLE_RULES_MAX = 1 << 16, /* a whole Debian has 4,500 */
};

/* What became of the file's information, for the report. */
struct unwind_facts {
	uint32_t nr_functions; /* ranges with rules of their own */
	uint32_t nr_bad; /* of them with instructions that make no sense, or that found no room: they have no rules */
};

/* The last page that a table may begin with, so that no address of it wraps around. */
#define UNWIND_FIRST_PAGE_MAX ((UINT64_MAX >> ST_UNWIND_PAGE_SHIFT) - UNWIND_PAGES_MAX)

#define UNWIND_SEGMENTS_MAX 8 /* of code in one file; linkers make one or two */

/* A piece of the file that is loaded as code: from where in the file to which address. */
struct unwind_segment {
	uint64_t offset, nr_bytes, address;
};

struct unwind_table {
	struct unwind_segment segments[UNWIND_SEGMENTS_MAX];
	uint32_t nr_segments;
	uint64_t first_page; /* number of the page of pages.data[0]: address >> ST_UNWIND_PAGE_SHIFT */
	VEC(st_unwind_page) pages;
	VEC(uint32_t) rows; /* in the order of the pages */
	VEC(struct st_unwind_rule) rules;
	struct unwind_facts facts;
	VEC(char) needs; /* NEEDS_… of symbolize.h; ends with a NUL, or is empty */
};

void unwind_table_done(struct unwind_table *table);

/*
 * Whether a table that came from the worker is one: every page's rows in order and within the table, every row's rule
 * there, every rule of a known kind. What passes can be walked and copied without a further look.
 */
bool unwind_table_is_valid(const struct unwind_table *table);

/*
 * The address of a place in the file; the rest of a page before or after a segment is mapped with it and counts. -ENODATA
 * when that is no code.
 */
int unwind_table_address_of_offset(const struct unwind_table *table, uint64_t offset, uint64_t *ret_address);

/* Bytes of its three arrays. */
size_t unwind_table_bytes(const struct unwind_table *table);

/* ---- putting it together ---- */

struct unwind_builder {
	struct unwind_table table;
	struct hashidx index; /* of the rules */
	struct {
		struct st_unwind_rule rule;
		uint32_t number;
	} recent[256]; /* rules by a hash */
	uint64_t page; /* the one that is open, counted from first_page */
	uint32_t page_start; /* its first row */
	uint32_t rule; /* in force where the next row begins */
	bool page_full;
};

/* Begins a table for the addresses from `low` up to `high`. -E2BIG for too many pages, -ENOMEM. */
int unwind_builder_init(struct unwind_builder *builder, uint64_t low, uint64_t high);
void unwind_builder_done(struct unwind_builder *builder);

/*
 * The rule that holds from this address on. Addresses rise; one that comes twice, or is below the last one in its page, counts
 * as the last one, with the later rule. Addresses outside of the table, and in pages that are left, are -ERANGE; -E2BIG for too
 * many rows or rules, -ENOMEM.
 */
int unwind_builder_add(struct unwind_builder *builder, uint64_t address, struct st_unwind_rule rule);

/* Hands the table over; the builder is empty afterwards. */
int unwind_builder_finish(struct unwind_builder *builder, struct unwind_table *ret_table);
