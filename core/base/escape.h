/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes foreign text safe to print: process names, symbols, modules, paths, and texts of saved profiles.
 *
 * A byte that must not be printed becomes \xNN (lower-case hex). In every form, these are
 *   - C0 controls, DEL, the C1 controls (also as UTF-8), bytes that are not valid UTF-8;
 *   - invisible characters that terminals or editors obey: bidirectional controls, line and paragraph separators, zero-width and
 *     other format characters, tags.
 * In names, more is escaped, so that no name looks like another part of the report and every name can be recovered from the text:
 *   - a backslash becomes \\ ;
 *   - spaces at either end become \x20: leading spaces are the layout of the report;
 *   - a leading '[' becomes \x5b: only the report's own labels ([unknown], [Missed User Stack]) begin with it;
 *   - the first '-' of a name like "-", "--" or "- …" becomes \x2d: these are delimiters of the report.
 * In folded names also
 *   - ';' becomes \x3b.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/buf.h"

enum escape_form {
	ESCAPE_LINE,   /* a line or message: backslashes stay, because regular expressions have them */
	ESCAPE_NAME,   /* a name in the text report */
	ESCAPE_MODULE, /* a name between brackets: ']' before its end becomes \x5d, a leading '[' stays */
	ESCAPE_FOLDED, /* a name in a folded line */
};

/*
 * Returns the length of the UTF-8 sequence at `text`, and its code point; 0 if it is not valid (overlong forms, surrogates, and numbers
 * beyond Unicode are not). `text` must not start with an ASCII character, and must end with a NUL.
 */
size_t utf8_decode(const unsigned char *text, uint32_t *ret_point);

/* Appends the text, escaped. */
void escape_add(struct buf *buf, const char *text, enum escape_form form);

/*
 * Call it before the count is added to a folded line that begins at `start`. If the line ends with a space and a number, escapes that
 * space: flamegraph.pl and inferno read two numbers at the end as two columns ("before after"). Other spaces in names are harmless.
 */
void escape_last_number(struct buf *line, size_t start);
