/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind table of one file (bpf/unwind_abi.h), with rows and rules numbered from 0: how it is built and checked.
 * docs/internals/unwind-tables.md has the format.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bpf/unwind_abi.h"
#include "core/base/hashidx.h"
#include "core/base/vec.h"
#include "symbolize/interpreter.h"

enum {
	UNWIND_PAGES_MAX = 1 << 20, /* 4 GiB of addresses, more than common code models of x86_64 */
	UNWIND_ROWS_MAX = 1 << 24, /* 64 MiB; libLLVM has two million rows */
	UNWIND_TABLE_RULES_MAX = 1 << 16, /* all files of Debian have 4,500 */
};

struct unwind_facts {
	uint32_t nr_functions; /* functions and stubs with rules */
	uint32_t nr_bad; /* functions with malformed instructions, and pages with too many rows: some rules are missing */
};

/* The highest number of a first page: no address of the table wraps. */
#define UNWIND_FIRST_PAGE_MAX ((UINT64_MAX >> ST_UNWIND_PAGE_SHIFT) - UNWIND_PAGES_MAX)

#define UNWIND_SEGMENTS_MAX 8 /* code segments of a file; linkers make one or two */

struct unwind_segment {
	uint64_t offset, nr_bytes; /* in the file */
	uint64_t address; /* by the program header */
};

struct unwind_table {
	struct unwind_segment segments[UNWIND_SEGMENTS_MAX];
	uint32_t nr_segments;
	uint64_t first_page; /* page number of pages.data[0]: address >> ST_UNWIND_PAGE_SHIFT */
	VEC(st_unwind_page) pages;
	VEC(uint32_t) rows; /* in the order of the pages */
	VEC(struct st_unwind_rule) rules;
	struct unwind_facts facts;
	struct interpreter interpreter; /* that the file has */
	VEC(char) needs; /* libraries, by NEEDS_… of symbolize.h; ends with a NUL, or is empty */
};

/* Frees the arrays and empties the table. */

void unwind_table_done(struct unwind_table *table);

/*
 * Checks a table from the worker: rows of each page are ascending and in the table, their rules exist, and the kinds of rules are known. A
 * valid table can be searched and copied without further checks.
 */
bool unwind_table_is_valid(const struct unwind_table *table);

/*
 * The address of an offset in the file. Counts the rest of a segment's first and last page, which is mapped too. Returns 0, or -ENODATA
 * outside code.
 */
int unwind_table_address_of_offset(const struct unwind_table *table, uint64_t offset, uint64_t *ret_address);

/* Bytes of pages, rows and rules. */
size_t unwind_table_bytes(const struct unwind_table *table);

struct unwind_builder {
	struct unwind_table table;
	struct hashidx index;
	struct {
		struct st_unwind_rule rule;
		uint32_t number;
	} recent[256]; /* cache of rules, by hash */
	uint64_t page; /* the current page, counted from first_page */
	uint32_t page_start; /* index of its first row */
	uint32_t rule; /* number of the rule from the last row on */
	bool page_full;
};

/* Begins a table for [low, high). Returns 0, -E2BIG for an empty range or too many pages, or -ENOMEM. */
int unwind_builder_init(struct unwind_builder *builder, uint64_t low, uint64_t high);
void unwind_builder_done(struct unwind_builder *builder);

/*
 * Sets the rule from this address on. Call it with ascending addresses: one that is not above the last of its page replaces that row's
 * rule. Returns 0, -ERANGE outside the table or in an earlier page, -E2BIG for too many rows or rules, or -ENOMEM.
 */
int unwind_builder_add(struct unwind_builder *builder, uint64_t address, struct st_unwind_rule rule);

/* Gives the table to the caller. Returns 0 with the builder empty, or -E2BIG or -ENOMEM with the builder unchanged. */
int unwind_builder_finish(struct unwind_builder *builder, struct unwind_table *ret_table);
