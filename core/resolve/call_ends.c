/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/resolve/call_ends.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/resolve/user_code.h"

#define PLACES_MAX 20000 /* without --force */

struct left_out {
	size_t nr;
	char why[300]; /* of the first one, with its name */
};

static const char *reason(int err)
{
	switch (err) {
	case -ENOEXEC:
		return "its code cannot be decoded as a whole, or goes on in another function, so it is not known where it ends";
	case -ENODATA:
		return "functions of Go change threads and stacks while they run, and cannot be timed";
	default:
		return strerror(-err);
	}
}

static void leave_out(struct left_out *left_out, const struct probe_place *place, const char *why)
{
	if (!left_out->nr++)
		snprintf(left_out->why, sizeof(left_out->why), "'%s': %s", place->shown ? place->shown : place->name,
			 why);
}

static enum call_part part_of(const struct probe_place *function, const struct symbol_end *end)
{
	if (end->may_go_on)
		return CALL_MAY_END;
	return function->size && end->file_offset - function->offset >= function->size ? CALL_ENDS_ELSEWHERE
										       : CALL_ENDS;
}

/* Adds the ends of one function. False: not all of them are known and can be probed. */
static bool add_ends(struct file_search *search, size_t index, struct left_out *left_out)
{
	const struct probe_place *function = &search->attach->places.data[index];
	_cleanup_(freep) struct symbol_end *ends = NULL;
	const char *obstacle = first_instruction_obstacle(function->first);
	size_t nr = 0;
	int err = symbolizer_find_ends(search->symbolizer, function->file, function->fd, function->offset,
				       function->size, &ends, &nr);

	for (size_t i = 0; i < nr && !obstacle; i++)
		obstacle = first_instruction_obstacle(user_code_first(function->fd, ends[i].file_offset, false));
	if (err || obstacle) {
		leave_out(left_out, function, obstacle ?: reason(err));
		return false;
	}
	for (size_t i = 0; i < nr; i++)
		if (ends[i].file_offset == function->offset) {
			search->attach->places.data[index].part = CALL_AT_ONCE;
			return true;
		}
	for (size_t i = 0; i < nr; i++) {
		struct probe_place *end = attach_plan_add_end(search->attach, index,
							      part_of(&search->attach->places.data[index], &ends[i]));

		end->offset = ends[i].file_offset;
		end->first = FIRST_TAKEN;
	}
	return true;
}

/* Moves the functions that are kept to the front, followed by the ends. */
static void settle(struct attach_plan *attach, size_t nr_tried, const bool *is_kept)
{
	uint32_t *numbers = xcalloc(nr_tried, sizeof(*numbers));
	size_t nr = 0;

	for (size_t i = 0; i < attach->places.nr; i++) {
		struct probe_place *place = &attach->places.data[i];

		if (i < nr_tried && !is_kept[i]) {
			probe_place_done(place);
			continue;
		}
		if (i < nr_tried)
			numbers[i] = (uint32_t)nr;
		place->function = numbers[i < nr_tried ? i : place->function];
		attach->places.data[nr++] = *place;
		attach->nr_functions += i < nr_tried;
	}
	attach->places.nr = nr;
	free(numbers);
}

int call_ends_add(struct file_search *search)
{
	struct attach_plan *attach = search->attach;
	size_t nr = attach->places.nr;
	_cleanup_(freep) bool *is_kept = xcalloc(nr, sizeof(*is_kept));
	struct left_out left_out = {};
	size_t nr_cold = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct probe_place *place = &attach->places.data[i];

		if (strstr(place->name, ".cold")) /* a part of a function that jumps to it */
			nr_cold++;
		else
			is_kept[i] = add_ends(search, i, &left_out);
		if (attach->places.nr > PLACES_MAX && !search->plan->force)
			return fail_usage(
				"pattern '%s': its functions end in more than %d places: narrow the pattern, or use --force",
				search->plan->probe.pattern, PLACES_MAX);
	}
	settle(attach, nr, is_kept);
	if (nr_cold && !attach->nr_functions && !left_out.nr)
		return fail_no_match("function '%s': only the cold part of a function matches",
				     search->plan->probe.pattern);
	if (nr && !attach->nr_functions)
		return fail_host(-EOPNOTSUPP, "function %s", left_out.why);
	if (left_out.nr == 1)
		attach_plan_note(attach, "function %s: it is not timed", left_out.why);
	else if (left_out.nr)
		attach_plan_note(attach, "%zu functions are not timed, such as %s", left_out.nr, left_out.why);
	return 0;
}
