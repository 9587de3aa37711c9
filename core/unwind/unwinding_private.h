/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What unwinding.c and unwinding_code.c share. */
#pragma once

#include "core/base/vec.h"
#include "core/files/foreign_memory.h"
#include "core/unwind/code_blocks.h"
#include "core/unwind/unwinding.h"

#define NR_BUCKETS 1024
#define MAX_WAITING 256 /* tables requested at a time; of one owner UNWIND_REQUESTS_MAX */
#define CODE_REQUESTS (1u << 31) /* numbers of requests from here on are of code; those below are images */

enum state {
	STATE_NONE, /* not requested */
	STATE_TRIED, /* not requested yet: the file could not be opened */
	STATE_WAITING, /* the worker makes it */
	STATE_READY,
	STATE_EMPTY, /* the file has nothing to unwind by, or cannot be had */
	STATE_REFUSED, /* no room; requested again after a pause */
};

/* The table of an image, by the number of the image, which is held in all states but the first. */
struct module {
	uint8_t state; /* enum state */
	uint8_t nr_tries;
	bool used; /* scratch for eviction */
	uint64_t put_off_at; /* `nr_taken` when the worker had no room for the request; 0: it had */
	uint32_t expected_as; /* 1 + its number in `expected`; 0 none */
	uint32_t table; /* in the store */
	uint32_t nr_segments;
	struct unwind_segment segments[UNWIND_SEGMENTS_MAX];
	struct python_layout python; /* of an interpreter in the file */
};

/* A table of code that is in no file. */
struct code_table {
	struct unwind_table table; /* to compare with */
	uint32_t number; /* in the store */
	bool used; /* scratch for eviction */
};

/* A mapping without a file that was looked at. */
struct known_code {
	uint64_t start, end, since_ns;
	uint32_t table; /* in the store, or UNWIND_NO_TABLE */
	bool seen; /* it is still there */
	struct code_copy made_of; /* of code_blocks.h: what the table was made of */
	struct code_copy asked; /* what the worker makes one of; it was found later */
	uint32_t request; /* its number; 0: it was not handed over */
	uint64_t valid_from_ns; /* walks before this may have used another table */
	int64_t look_at_ms; /* when it is read again at the earliest */
	bool unread; /* the last reading failed: it may be other code now */
	uint32_t pause_ms;
};

struct space {
	struct space *next; /* in its bucket */
	struct unwind_process process;
	struct mappings *mappings;
	bool incomplete; /* tables may come that it does not have yet */
	uint32_t nr_put_off; /* files that the worker had no room for, while it is published */
	bool has_python, is_told; /* it maps a CPython; unwinding_next_python() has told it, or will */
	VEC(struct known_code) codes; /* by address */
};

struct unwinding {
	struct unwinding_options options;
	struct unwind_store *store; /* NULL: none yet */
	struct expected_files *expected; /* NULL: no command is waited for */
	VEC(struct module) modules;
	VEC(struct code_table) code_tables;
	struct space *spaces[NR_BUCKETS];
	VEC(struct unwind_space_mapping) scratch;
	VEC(struct foreign_part) begins; /* scratch, by address: what the new code of a process begins with */
	VEC(uint32_t) pythons; /* for unwinding_next_python() */
	size_t nr_waiting;
	uint64_t nr_taken; /* tables that the worker has made, plus 1 */
	int64_t retry_ms; /* when tables that found no room are requested again; 0: there are none */
	int64_t retry_pause_ms;
	size_t nr_held, evict_at; /* modules in other states than STATE_NONE: now, and when unused ones are let go */
	uint64_t evict_at_bytes; /* in the store, the same */
	uint64_t nr_refused;
	uint32_t nr_held_back; /* reads of code that took too long */
	int64_t held_back_ms; /* when code is read again after those */
	int64_t read_again_ms; /* when blocks are read again, of all areas */
	int64_t evict_code_ms; /* when tables of code that is gone are looked for again */
	uint32_t nr_code_requests;
	bool any_new; /* there are tables that processes do not have yet */
	int64_t published_ms; /* when processes were last given what was new */
};

/* Stores a table, in the place of those that nobody maps if need be. 0 or the errno of unwind_store_add(). */
int unwinding_store(struct unwinding *unwinding, const struct unwind_table *table, uint32_t *ret_number);

/* Forgets the tables of files and of code that no process has any more. Whether there were any. */
bool unwinding_evict(struct unwinding *unwinding);

/* Writes what the process maps into the store. Where there is no room, tables that no process uses go. */
void unwinding_publish(struct unwinding *unwinding, struct space *space);

struct space *unwinding_space(const struct unwinding *unwinding, uint32_t tgid);

/* Reads what the mappings without a file begin with, unless they are known, for unwinding_table_of_code(). */
void unwinding_read_begins(struct unwinding *unwinding, const struct space *space, const struct mapping *mappings,
			   size_t nr);

/* The table of a mapping without a file. Its code is read once, as long as it is the same mapping. */
uint32_t unwinding_table_of_code(struct unwinding *unwinding, struct space *space, const struct mapping *mapping);

/* Forgets the code that is not mapped any more: what unwinding_table_of_code() has not been asked about since the last call. */
void unwinding_keep_seen(struct space *space);
void unwinding_forget_codes(struct space *space);

/* Takes the table that the worker has made of code, or its failure, and publishes the process. */
void unwinding_take_code(struct unwinding *unwinding, struct symbol_unwind *made);
