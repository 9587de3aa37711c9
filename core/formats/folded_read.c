/* SPDX-License-Identifier: GPL-2.0-or-later */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/formats/text_read.h"

struct reader {
	struct profile *profile;
	struct profile_interval interval;
	uint64_t nr_lines;
	uint64_t nr_rounded; /* lines whose count is 0 after rounding */
	uint32_t frames[TEXT_MAX_FRAMES];
	uint64_t addresses[TEXT_MAX_FRAMES];
};

/* Cuts the number off the end of the line: digits, perhaps with decimals, which are rounded. */
static bool take_count(struct slice *line, uint64_t *ret_count)
{
	size_t start = line->nr;
	struct slice number;

	while (start && !is_space(line->text[start - 1]))
		start--;
	number = (struct slice){ line->text + start, line->nr - start };
	if (!start || !slice_take_number(&number, ret_count))
		return false;
	if (slice_take_char(&number, '.') && number.nr && *number.text >= '5')
		*ret_count += *ret_count < UINT64_MAX;
	while (number.nr && is_digit(*number.text))
		slice_take_char(&number, *number.text);
	line->nr = start - 1;
	return !number.nr;
}

static bool is_blank(struct slice line)
{
	while (line.nr && is_space(line.text[line.nr - 1]))
		line.nr--;
	return !line.nr;
}

/* The command without the escapes of folded text. */
static string_id add_command(struct profile *profile, const struct slice *element)
{
	_cleanup_(buf_done) struct buf text = {};

	for (size_t i = 0; i < element->nr; i++) {
		const char *at = element->text + i;
		size_t left = element->nr - i;

		if (left > 1 && at[0] == '\\' && at[1] == '\\') {
			buf_addc(&text, '\\');
			i++;
		} else if (left > 3 && at[0] == '\\' && at[1] == 'x' && hex_digit(at[2]) >= 0 &&
			   hex_digit(at[3]) >= 0) {
			buf_addc(&text, (char)(hex_digit(at[2]) << 4 | hex_digit(at[3])));
			i += 3;
		} else {
			buf_addc(&text, *at);
		}
	}
	return strtab_addn(&profile->strings, buf_text(&text), text.nr);
}

#define KERNEL_MARK "_[k]"

static bool is_marked(struct slice element)
{
	return element.nr > strlen(KERNEL_MARK) && slice_ends_in(element, KERNEL_MARK);
}

static uint32_t add_frame(struct profile *profile, struct slice element, bool kernel)
{
	if (kernel && is_marked(element))
		element.nr -= strlen(KERNEL_MARK);
	return text_add_frame(profile, element, kernel);
}

/*
 * The elements after the command: their number, where the kernel's begin, and how these are marked: a delimiter "-" before them, or
 * KERNEL_MARK at the end of each.
 */
struct shape {
	size_t nr, kernel_at;
	bool delimited, marked;
};

static struct shape shape_of(struct slice line)
{
	size_t nr_delimiters = 0, delimiter = 0, nr_marked = 0;
	struct shape shape = {};
	bool other = false;

	for (; line.nr; shape.nr++) {
		struct slice element = slice_take(&line, ';');

		if (slice_is(element, "-")) {
			nr_delimiters++;
			delimiter = shape.nr;
		}
		other = other || slice_is(element, "--");
		nr_marked = is_marked(element) ? nr_marked + 1 : 0;
	}
	shape.delimited = nr_delimiters == 1 && !other;
	shape.marked = nr_marked > 0;
	shape.kernel_at = shape.delimited ? delimiter : shape.nr - nr_marked;
	return shape;
}

/* Adds the elements `from` to `to` of a line (root first) leaf first, from position `at` on. Returns how many. */
static uint16_t add_frames(struct reader *reader, struct slice line, size_t from, size_t to, size_t at, bool kernel)
{
	size_t nr = to - from, room = TEXT_MAX_FRAMES - at, position = 0;

	if (nr > room) {
		from += nr - room;
		nr = room;
	}
	for (; line.nr && position < to; position++) {
		struct slice element = slice_take(&line, ';');
		size_t place = at + (to - 1 - position);

		if (position < from)
			continue;
		reader->frames[place] = add_frame(reader->profile, element, kernel);
		reader->addresses[place] = 0;
	}
	return (uint16_t)nr;
}

static uint8_t status_of(size_t nr, size_t nr_kept)
{
	if (nr_kept < nr)
		return STACK_TRUNCATED;
	return nr ? STACK_OK : STACK_NONE;
}

