/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interpreter that a file has, and where that build keeps its frames, as its own exported functions read them. The symbol worker makes
 * this with the unwind table of a file (unwind.h).
 *
 * Everything here comes from a file that anyone may have made: offsets are small, and what they lead to is checked in the process.
 */
#pragma once

#include "symbolize/php.h"
#include "symbolize/python.h"

enum language {
	LANGUAGE_NONE, /* the file is no interpreter */
	LANGUAGE_PYTHON,
	LANGUAGE_PHP,
	NR_LANGUAGES,
};

struct interpreter {
	uint8_t language; /* enum language */
	bool is_refused; /* `question` is what found no answer, or more than one: there is no layout */
	uint8_t question; /* enum python_question or php_question */
	uint32_t version; /* Py_Version: 0x030b02f0; of PHP, 80427; 0: unknown */
	union {
		struct python_layout python;
		struct php_layout php;
	};
};

/* Whether what the worker has sent has values of the expected kind. Offsets are checked where they lead to. */
bool interpreter_is_valid(const struct interpreter *interpreter);

/* "Python" or "PHP", as in "Python 3.13.5"; and in labels: "python". */
const char *language_name(unsigned int language);
const char *language_label(unsigned int language);

/* "Python 3.13.5"; without the version if it is unknown. */
const char *interpreter_text(const struct interpreter *interpreter, char buffer[32]);

/* What could not be answered: "PyFrame_GetLasti: where the bytecode of a code object begins". */
const char *interpreter_question_text(const struct interpreter *interpreter);
