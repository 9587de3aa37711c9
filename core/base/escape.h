/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes text of others safe to print: process names, symbols, modules, paths and the texts of saved profiles.
 *
 * A byte that must not be printed becomes \xNN (two lower-case hex digits). In every form that is
 *   - C0 controls, DEL, the C1 controls (also as UTF-8), bytes that are not valid UTF-8;
 *   - characters nobody sees but a terminal or editor obeys: bidirectional controls, line and paragraph separators,
 *     zero-width and other format characters, tags.
 * Everything else, valid UTF-8 included, stays as it is. In names more is escaped, so that no name looks like another part of
 * the report and every name can be recovered from the text:
 *   - a backslash becomes \\ ;
 *   - spaces at either end become \x20: the layout of the report is made of leading spaces;
 *   - a leading '[' becomes \x5b: only the report's own labels ([unknown], [Missed User Stack]) begin with it;
 *   - the '-' of a name like "-", "--" or "- …" becomes \x2d: those are the report's delimiters.
 * In folded names also
 *   - ';' becomes \x3b.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/buf.h"

enum escape_form {
	ESCAPE_LINE,   /* a whole line or message: a backslash, as in a regular expression, stays as typed */
	ESCAPE_NAME,   /* a name in the text report */
	ESCAPE_MODULE, /* a name that is printed between brackets: ']' before its end becomes \x5d, a leading '[' stays */
	ESCAPE_FOLDED, /* a name in a folded line */
};

/*
 * The length of the valid UTF-8 sequence at `text` and its code point; 0 if the bytes are not valid. `text` does not start
 * with an ASCII character.
 * Overlong forms, surrogates and what lies beyond Unicode are not valid. The text's NUL ends any sequence.
 */
size_t utf8_decode(const unsigned char *text, uint32_t *ret_point);

/* Appends the text, escaped. */
void escape_add(struct buf *buf, const char *text, enum escape_form form);

/*
 * To be called before the count is added to a folded line that begins at `start`. Readers take what follows the last space as the
 * count, so spaces inside names may stay, with one exception: flamegraph.pl and inferno read two numbers at the end as two columns
 * ("before after"). So if the line ends with a space and a number, this space is escaped.
 */
void escape_last_number(struct buf *line, size_t start);
