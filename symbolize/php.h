/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a build of PHP 8 keeps its frames. docs/internals/php.md has the method. */
#pragma once

#include <stdint.h>

/* What is asked of the functions, in this order. */
enum php_question {
	PHP_ASK_THREADS, /* a build with threads has no executor_globals */
	PHP_ASK_CURRENT,
	PHP_ASK_PREVIOUS,
	PHP_ASK_LINE,
	PHP_ASK_CODE,
	PHP_ASK_FILE,
	PHP_ASK_NAME,
	PHP_ASK_SCOPE,
	PHP_ASK_CLASS,
	PHP_ASK_CALL,
	PHP_ASK_LOOP,
	PHP_NR_QUESTIONS,
};

/* Offsets of members in bytes. A frame is a zend_execute_data, an instruction a zend_op, a function a zend_function. */
struct php_layout {
	uint8_t loop_has_registers; /* while a thread is in the loop, its r14 is the frame, and r15 the instruction */
	uint8_t current_by_pointer; /* `current` has the address of the globals; else it is in them */
	uint16_t current_offset; /* in the globals, with current_by_pointer */
	uint16_t frame_function, frame_instruction, frame_previous;
	uint16_t frame_call; /* 4 bytes: the type of `this`, and flags of the call */
	uint16_t instruction_line;
	uint16_t function_type, function_name, function_scope;
	uint16_t function_file, function_code; /* of one that is written in PHP */
	uint16_t class_name;
	uint16_t text; /* the characters of a string; its hash and its length are before them */
	uint64_t current; /* addresses as in the file */
	uint64_t exception; /* zend_ce_exception: the address of a class with a known name */
	uint64_t loop, cold; /* execute_ex, and the part of it that is elsewhere; 0: there is none */
	uint32_t loop_bytes, cold_bytes;
};

const char *php_question_text(enum php_question question);
