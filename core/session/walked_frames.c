/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts the words of Python frames in a record (bpf/python.bpf.c) into frames between the user frames. */
#include "core/session/walked_python_private.h"

/* Sets *ret_lacks if the frame cannot be read or has no name. */
static uint32_t add_label(struct profile *profile, uint64_t first, uint64_t second, bool *ret_lacks)
{
	if (!first && second == ST_PYTHON_MORE)
		return python_add_label(profile, "[python: more frames]", 1);
	*ret_lacks = true;
	return first ? python_add_label(profile, "[python: no name]", 2)
		     : python_add_label(profile, "[python: not readable]", 0);
}

struct walked_inserts {
	struct look_python *python; /* NULL: no code object is known */
	struct profile *profile;
	struct drain_insert *data;
	size_t nr;
	bool lacks_frames;
};

/* Adds the frames of one call from C: those from `from` up to `to`, innermost first. */
static void add_call(struct walked_inserts *inserts, const uint64_t *words, size_t from, size_t to, uint16_t place,
		     bool replaces)
{
	const size_t first = inserts->nr;

	for (size_t i = from; i < to; i++) {
		uint64_t first_word = words[2 * i], second = words[2 * i + 1];
		const struct python_code *code = inserts->python ? python_find_code(inserts->python,
										    ST_PYTHON_ADDRESS(first_word),
										    ST_PYTHON_COOKIE(second))
								 : NULL;
		bool is_first = inserts->nr == first;

		if (code && python_is_helper(code))
			continue;
		inserts->data[inserts->nr++] = (struct drain_insert){
			.place = (uint16_t)(place + (replaces && !is_first)),
			.replaces = replaces && is_first,
			.frame = code ? python_add_frame(inserts->python, code, ST_PYTHON_OFFSET(second))
				      : add_label(inserts->profile, first_word, second, &inserts->lacks_frames),
		};
	}
}

size_t walked_frames(struct look_python *python, struct profile *profile, const struct st_stack *stack,
		     struct drain_insert data[ST_MAX_FRAMES], bool *ret_lacks)
{
	const struct st_stack_head *head = &stack->head;
	const uint64_t *words = walked_words(stack);
	const uint16_t has_caller = head->caller != 0; /* it follows the first frame; the words do not count it */
	const uint16_t after_all =
		(uint16_t)(has_caller + (head->flags & ST_STACK_ELIDED ? ST_INNER_FRAMES + 1 : head->nr_user));
	const size_t nr = head->nr_python;
	struct walked_inserts inserts = { .python = python, .profile = profile, .data = data };
	size_t from = 0;

	*ret_lacks = false;
	if (nr > ST_MAX_FRAMES)
		return 0;
	for (size_t i = 0; i < nr; i++) {
		bool replaces = ST_PYTHON_REPLACES(words[2 * i]);
		uint16_t place = (uint16_t)ST_PYTHON_PLACE(words[2 * i]);

		if (!ST_PYTHON_ENDS(words[2 * i]))
			continue;
		if (!replaces && place >= head->nr_user)
			place = after_all; /* the native frames around it are missing */
		else if (place)
			place += has_caller;
		add_call(&inserts, words, from, i + 1, place, replaces);
		from = i + 1;
	}
	add_call(&inserts, words, from, nr, after_all, false);
	*ret_lacks = inserts.lacks_frames;
	return inserts.nr;
}
