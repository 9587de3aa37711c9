/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a build of CPython (3.11 and later) keeps its frames, and how it keeps names and lines. docs/internals/python.md has the method.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buf.h"

#define PYTHON_NONE UINT16_MAX /* this build has no such member */

/* What is asked of the functions, in this order. */
enum python_question {
	PYTHON_ASK_CODE,
	PYTHON_ASK_OLD, /* frames are Python objects: before 3.11 */
	PYTHON_ASK_FREE_THREADED, /* object headers differ */
	PYTHON_ASK_INSTRUCTION,
	PYTHON_ASK_INSTRUCTIONS,
	PYTHON_ASK_PREVIOUS,
	PYTHON_ASK_OWNER,
	PYTHON_ASK_ENTRY,
	PYTHON_ASK_CURRENT,
	PYTHON_ASK_NEXT_THREAD,
	PYTHON_ASK_NEXT_INTERPRETER,
	PYTHON_ASK_THREADS,
	PYTHON_ASK_INTERPRETERS,
	PYTHON_ASK_TYPE,
	PYTHON_ASK_BYTES,
	PYTHON_ASK_LENGTH,
	PYTHON_ASK_STATE,
	PYTHON_ASK_TEXT,
	PYTHON_ASK_OBJECTS, /* PyCode_Type, PyUnicode_Type */
	PYTHON_NR_QUESTIONS,
};

/* Offsets of members in bytes. A frame is a _PyInterpreterFrame. */
struct python_layout {
	uint8_t entry_owner; /* a frame with this owner or a higher one stands for a call from C; 0: `frame_is_entry` tells */
	bool head_by_pointer; /* `head` has the address of the object that has the first interpreter; else it is in that object */
	uint16_t frame_code, frame_instruction, frame_previous, frame_owner;
	uint16_t frame_is_entry; /* a byte; or PYTHON_NONE */
	uint16_t code_instructions; /* start of its bytecode */
	uint16_t thread_cframe; /* of the pointer to the struct with `thread_frame`; PYTHON_NONE: that is in the thread state */
	uint16_t thread_frame, thread_next;
	uint16_t interpreter_next, interpreter_threads;
	uint16_t object_type;
	uint16_t bytes_size, bytes_data;
	uint16_t text_length, text_state, text_ascii;
	uint16_t code_tags; /* tag bits in a pointer to a code object */
	uint64_t head; /* link-time address, also those below */
	uint64_t head_offset;
	uint64_t code_type, text_type;
	uint64_t loop; /* _PyEval_EvalFrameDefault; 0: not exported */
	uint32_t loop_bytes;
	/* Only with `thread_cframe`. */
	uint16_t unfilled,
		unfilled_bytes; /* offset and size of the loop's code in which the thread's _PyCFrame has no frame yet */
	uint16_t cframe_below; /* offset of the loop's _PyCFrame below the CFA; 0: unknown */
};

const char *python_question_text(enum python_question question);

/* ---- strings and line tables of code objects, read from a process ---- */

#define PYTHON_TEXT_HEAD 96 /* bytes at the start of a string object that contain its length and state */
#define PYTHON_TEXT_MAX 1024 /* characters to read of a string */

/* The characters of a string object. */
struct python_text {
	uint64_t at; /* offset in the object */
	uint32_t nr; /* characters, at most PYTHON_TEXT_MAX */
	uint8_t width; /* bytes per character */
	bool is_cut; /* the string has more characters */
};

/*
 * Reads the header of a string object. `compact`: size of the header of a string that is not ASCII. Returns false if this is no string
 * that can be a name.
 */
bool python_text_read(const struct python_layout *layout, uint16_t compact, const uint8_t head[PYTHON_TEXT_HEAD],
		      struct python_text *ret_text);

/* Appends the `characters` of a string as UTF-8, and "..." if it is cut. Invalid characters become U+FFFD. */
void python_text_add(struct buf *to, const struct python_text *text, const uint8_t *characters);

/*
 * The line of an instruction, from the line table of its code object (co_linetable of 3.11 and later). `offset`: of the instruction in
 * the bytecode, in bytes; negative: before the first one.
 */
uint32_t python_line(const uint8_t *table, size_t nr, uint32_t first_line, int64_t offset);

/* The size in bytes of the bytecode that a line table covers. */
uint64_t python_lines_bytes(const uint8_t *table, size_t nr);
