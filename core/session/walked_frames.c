/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts the words of frames of Python (bpf/python.bpf.c) and PHP (bpf/php.bpf.c) in a record into frames between the user frames. */
#include "core/session/walked_python_private.h"

/* The frame cannot be read, has no name, or the record had no room for it and those outside of it. */
static uint32_t add_label(struct profile *profile, unsigned int language, uint64_t first, uint64_t second,
			  bool *ret_lacks)
{
	*ret_lacks = true;
	if (!ST_PYTHON_ADDRESS(first) && second == ST_PYTHON_MORE)
		return python_add_label(profile, language, "more frames", 1);
	return ST_PYTHON_ADDRESS(first) ? python_add_label(profile, language, "no name", 2)
					: python_add_label(profile, language, "not readable", 0);
}

struct walked_inserts {
	struct look_python *python; /* NULL: no code object is known */
	struct profile *profile;
	unsigned int language;
	struct drain_insert *data;
	size_t nr;
	bool lacks_frames;
};

/* Where the frames of a call from C belong. */
struct place {
	uint16_t number; /* of a user frame */
	bool replaces; /* that frame */
};

/* Adds the frames of one call from C: those from `from` up to `to`, innermost first. */
static void add_call(struct walked_inserts *inserts, const uint64_t *words, size_t from, size_t to, struct place place)
{
	const size_t first = inserts->nr;

	for (size_t i = from; i < to; i++) {
		uint64_t first_word = words[2 * i], second = words[2 * i + 1];
		const struct python_code *code = inserts->python ? python_find_code(inserts->python,
										    ST_PYTHON_ADDRESS(first_word),
										    walked_cookie(words + 2 * i))
								 : NULL;
		int64_t position = ST_IS_PHP(first_word) ? (int64_t)ST_PHP_LINE(second) : ST_PYTHON_OFFSET(second);
		bool is_first = inserts->nr == first;

		if (code && python_is_helper(code))
			continue;
		inserts->data[inserts->nr++] = (struct drain_insert){
			.place = (uint16_t)(place.number + (place.replaces && !is_first)),
			.replaces = place.replaces && is_first,
			.frame = code ? python_add_frame(inserts->python, code, position)
				      : add_label(inserts->profile, inserts->language, first_word, second,
						  &inserts->lacks_frames),
		};
	}
}

/* ---- PHP ---- */

/* The native frames of the interpreter's loop, and which of them the calls have. */
struct php_loops {
	uint16_t numbers[ST_MAX_FRAMES]; /* of user frames */
	size_t nr;
	ptrdiff_t shift; /* the loop of the first call; -1: it has not begun */
	bool is_left; /* the calls that follow are on another stack */
	bool is_elsewhere; /* the stack is whole and has none: the frames are not those of this thread */
};

static bool is_in_loop(const struct look_python *python, uint64_t pc)
{
	const struct php_layout *layout = &python->is.interpreter.php;

	pc -= python->is.bias;
	return pc - layout->loop < layout->loop_bytes || pc - layout->cold < layout->cold_bytes;
}

/*
 * Each call from C has one frame of the loop. In a whole stack both are counted from the outermost one on, because the innermost call may
 * not have entered the loop yet, or have left it already.
 */
static void find_loops(struct php_loops *loops, const struct look_python *python, const struct st_stack *stack)
{
	const struct st_stack_head *head = &stack->head;
	const uint64_t *words = walked_words(stack);
	bool is_elided = head->flags & ST_STACK_ELIDED;
	size_t nr_places = is_elided ? ST_INNER_FRAMES : head->nr_user, nr_calls = 0, i;

	if (!python || !python_is_php(python))
		return;
	for (i = 0; i < nr_places; i++)
		if (is_in_loop(python, stack->frames[head->nr_kernel + i] - (i > 0)))
			loops->numbers[loops->nr++] = (uint16_t)i;
	for (i = 0; i < head->nr_python && ST_PYTHON_ADDRESS(words[2 * i]); i++) {
		nr_calls += ST_PYTHON_ENDS(words[2 * i]);
		if (ST_PHP_LEAVES(words[2 * i]))
			break;
	}
	if (is_elided || head->user_end != ST_END_ROOT || (i < head->nr_python && !ST_PYTHON_ADDRESS(words[2 * i])))
		return;
	loops->is_elsewhere = !loops->nr;
	loops->shift = (ptrdiff_t)loops->nr - (ptrdiff_t)nr_calls;
	if (loops->shift > 1 || loops->shift < -1)
		loops->shift = 0;
}

/* `has_caller`: a frame after the first one is not counted. */
static struct place place_at(size_t number, bool replaces, uint16_t has_caller)
{
	return (struct place){ (uint16_t)(number + (number ? has_caller : 0)), replaces };
}

/* The place of a call, the innermost one being number 0. */
static struct place php_place(const struct php_loops *loops, size_t number, uint16_t has_caller, uint16_t after_all)
{
	ptrdiff_t loop = (ptrdiff_t)number + loops->shift;

	if (loops->is_left || loop >= (ptrdiff_t)loops->nr)
		return (struct place){ after_all, false };
	return loop < 0 ? place_at(0, false, has_caller) : place_at(loops->numbers[loop], true, has_caller);
}

/* ---- records ---- */

static struct place python_place(const struct st_stack_head *head, uint64_t first, uint16_t has_caller,
				 uint16_t after_all)
{
	if (!ST_PYTHON_REPLACES(first) && ST_PYTHON_PLACE(first) >= head->nr_user)
		return (struct place){ after_all, false }; /* the native frames that it belongs between are missing */
	return place_at(ST_PYTHON_PLACE(first), ST_PYTHON_REPLACES(first), has_caller);
}

size_t walked_frames(struct look_python *python, struct profile *profile, const struct st_stack *stack,
		     struct drain_insert data[ST_MAX_FRAMES], bool *ret_lacks)
{
	const struct st_stack_head *head = &stack->head;
	const uint64_t *words = walked_words(stack);
	const uint16_t has_caller = head->caller != 0; /* it follows the first frame; the words do not count it */
	const uint16_t after_all =
		(uint16_t)(has_caller + (head->flags & ST_STACK_ELIDED ? ST_INNER_FRAMES + 1 : head->nr_user));
	const bool is_php = python ? python_is_php(python) : head->nr_python && ST_IS_PHP(words[0]);
	const size_t nr = head->nr_python;
	struct walked_inserts inserts = {
		.python = python, .profile = profile, .data = data, .language = is_php ? LANGUAGE_PHP : LANGUAGE_PYTHON
	};
	struct php_loops loops = {};
	size_t from = 0, nr_calls = 0;

	*ret_lacks = false;
	if (nr > ST_MAX_FRAMES)
		return 0;
	if (is_php)
		find_loops(&loops, python, stack);
	if (loops.is_elsewhere)
		return 0;
	for (size_t i = 0; i < nr; i++) {
		struct place place;

		if (!ST_PYTHON_ENDS(words[2 * i]))
			continue;
		place = is_php ? php_place(&loops, nr_calls++, has_caller, after_all)
			       : python_place(head, words[2 * i], has_caller, after_all);
		add_call(&inserts, words, from, i + 1, place);
		loops.is_left |= ST_PHP_LEAVES(words[2 * i]);
		from = i + 1;
	}
	/* frames of a call whose end was not reached */
	add_call(&inserts, words, from, nr,
		 is_php ? php_place(&loops, nr_calls, has_caller, after_all) : (struct place){ after_all, false });
	*ret_lacks = inserts.lacks_frames;
	return inserts.nr;
}
