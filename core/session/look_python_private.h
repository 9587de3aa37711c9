/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process of an interpreter and its code objects, which are functions in PHP: for look_python.c (threads on no CPU), look_php.c, and
 * walked_python.c (frames walked by programs).
 */
#pragma once

#include "bpf/interpreter_abi.h"
#include "core/base/hashidx.h"
#include "core/session/look_pages.h"
#include "core/session/look_python.h"

enum {
	PYTHON_CODES_MAX = 4096, /* code objects of a process */
	PYTHON_CHECKED_MAX = 32, /* threads that are compared: the offset must be the same for all */
	PYTHON_NAMES_MAX = 64 << 20, /* bytes of all names and files that are read */
};

/* A code object and what it is called. In PHP, a function, which has its cookie in place of an address. */
struct python_code {
	uint64_t at;
	uint64_t name, file, lines; /* addresses */
	uint32_t first_line;
	string_id name_id, file_id;
	uint8_t *table; /* line table */
	size_t nr_table;
};

struct python_state {
	uint64_t at;
	uint32_t tid; /* in the namespace of the process; 0: it has not begun */
};

struct python_frame {
	uint64_t code; /* 0: it could not be read */
	int64_t offset; /* of the instruction in the bytecode */
};

/* The frames of one call from C, innermost first. `marker` is an address in the native frame of the interpreter's loop. */
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
	const struct unwinding *unwinding; /* borrowed, like the next one */
	struct profile *profile;

	/* the current process */
	uint32_t tgid; /* 0: none */
	struct unwinding_interpreter is; /* the interpreter that it maps */
	const struct python_layout *layout; /* NULL: no layout that can be used */
	uint64_t bias;
	uint16_t code_name, code_file, code_first_line, code_lines; /* offsets */
	uint16_t text_compact;
	VEC(struct python_state) states;
	uint16_t state_block; /* offset of the control block's address in a thread state; the thread id follows it */
	uint64_t current; /* of PHP: where the address of the innermost frame is */
	bool lacks_states; /* the list of threads was not read completely; it may have changed during the read */
	VEC(struct python_code) codes;
	struct hashidx code_index; /* by address and cookie */
	size_t tables_bytes; /* of the line tables of `codes` */

	/* the current thread */
	const struct look_walk *walk; /* NULL: its stack is not available */
	VEC(struct python_frame) frames;
	VEC(struct python_group) groups;
	struct look_pages *pages; /* borrowed */
	bool has_failed; /* some data of the thread could not be read */
	bool has_more; /* more than FRAMES_MAX frames or STEPS_MAX steps */

	size_t names_left; /* bytes that may still be added */
	VEC(struct python_refusal) refused;
};

/* Copies bytes of the process. False: some of them cannot be read. */
bool python_read_bytes(struct look_python *python, uint64_t at, void *to, size_t nr);

/* The word at this address. If it cannot be read: 0, and sets `has_failed`. */
uint64_t python_word_at(struct look_python *python, uint64_t at);

/* Reads the current process, which has a layout: its code type and threads. NULL, or why it is refused. */
const char *python_read_process(struct look_python *python);

/* Reads the members of a code object. False: there is no code object at this address. */
bool python_read_code(struct look_python *python, uint64_t at, struct python_code *ret_code);

/* The number by which the programs distinguish the code object from others at the same address. */
uint64_t python_cookie(const struct look_python *python, const struct python_code *code);

/* A code object that was kept, or NULL. Valid until another one is kept. */
const struct python_code *python_find_code(const struct look_python *python, uint64_t at, uint64_t cookie);

/* Keeps a code object that is not kept yet, with its line table. */
void python_keep_code(struct look_python *python, const struct python_code *code);
void python_forget_codes(struct look_python *python);

/* Whether two code objects at the same address are the same. */
bool python_is_same_code(const struct python_code *a, const struct python_code *b);

/* Reads the names and lines of a code object. False: it has no name; `table` is then NULL. */
bool python_read_names(struct look_python *python, struct python_code *code);

/*
 * Whether the code object is an internal one that the interpreter hides: from 3.13 on, a call of a class has a frame that cleans up after
 * __init__(), whose function name and file are the same string object.
 */
bool python_is_helper(const struct python_code *code);

/* The frame of the profile for an instruction of a code object. */
uint32_t python_add_frame(struct look_python *python, const struct python_code *code, int64_t offset);

/* A frame in place of others, such as "[python: no name]". `number`, less than 4, distinguishes labels. */
uint32_t python_add_label(struct profile *profile, unsigned int language, const char *text, uint64_t number);

/* Adds a name to the profile; 0: it is new, and too many bytes of names have been read. */
string_id python_keep_text(struct look_python *python, struct buf *text);

/* ---- look_php.c: the same for PHP ---- */

static inline bool python_is_php(const struct look_python *python)
{
	return python->is.interpreter.language == LANGUAGE_PHP;
}

/* Of a function that is written in PHP: as much as has its members. */
uint16_t php_function_bytes(const struct php_layout *layout);

/* Finds `current`. False: it cannot be read. */
bool php_find_current(struct look_python *python);

const char *php_read_process(struct look_python *python);

/* The names of a function. False: it has none, or too many have been read. */
bool php_name_function(struct look_python *python, const struct st_function *function, struct python_code *ret_code);
