/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A PHP process and its functions: docs/internals/php.md. What they say may be forged. */
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/escape.h"
#include "core/session/look_python_private.h"

enum {
	LINE_OFFSET_MAX = 4096,
};

_Static_assert((int)ST_LANGUAGE_PYTHON == LANGUAGE_PYTHON && (int)ST_LANGUAGE_PHP == LANGUAGE_PHP,
	       "one number for a language");

/* ---- strings ---- */

/* `is_end`: what there was no room for is before it. False: there is none. Names of classes without a name have a NUL, after which they are not to be read. */
static bool add_text(struct buf *to, const char *text, size_t room, bool is_end)
{
	const size_t nr_bytes = strnlen(text, room - 1);
	unsigned char copy[ST_PHP_FILE_BYTES];

	memcpy(copy, text, nr_bytes);
	copy[nr_bytes] = '\0';
	if (nr_bytes == room - 1 && is_end)
		buf_adds(to, "...");
	for (const unsigned char *at = copy; *at;) {
		uint32_t point;
		size_t nr = *at < 0x80 ? 1 : utf8_decode(at, &point);

		if (nr)
			buf_add(to, (const char *)at, nr);
		else
			buf_adds(to, "\xef\xbf\xbd");
		at += nr ?: 1;
	}
	if (nr_bytes == room - 1 && !is_end)
		buf_adds(to, "...");
	return nr_bytes;
}

/* ---- the process ---- */

/* Whether the programs, which read so many bytes of a frame and of a function, can use the layout. */
static bool fits(const struct php_layout *layout)
{
	const uint16_t in_frame = ST_PYTHON_FRAME_BYTES - 8, in_internal = ST_PHP_FUNCTION_BYTES - 8;

	return layout->frame_function <= in_frame && layout->frame_instruction <= in_frame &&
	       layout->frame_previous <= in_frame && layout->frame_call <= in_frame &&
	       layout->function_type <= in_internal && layout->function_name <= in_internal &&
	       layout->function_scope <= in_internal && layout->instruction_line <= LINE_OFFSET_MAX &&
	       php_function_bytes(layout) <= ST_PYTHON_CODE_BYTES;
}

uint16_t php_function_bytes(const struct php_layout *layout)
{
	return (uint16_t)(8 + (layout->function_file > layout->function_code ? layout->function_file
									     : layout->function_code));
}

bool php_find_current(struct look_python *python)
{
	const struct php_layout *layout = &python->is.interpreter.php;

	python->current = python->is.bias + layout->current;
	if (layout->current_by_pointer)
		python->current = python_word_at(python, python->current) + layout->current_offset;
	return !(python->current & 7) && python->current > UINT16_MAX;
}

const char *php_read_process(struct look_python *python)
{
	const struct php_layout *layout = &python->is.interpreter.php;
	uint64_t class = python_word_at(python, python->is.bias + layout->exception), name, length;
	char text[sizeof("Exception")];

	if (!fits(layout))
		return "its frames are larger than expected";
	name = class ? python_word_at(python, class + layout->class_name) : 0;
	length = name ? python_word_at(python, name + layout->text - sizeof(length)) : 0;
	if (length != strlen("Exception") || !python_read_bytes(python, name + layout->text, text, sizeof(text)) ||
	    memcmp(text, "Exception", sizeof(text)) != 0)
		return "its class Exception has not the name that is expected";
	if (!php_find_current(python))
		return "the address of its current frame cannot be read";
	return NULL;
}

/* ---- functions ---- */

bool php_name_function(struct look_python *python, const struct st_function *function, struct python_code *ret_code)
{
	_cleanup_(buf_done) struct buf name = {}, file = {};

	if (add_text(&name, function->class_name, sizeof(function->class_name), false))
		buf_adds(&name, "::");
	if (!add_text(&name, function->name, sizeof(function->name), false))
		buf_adds(&name, "{main}");
	*ret_code = (struct python_code){ .at = function->cookie, .name_id = python_keep_text(python, &name) };
	if (add_text(&file, function->file, sizeof(function->file), true))
		ret_code->file_id = python_keep_text(python, &file);
	return ret_code->name_id;
}
