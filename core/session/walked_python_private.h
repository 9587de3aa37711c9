/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by walked_python.c (processes), walked_names.c (their code objects) and walked_frames.c (the words of records). */
#pragma once

#include "core/session/look_python_private.h"
#include "core/session/walked_python.h"

enum {
	WALKED_BUCKETS = 256,
	WALKED_PAGES_MAX = 8192, /* that are copied for a process, and for its code objects */
};

struct process {
	struct process *next; /* in its bucket */
	uint32_t tgid;
	uint32_t nr_tries;
	bool is_settled; /* the programs know the process, or it is refused */
	bool is_gone; /* the last sweep did not find it */
	uint16_t epoch; /* as in struct st_php */
	uint64_t start_ns; /* from /proc */
	uint64_t since_ns, next_try_ns;
	size_t names_left; /* bytes of its names that may still be added */
	const char *why; /* why it is refused; NULL: it is not */
	uint64_t nr_records;
	bool has_fresh; /* frames in the records at hand */
	struct look_python *python; /* its `is` says which program it runs */
};

/* The offsets that processes with the same file share. */
struct known_file {
	uint32_t image;
	uint16_t key;
	uint16_t state_block;
	uint16_t code_name, code_file, code_first_line, code_lines;
	uint16_t text_compact;
};

struct walked_python {
	const struct loaded *loaded;
	const struct plan *plan;
	struct unwinding *unwinding;
	struct profile *profile;
	struct look_memory *memory;
	struct look_pages *pages;
	struct stacktool *copy; /* with the programs that walk; NULL: the first ones walk, or there is no Python yet */
	int refused; /* a negative errno: the kernel does not load the copy */
	struct process *processes[WALKED_BUCKETS];
	size_t nr_processes;
	VEC(struct known_file) files;
	VEC(struct python_code) fresh; /* being read */
	VEC(uint64_t) addresses;
	size_t names_left, tables_bytes, nr_functions; /* of all processes */
	size_t nr_told; /* functions in the programs' map st_told, at most */
	uint16_t epoch; /* the last one of a process */
	uint64_t nr_records;
	uint64_t left_ns; /* for reading names in this turn */
	uint64_t until_ns; /* for the current read */
	uint64_t swept_ns;
};

#define FOR_EACH_PROCESS(walked, process)                             \
	for (size_t bucket_ = 0; bucket_ < WALKED_BUCKETS; bucket_++) \
		for (struct process *process = (walked)->processes[bucket_]; process; process = process->next)

/* Where the bucket points to the process. If it is not there: the end of the bucket's list, with NULL. */
struct process **walked_place_of(struct walked_python *walked, uint32_t tgid);

/* Makes it the current process, without any copied page. */
void walked_begin(const struct process *process);

/* Adds the processes with a Python that began since the last call. */
void walked_take_all(struct walked_python *walked);

void walked_forget_codes(struct walked_python *walked);

static inline const uint64_t *walked_words(const struct st_stack *stack)
{
	return (const uint64_t *)stack->frames + stack->head.nr_kernel + stack->head.nr_user;
}

/* The cookie in the two words of a frame. */
static inline uint64_t walked_cookie(const uint64_t words[2])
{
	return ST_IS_PHP(words[0]) ? ST_PHP_COOKIE(words[1]) : ST_PYTHON_COOKIE(words[1]);
}

/*
 * The frames for the words of a record. `python` has the code objects; NULL: none is known. Returns their number, at most ST_MAX_FRAMES.
 * *ret_lacks: some could not be read, have no name, or did not fit into the record.
 */
size_t walked_frames(struct look_python *python, struct profile *profile, const struct st_stack *stack,
		     struct drain_insert data[ST_MAX_FRAMES], bool *ret_lacks);
