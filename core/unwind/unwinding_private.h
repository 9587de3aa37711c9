/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What unwinding.c and unwinding_code.c share. */
#pragma once

#include "core/base/vec.h"
#include "core/files/foreign_memory.h"
#include "core/unwind/code_blocks.h"
#include "core/unwind/unwinding.h"

#define NR_BUCKETS 1024
#define MAX_WAITING 256 /* tables requested at a time; of one owner UNWIND_REQUESTS_MAX */
#define CODE_REQUESTS (1u << 31) /* requests from this number on are for code, those below are images */

enum state {
	STATE_NONE, /* not requested */
	STATE_TRIED, /* the file could not be opened; tried again for another process */
	STATE_WAITING, /* the worker makes the table */
	STATE_READY,
	STATE_EMPTY, /* the file has no unwind information, or cannot be opened */
	STATE_REFUSED, /* did not fit; requested again after a pause */
};

/* The table of an image, by image number. All states but the first hold the image. */
struct module {
	uint8_t state; /* enum state */
	uint8_t nr_tries;
	bool used; /* for unwinding_evict() */
	uint64_t put_off_at; /* value of `nr_taken` when the worker had no room for the request; 0: it had */
	uint32_t expected_as; /* 1 + its index in `expected`; 0: none */
	uint32_t table; /* in the store */
	uint32_t nr_segments;
	struct unwind_segment segments[UNWIND_SEGMENTS_MAX];
	struct interpreter interpreter; /* that the file has */
};

/* A table of code that is in no file. */
struct code_table {
	struct unwind_table table; /* to compare with */
	uint32_t number; /* in the store */
	bool used; /* for unwinding_evict() */
};

/* A mapping without a file whose code was read. */
struct known_code {
	uint64_t start, end, since_ns;
	uint32_t table; /* in the store, or UNWIND_NO_TABLE */
	bool seen; /* it is still there */
	struct code_copy made_of; /* for code_blocks.h: the copy that the table was made of */
	struct code_copy asked; /* a newer copy, of which the worker makes, or will make, the next table */
	uint32_t request; /* number of the request for `asked`; 0: the worker does not have it */
	uint64_t valid_from_ns; /* walks before this may have used another table */
	int64_t look_at_ms; /* the code is not read again before this */
	bool unread; /* the last read failed: the code may have changed */
	uint32_t pause_ms;
};

struct space {
	struct space *next; /* in the same bucket */
	struct unwind_process process;
	struct mappings *mappings;
	bool is_past; /* of unwinding_begin_space(): its memory is not read */
	bool incomplete; /* tables that it does not have yet may come */
	uint32_t nr_put_off; /* files that the worker had no room for, in this publication */
	bool has_interpreter, is_told; /* it maps one; it is in `interpreters` or was returned from it */
	VEC(struct known_code) codes; /* by address */
};

struct unwinding {
	struct unwinding_options options;
	struct unwind_store *store; /* NULL: none yet */
	struct expected_files *expected; /* NULL: no command is expected */
	VEC(struct module) modules;
	VEC(struct code_table) code_tables;
	struct space *spaces[NR_BUCKETS];
	VEC(struct unwind_space_mapping) scratch;
	VEC(struct foreign_part) begins; /* scratch: the first bytes of new code of a process, by address */
	struct unwind_extent walked; /* of unwinding_begin_space() */
	VEC(uint32_t) interpreters; /* for unwinding_next_interpreter() */
	size_t nr_waiting;
	uint64_t nr_taken; /* 1 + tables from the worker */
	int64_t retry_ms; /* when tables that did not fit are requested again; 0: there are none */
	int64_t retry_pause_ms;
	size_t nr_held, evict_at; /* number of modules not in STATE_NONE, and the limit for removal of unused ones */
	uint64_t evict_at_bytes; /* the same for bytes in the store */
	uint64_t nr_refused;
	uint32_t nr_held_back; /* reads of code that took too long */
	int64_t held_back_ms; /* when code is read again after those */
	int64_t read_again_ms; /* before this, no blocks are read, of any area */
	int64_t evict_code_ms; /* when tables of code that is gone are looked for again */
	uint32_t nr_code_requests;
	bool any_new; /* there are tables that processes do not have yet */
	int64_t published_ms; /* when processes last got new tables */
};

/* Stores a table, after removing unused ones if needed. 0 or the errno of unwind_store_add(). */
int unwinding_store(struct unwinding *unwinding, const struct unwind_table *table, uint32_t *ret_number);

/* Removes the tables of files and code that no process has. Returns whether there were any. */
bool unwinding_evict(struct unwinding *unwinding);

/* Writes the process's mappings to the store, after removing unused tables if needed. */
void unwinding_publish(struct unwinding *unwinding, struct space *space);

struct space *unwinding_space(const struct unwinding *unwinding, uint32_t tgid);

/* Reads the first bytes of unknown mappings without a file, for unwinding_table_of_code(). */
void unwinding_read_begins(struct unwinding *unwinding, const struct space *space, const struct mapping *mappings,
			   size_t nr);

/* The table of a mapping without a file. Reads the code of a new mapping; unwinding_first_changed() reads blocks again. */
uint32_t unwinding_table_of_code(struct unwinding *unwinding, struct space *space, const struct mapping *mapping);

/* Forgets code that is not mapped any more: for which unwinding_table_of_code() was not called since the last call. */
void unwinding_keep_seen(struct space *space);
void unwinding_forget_codes(struct space *space);

/* Takes the worker's table of code, or its failure, and publishes the process. */
void unwinding_take_code(struct unwinding *unwinding, struct symbol_unwind *made);
