/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind table of one file (bpf/unwind_abi.h), with rows and rules counted from 0: how it is built and checked.
 * docs/internals/unwind-tables.md has the format.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bpf/unwind_abi.h"
#include "core/base/hashidx.h"
#include "core/base/vec.h"
#include "symbolize/python.h"

enum {
	UNWIND_PAGES_MAX = 1 << 20, /* 4 GiB of addresses; common code models of x86_64 allow less */
	UNWIND_ROWS_MAX = 1 << 24, /* 64 MiB; libLLVM has two million rows */
	UNWIND_TABLE_RULES_MAX = 1 << 16, /* a whole Debian has 4,500 */
};

/* For reports. */
struct unwind_facts {
	uint32_t nr_functions; /* functions and stubs with rules of their own */
	uint32_t nr_bad; /* functions with malformed instructions, and pages with too many rows: there rules are missing */
};

/* The highest number of a table's first page: no address of the table wraps around. */
#define UNWIND_FIRST_PAGE_MAX ((UINT64_MAX >> ST_UNWIND_PAGE_SHIFT) - UNWIND_PAGES_MAX)

#define UNWIND_SEGMENTS_MAX 8 /* of code in one file; linkers make one or two */

/* A part of the file that is loaded as code. */
struct unwind_segment {
	uint64_t offset, nr_bytes; /* in the file */
	uint64_t address; /* where it is loaded, by the program header */
};

struct unwind_table {
	struct unwind_segment segments[UNWIND_SEGMENTS_MAX];
	uint32_t nr_segments;
	uint64_t first_page; /* number of the page of pages.data[0]: address >> ST_UNWIND_PAGE_SHIFT */
	VEC(st_unwind_page) pages;
	VEC(uint32_t) rows; /* in the order of the pages */
	VEC(struct st_unwind_rule) rules;
	struct unwind_facts facts;
	struct python_layout python; /* of an interpreter in the file */
	VEC(char) needs; /* libraries, by NEEDS_… of symbolize.h; ends with a NUL, or is empty */
};

/* Frees the arrays; the table is empty afterwards. */

void unwind_table_done(struct unwind_table *table);

/*
 * Checks a table from the worker: the rows of each page are in order and in the table, the rule of each row exists, and each
 * rule is of a known kind. A valid table can be searched and copied without further checks.
 */
bool unwind_table_is_valid(const struct unwind_table *table);

/*
 * The address of an offset in the file. A segment is mapped with the rest of its first and last page, and these count too.
 * 0, or -ENODATA if the offset is in no code segment.
 */
int unwind_table_address_of_offset(const struct unwind_table *table, uint64_t offset, uint64_t *ret_address);

/* Size in bytes of pages, rows and rules. */
size_t unwind_table_bytes(const struct unwind_table *table);

/* ---- building ---- */

struct unwind_builder {
	struct unwind_table table;
	struct hashidx index; /* of the rules */
	struct {
		struct st_unwind_rule rule;
		uint32_t number;
	} recent[256]; /* a cache of rules, by a hash */
	uint64_t page; /* the page that gets rows now, counted from first_page */
	uint32_t page_start; /* number of its first row */
	uint32_t rule; /* number of the rule that holds from the last row on */
	bool page_full;
};

/* Begins a table for the addresses [low, high). 0, -E2BIG for an empty range or too many pages, -ENOMEM. */
int unwind_builder_init(struct unwind_builder *builder, uint64_t low, uint64_t high);
void unwind_builder_done(struct unwind_builder *builder);

/*
 * Sets the rule that holds from this address on. Call it with ascending addresses. An address that is not above the last one
 * in its page replaces the rule of that one. 0, -ERANGE for an address outside of the table or in an earlier page, -E2BIG for
 * too many rows or rules, -ENOMEM.
 */
int unwind_builder_add(struct unwind_builder *builder, uint64_t address, struct st_unwind_rule rule);

/* Gives the table to the caller. 0 and the builder is empty, or -E2BIG or -ENOMEM and it is unchanged. */
int unwind_builder_finish(struct unwind_builder *builder, struct unwind_table *ret_table);