static void add_stack(struct reader *reader, struct slice line, uint64_t count)
{
	struct profile_record record = {
		.id = { ++reader->nr_lines, 0x666f6c646564 /* "folded" */ },
		.program = PROGRAM_SAMPLE,
		.time_ns = reader->nr_lines,
	};
	struct slice command = slice_take(&line, ';');
	struct shape shape = shape_of(line);
	size_t kernel_at = shape.kernel_at + shape.delimited;
	struct profile_view *view = &reader->profile->view;

	/* stacktool's own line for events without a stack. */
	if (slice_is(line, "[stack lost: ring full]")) {
		profile_count(reader->profile, &reader->interval, record.id, count, 0);
		view->per_process = view->per_process || command.nr;
		return;
	}
	record.comm = add_command(reader->profile, &command);
	record.nr_kernel = add_frames(reader, line, kernel_at, shape.nr, 0, true);
	record.nr_user = add_frames(reader, line, 0, shape.kernel_at, record.nr_kernel, false);
	record.kernel_status = status_of(shape.nr - kernel_at, record.nr_kernel);
	record.user_status = status_of(shape.kernel_at, record.nr_user);
	view->delimited = view->delimited || shape.delimited;
	view->annotate = view->annotate || shape.marked;
	view->per_process = view->per_process || command.nr;
	profile_add_record(reader->profile, &record, reader->frames, reader->addresses);
	profile_count(reader->profile, &reader->interval, record.id, count, 0);
}

/* Whether a count that was rounded to 0 was above 0. */
static bool is_above_zero(const char *text, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (text[i] > '0' && text[i] <= '9')
			return true;
	return false;
}

static bool read_line(struct reader *reader, struct slice line)
{
	const struct slice whole = line;
	uint64_t count;

	if (!line.nr || line.text[0] == '#')
		return true;
	/* A number after one space is a stack without frames; after several, a line of a printed report. */
	if (!take_count(&line, &count) || (line.nr && is_blank(line)))
		return false;
	if (count)
		add_stack(reader, line, count);
	else if (is_above_zero(whole.text + line.nr, whole.nr - line.nr))
		reader->nr_rounded++;
	return true;
}

static void describe(struct profile *profile)
{
	profile->applet = profile_add_string(profile, "folded");
	profile->unit = profile_add_string(profile, "samples");
	profile->view.want_kernel = profile->view.want_user = true;
	profile->view.folded = true;
}

/* Fails unless the text is folded stacks. In a log or an archive, some lines look like stacks by chance. */
static int require_stacks(const struct reader *reader, size_t nr_ignored, bool is_binary, const char *name)
{
	if (!nr_ignored && !is_binary && !reader->nr_lines)
		return fail(-EINVAL, "'%s': has no stacks", name);
	if (is_binary || !reader->nr_lines)
		return fail(-EINVAL,
			    "'%s': unknown format: neither a saved profile, nor folded stacks ('main;read 12'), nor "
			    "text of perf script",
			    name);
	if (nr_ignored > reader->nr_lines)
		return fail(-EINVAL,
			    "'%s': not folded stacks: %zu lines are malformed, and only %" PRIu64 " look like one",
			    name, nr_ignored, reader->nr_lines);
	return 0;
}

int folded_decode(const char *text, size_t nr_bytes, const char *name, struct profile *ret_profile,
		  struct buf *ret_notes)
{
	_cleanup_(freep) struct reader *reader = xcalloc(1, sizeof(*reader));
	bool is_binary = nr_bytes && memchr(text, '\0', nr_bytes);
	struct slice left = { text, nr_bytes };
	size_t nr_ignored = 0;

	profile_init(ret_profile);
	reader->profile = ret_profile;
	describe(ret_profile);
	while (left.nr && !is_binary)
		nr_ignored += !read_line(reader, slice_take_line(&left));
	ret_profile->view.style = ret_profile->view.per_process ? VIEW_PROFILE : VIEW_STACKCOUNT;
	vec_push(&ret_profile->intervals, reader->interval);
	text_add_warning(ret_notes, nr_ignored,
			 " {line is not a folded stack and was|lines are not folded stacks and were} skipped\n");
	text_add_warning(ret_notes, reader->nr_rounded, " {count|counts} below 0.5 {was|were} rounded to 0\n");
	return require_stacks(reader, nr_ignored, is_binary, name);
}
