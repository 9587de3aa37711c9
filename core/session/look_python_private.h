/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A CPython process and its code objects: look_python.c reads threads that stand still, walked_python.c names the frames that the BPF
 * programs have walked.
 */
#pragma once

#include "core/base/hashidx.h"
#include "core/session/look_pages.h"
#include "core/session/look_python.h"

enum {
	PYTHON_CODES_MAX = 4096, /* code objects of a process */
	PYTHON_CHECKED_MAX = 32, /* threads that are compared: the same offset must be right for all */
	PYTHON_NAMES_MAX = 64 << 20, /* bytes of all names and files that are read */
};

/* A code object and what it is called. */
struct python_code {
	uint64_t at;
	uint64_t name, file, lines; /* addresses */
	uint32_t first_line;
	string_id name_id, file_id;
	uint8_t *table; /* of lines */
	size_t nr_table;
};

/* A thread of an interpreter. */
struct python_state {
	uint64_t at;
	uint32_t tid; /* in the namespace of the process; 0: it has not begun */
};

struct python_frame {
	uint64_t code; /* 0: it could not be read */
	int64_t offset; /* of the instruction in the bytecode */
};

/* Frames that one call from C has led to, innermost first. `marker` is an address in the native frame of the interpreter's loop. */
struct python_group {
	uint64_t marker; /* 0: unknown */
	size_t first, nr; /* in `frames` */
};

/* A process whose frames are not shown. */
struct python_refusal {
	uint32_t tgid;
	char *line;
};

struct look_python {
	const struct unwinding *unwinding; /* borrowed, as the next one */
	struct profile *profile;

	/* the process at hand */
	uint32_t tgid; /* 0: none */
	struct unwinding_python is; /* the interpreter that it maps */
	const struct python_layout *layout; /* NULL: none that can be used */
	uint64_t bias;
	uint16_t code_name, code_file, code_first_line, code_lines; /* offsets */
	uint16_t text_compact;
	VEC(struct python_state) states;
	uint16_t state_block; /* offset in a state of the address of the thread's control block, before its thread id */
	bool lacks_states; /* the list of threads could not be read to its end: it may have changed meanwhile */
	VEC(struct python_code) codes;
	struct hashidx code_index; /* by address and cookie */
	size_t tables_bytes; /* of their tables */

	/* the thread at hand */
	const struct look_walk *walk; /* NULL: its stack is not at hand */
	VEC(struct python_frame) frames;
	VEC(struct python_group) groups;
	struct look_pages *pages; /* borrowed */
	bool has_failed; /* something of the thread could not be read */
	bool has_more; /* than FRAMES_MAX frames, or STEPS_MAX steps */

	size_t names_left; /* bytes that may yet be read */
	VEC(struct python_refusal) refused;
};

/* Copies bytes of the process; false: some of them cannot be read. */
bool python_read_bytes(struct look_python *python, uint64_t at, void *to, size_t nr);

/* 0 where it cannot be read, which `has_failed` says. */
uint64_t python_word_at(struct look_python *python, uint64_t at);

/* Reads the process at hand, which has a layout: its type of code objects and its threads. NULL, or why it is refused. */
const char *python_read_process(struct look_python *python);

/* Reads the members of a code object. False: there is no code object here. */
bool python_read_code(struct look_python *python, uint64_t at, struct python_code *ret_code);

/* The number by which the programs tell it from others at the same address. */
uint32_t python_cookie(const struct python_code *code);

/* One that was kept; NULL: none. Valid until another one is kept. */
const struct python_code *python_find_code(const struct look_python *python, uint64_t at, uint32_t cookie);

/* Keeps one that is not kept yet, with its table. */
void python_keep_code(struct look_python *python, const struct python_code *code);
void python_forget_codes(struct look_python *python);

/* Whether two code objects at the same address are the same. */
bool python_is_same_code(const struct python_code *a, const struct python_code *b);

/* Reads its names and lines. False: it has no name. It then has no table that is to be freed. */
bool python_read_names(struct look_python *python, struct python_code *code);

/*
 * Whether it is not Python code but the interpreter's own, which hides it: from 3.13 on, a call of a class has a frame that cleans up
 * after __init__(), whose function and file have one string object as name.
 */
bool python_is_helper(const struct python_code *code);

/* The frame of the profile for an instruction of a code object. */
uint32_t python_add_frame(struct look_python *python, const struct python_code *code, int64_t offset);

/* A frame in place of others; `number` keeps them apart. */
uint32_t python_add_label(struct profile *profile, const char *text, uint64_t number);
