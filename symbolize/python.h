/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a build of CPython (3.11 and later) keeps its frames, as its own exported functions read them. The symbol worker makes this
 * with the unwind table of a file (unwind.h). docs/internals/python.md has the method.
 *
 * Everything here comes from a file that anyone may have made: offsets are small, and what they lead to is checked in the process.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buf.h"

#define PYTHON_NONE UINT16_MAX /* there is no such member in this build */

enum python_status {
	PYTHON_ABSENT, /* the file is no CPython */
	PYTHON_FOUND,
	PYTHON_REFUSED, /* it is one; `question` is what found no answer, or more than one */
};

/* What is asked of the functions, in this order. */
enum python_question {
	PYTHON_ASK_CODE,
	PYTHON_ASK_OLD, /* frames are Python objects: before 3.11 */
	PYTHON_ASK_FREE_THREADED, /* objects have another head */
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
	uint8_t status; /* enum python_status */
	uint8_t question; /* enum python_question, of a refused one */
	uint8_t entry_owner; /* a frame with this owner or a higher one stands for a call from C; 0: `frame_is_entry` tells */
	bool head_by_pointer; /* `head` has the address of the object that has the first interpreter; else it is in that object */
	uint32_t version; /* Py_Version: 0x030b02f0; 0: unknown */
	uint16_t frame_code, frame_instruction, frame_previous, frame_owner;
	uint16_t frame_is_entry; /* a byte; PYTHON_NONE: none */
	uint16_t code_instructions; /* where its bytecode begins */
	uint16_t thread_cframe; /* of the word that leads to `thread_frame`; PYTHON_NONE: the thread state has it itself */
	uint16_t thread_frame, thread_next;
	uint16_t interpreter_next, interpreter_threads;
	uint16_t object_type;
	uint16_t bytes_size, bytes_data;
	uint16_t text_length, text_state, text_ascii;
	uint16_t code_tags; /* bits that a pointer to code has beside its address */
	uint64_t head; /* addresses as in the file */
	uint64_t head_offset;
	uint64_t code_type, text_type;
	uint64_t loop; /* _PyEval_EvalFrameDefault; 0: not exported */
	uint32_t loop_bytes;
	/* With `thread_cframe`: */
	uint16_t unfilled,
		unfilled_bytes; /* code of the loop after which the thread leads to a _PyCFrame that has no frame yet */
	uint16_t cframe_below; /* how far below its CFA the loop has its _PyCFrame; 0: unknown */
};

/* Whether a layout from the worker has values of the expected kind. Offsets are checked where they lead to. */
static inline bool python_layout_is_valid(const struct python_layout *layout)
{
	return layout->status <= PYTHON_REFUSED && layout->question < PYTHON_NR_QUESTIONS && layout->code_tags <= 7;
}

/* "3.13.5"; "" if unknown. */
const char *python_version_text(uint32_t version, char buffer[16]);

/* What could not be answered: "PyFrame_GetLasti: where the bytecode of a code object begins". */
const char *python_question_text(enum python_question question);

/* ---- what a code object has, read from a process ---- */

#define PYTHON_TEXT_HEAD 96 /* bytes of a string object that have its length and state */
#define PYTHON_TEXT_MAX 1024 /* characters that are read of a string */

/* Where the characters of a string object are. */
struct python_text {
	uint64_t at; /* from the object on */
	uint32_t nr; /* characters, at most PYTHON_TEXT_MAX */
	uint8_t width; /* bytes of each */
	bool is_cut; /* there are more */
};

/*
 * Reads the head of a string object. `compact`: the size of a head with characters of more than one byte. False: it is no string that
 * may be a name.
 */
bool python_text_read(const struct python_layout *layout, uint16_t compact, const uint8_t head[PYTHON_TEXT_HEAD],
		      struct python_text *ret_text);

/* Adds the `characters` of a string as UTF-8, and "..." if it is cut. What is no character becomes U+FFFD. */
void python_text_add(struct buf *to, const struct python_text *text, const uint8_t *characters);

/*
 * The line of an instruction by the line table of its code object (co_linetable of 3.11 and later). `offset`: of the instruction in
 * the bytecode, in bytes; negative: before the first one.
 */
uint32_t python_line(const uint8_t *table, size_t nr, uint32_t first_line, int64_t offset);

/* The bytes of bytecode that a line table has lines for. */
uint64_t python_lines_bytes(const uint8_t *table, size_t nr);
