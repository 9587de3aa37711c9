/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/session/walked_python.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/session/look_python_private.h"

enum {
	TRIES_MAX = 100, /* of a process whose threads begin and end while they are read: some five seconds */
	PAGES_MAX = 8192, /* that are copied for a process, and for its code objects */
	FRESH_MAX =
		128, /* code objects that are read together: their pages, and those of their names and lines, have room */
	READ_MS_MAX =
		2000, /* for reading names in one turn of the drain; then frames have none. A second was seen on a busy host */
	BLOCK_WORDS = 192, /* of a thread's control block, where the C library keeps the values of the first 32 keys */
	WORD_OFFSET_MAX = ST_PYTHON_FRAME_BYTES - 8,
};

struct process {
	uint32_t tgid;
	uint32_t nr_tries;
	bool is_settled; /* the programs know it, or it is refused */
	struct python_layout layout;
	struct look_python *python;
};

struct walked_python {
	const struct loaded *loaded;
	const struct unwinding *unwinding;
	struct profile *profile;
	struct look_memory *memory;
	VEC(struct process) processes;
	VEC(struct python_code) fresh; /* being read */
	VEC(uint64_t) addresses;
	uint64_t left_ns; /* for reading names in this turn */
	uint64_t until_ns; /* for what is being read */
};

static bool is_over(void *context)
{
	return clock_monotonic_ns() >= ((struct walked_python *)context)->until_ns;
}

struct walked_python *walked_python_new(const struct drain *drain, const struct drain_target *target)
{
	struct walked_python *walked = xcalloc(1, sizeof(*walked));

	walked->loaded = drain->loaded;
	walked->unwinding = target->unwinding;
	walked->profile = target->profile;
	walked->memory = look_memory_new();
	for (size_t i = 0; i < drain->plan->tgids.nr; i++) {
		struct process process = { .tgid = drain->plan->tgids.data[i] };

		process.python = look_python_new(walked->memory, walked->unwinding, walked->profile, is_over, walked);
		process.python->names_left = PYTHON_NAMES_MAX / drain->plan->tgids.nr;
		vec_push(&walked->processes, process);
	}
	return walked;
}

void walked_python_free(struct walked_python *walked)
{
	if (!walked)
		return;
	for (size_t i = 0; i < walked->processes.nr; i++)
		look_python_free(walked->processes.data[i].python);
	vec_done(&walked->processes);
	vec_done(&walked->fresh);
	vec_done(&walked->addresses);
	look_memory_free(walked->memory);
	free(walked);
}

void walked_python_forget(struct walked_python *walked)
{
	for (size_t i = 0; walked && i < walked->processes.nr; i++) {
		look_python_forget(walked->processes.data[i].python);
		walked->processes.data[i].python->names_left = PYTHON_NAMES_MAX / walked->processes.nr;
	}
}

void walked_python_add_notes(const struct walked_python *walked, struct buf *notes)
{
	for (size_t i = 0; walked && i < walked->processes.nr; i++)
		look_python_add_notes(walked->processes.data[i].python, notes);
}

/* ---- what the programs need ---- */

/* Makes it the process at hand, of which no page is known. */
static void begin(const struct process *process)
{
	struct st_look look = { .tgid = process->tgid, .tid = process->tgid };

	process->python->tgid = process->tgid;
	process->python->layout = &process->layout;
	look_pages_begin(process->python->pages, &look, PAGES_MAX);
}

/*
 * Where a control block has the address of the thread's state: the C library's place for the key of the interpreter, which is found by its
 * value. The programs compare the state's own address of the block, so another thread's state is never used. False: nowhere.
 */
static bool find_key(struct look_python *python, uint16_t *ret_offset)
{
	bool is_possible[BLOCK_WORDS];
	size_t nr = 0;

	memset(is_possible, 1, sizeof(is_possible));
	for (size_t i = 0; i < python->states.nr && i < PYTHON_CHECKED_MAX; i++) {
		uint64_t block = python_word_at(python, python->states.data[i].at + python->state_block);
		uint64_t words[BLOCK_WORDS];

		if (!python->states.data[i].tid)
			continue;
		if (!python_read_bytes(python, block, words, sizeof(words)))
			return false;
		for (size_t k = 0; k < BLOCK_WORDS; k++) {
			bool is_state = false;

			for (size_t other = 0; other < python->states.nr; other++)
				is_state |= words[k] == python->states.data[other].at;
			is_possible[k] &= is_state;
		}
		nr++;
	}
	for (uint16_t k = 0; nr && k < BLOCK_WORDS; k++) {
		if (!is_possible[k])
			continue;
		*ret_offset = (uint16_t)(8 * k);
		return true;
	}
	return false;
}

/* Whether the programs, which read so many bytes of a frame and of a code object, can use the layout. */
static bool fits(const struct look_python *python)
{
	const struct python_layout *layout = python->layout;

	return layout->frame_code <= WORD_OFFSET_MAX && layout->frame_instruction <= WORD_OFFSET_MAX &&
	       layout->frame_previous <= WORD_OFFSET_MAX && layout->frame_owner < ST_PYTHON_FRAME_BYTES &&
	       (layout->frame_is_entry == PYTHON_NONE || layout->frame_is_entry < ST_PYTHON_FRAME_BYTES) &&
	       layout->code_instructions <= ST_PYTHON_CODE_BYTES &&
	       layout->object_type <= layout->code_instructions - 8;
}

static void tell(const struct walked_python *walked, const struct process *process, uint16_t key)
{
	const struct look_python *python = process->python;
	const struct python_layout *layout = &process->layout;
	const struct st_python told = {
		.code_type = python->bias + layout->code_type,
		.loop = layout->loop ? python->bias + layout->loop : 0,
		.block_thread = key,
		.thread_block = python->state_block,
		.thread_cframe = layout->thread_cframe,
		.thread_frame = layout->thread_frame,
		.frame_code = layout->frame_code,
		.frame_instruction = layout->frame_instruction,
		.frame_previous = layout->frame_previous,
		.frame_owner = layout->frame_owner,
		.frame_is_entry = layout->frame_is_entry,
		.entry_owner = layout->entry_owner,
		.code_tags = (uint8_t)layout->code_tags,
		.code_bytes = layout->code_instructions,
		.object_type = layout->object_type,
		.code_name = python->code_name,
		.code_file = python->code_file,
		.code_first_line = python->code_first_line,
		.code_lines = python->code_lines,
	};

	if (bpf_map_update_elem(bpf_map__fd(walked->loaded->skeleton->maps.st_pythons), &process->tgid, &told, BPF_ANY))
		python_refuse(process->python, process->tgid, "there is no room for its layout");
}

/* Threads begin and end while they are read, so what is not as expected is read again some times. */
static void settle(struct walked_python *walked, struct process *process)
{
	const struct python_layout *layout;
	const char *why;
	uint16_t key;

	layout = unwinding_python(walked->unwinding, process->tgid, &process->python->bias);
	if (!layout)
		return;
	process->layout = *layout;
	begin(process);
	process->python->states.nr = 0;
	why = python_read_process(process->python);
	if (!why && (layout->thread_cframe != PYTHON_NONE && !layout->loop))
		why = "_PyEval_EvalFrameDefault: not exported";
	if (!why && !fits(process->python))
		why = "its frames are larger than expected";
	if (!why && !process->python->states.nr)
		return; /* it has not begun */
	if (!why && !find_key(process->python, &key))
		why = "its threads have their states where they are not expected";
	if (!why)
		tell(walked, process, key);
	else if (layout->status == PYTHON_FOUND && ++process->nr_tries < TRIES_MAX)
		return;
	else
		python_refuse(process->python, process->tgid, why);
	process->is_settled = true;
}

void walked_python_update(struct walked_python *walked)
{
	if (walked) {
		walked->left_ns = READ_MS_MAX * NSEC_PER_MSEC;
		walked->until_ns = UINT64_MAX;
	}
	for (size_t i = 0; walked && i < walked->processes.nr; i++)
		if (!walked->processes.data[i].is_settled)
			settle(walked, &walked->processes.data[i]);
}

/* ---- names ---- */

static uint32_t cookie_of(const struct python_code *code)
{
	return st_python_cookie(code->name, code->file, code->lines, code->first_line);
}

static const struct python_code *find_code(const struct look_python *python, uint64_t at, uint32_t cookie)
{
	for (size_t i = 0; i < python->codes.nr; i++)
		if (python->codes.data[i].at == at && cookie_of(&python->codes.data[i]) == cookie)
			return &python->codes.data[i];
	return NULL;
}

/* A code object that is in use: the first word of freed memory is a pointer or 0, not a count of references. */
static bool read_living(struct look_python *python, uint64_t at, struct python_code *ret_code)
{
	return python_read_code(python, at, ret_code) && !(uint16_t)(python_word_at(python, at) >> 32);
}

/* Its table of lines has as many instructions as the code object. A freed one may have all its members but those that they lead to. */
static bool has_own_lines(struct look_python *python, const struct python_code *code)
{
	uint64_t nr = python_word_at(python, code->at + python->layout->object_type + sizeof(uint64_t));

	return code->nr_table && python_lines_bytes(code->table, code->nr_table) == 2 * nr;
}

/* The same code object as before, after its names have been read. */
static bool is_unchanged(struct look_python *python, const struct python_code *before)
{
	struct python_code now;

	return read_living(python, before->at, &now) && now.name == before->name && now.file == before->file &&
	       now.lines == before->lines && now.first_line == before->first_line;
}

static bool is_fresh(const struct walked_python *walked, uint64_t at)
{
	for (size_t i = 0; i < walked->addresses.nr; i++)
		if (walked->addresses.data[i] == at)
			return true;
	return false;
}

static const uint64_t *python_words(const struct st_stack *stack)
{
	return (const uint64_t *)stack->frames + stack->head.nr_kernel + stack->head.nr_user;
}

/* Copies the pages of these code objects together, and with `names` those that they point to. */
static void expect(struct walked_python *walked, struct look_python *python, bool names)
{
	VEC(uint64_t) addresses = {};
	struct python_code code;

	look_pages_expect(python->pages, walked->addresses.data, walked->addresses.nr);
	for (size_t i = 0; names && i < walked->addresses.nr; i++) {
		if (!python_read_code(python, walked->addresses.data[i], &code))
			continue;
		vec_push(&addresses, code.name);
		vec_push(&addresses, code.file);
		vec_push(&addresses, code.lines);
	}
	look_pages_expect(python->pages, addresses.data, addresses.nr);
	vec_done(&addresses);
}

/* Keeps what was read, unless the object was another one before or is one now. Of those that are hidden the address suffices. */
static void keep_proved(struct walked_python *walked, struct look_python *python)
{
	for (size_t i = 0; i < walked->fresh.nr; i++) {
		struct python_code *code = &walked->fresh.data[i];
		bool is_proved = !find_code(python, code->at, cookie_of(code)) && is_unchanged(python, code);

		if (is_proved && (has_own_lines(python, code) || python_is_helper(code))) {
			vec_push(&python->codes, *code);
			continue;
		}
		python->tables_bytes -= code->nr_table;
		free(code->table);
	}
	walked->fresh.nr = 0;
}

/* Adds the code objects of a record that are not known to `addresses`. */
static void find_fresh(struct walked_python *walked, const struct look_python *python, const struct st_stack *stack)
{
	const uint64_t *words = python_words(stack);

	for (size_t i = 0; i < stack->head.nr_python; i++) {
		uint64_t at = ST_PYTHON_ADDRESS(words[2 * i]);

		if (at && !find_code(python, at, ST_PYTHON_COOKIE(words[2 * i + 1])) && !is_fresh(walked, at))
			vec_push(&walked->addresses, at);
	}
}

/* Reads the code objects at `addresses`, twice: their names must be theirs before and after. */
static void read_fresh(struct walked_python *walked, const struct process *process)
{
	struct look_python *python = process->python;
	uint64_t begun_ns = clock_monotonic_ns(), took_ns;

	if (walked->addresses.nr && walked->left_ns) {
		walked->until_ns = begun_ns + walked->left_ns;
		begin(process);
		expect(walked, python, true);
		for (size_t i = 0; i < walked->addresses.nr; i++) {
			struct python_code code;

			if (read_living(python, walked->addresses.data[i], &code) && python_read_names(python, &code))
				vec_push(&walked->fresh, code);
		}
		begin(process);
		expect(walked, python, false);
		keep_proved(walked, python);
		took_ns = clock_monotonic_ns() - begun_ns;
		walked->left_ns -= took_ns < walked->left_ns ? took_ns : walked->left_ns;
	}
	walked->addresses.nr = 0;
}

static void read_process(struct walked_python *walked, const struct process *process, const uint64_t *records,
			 size_t nr_words)
{
	for (size_t at = 0; at < nr_words; at += drain_words_of((const struct st_stack *)(records + at))) {
		const struct st_stack *stack = (const struct st_stack *)(records + at);

		if (stack->head.tgid != process->tgid || stack->head.nr_python > ST_MAX_FRAMES)
			continue;
		find_fresh(walked, process->python, stack);
		if (walked->addresses.nr > FRESH_MAX)
			read_fresh(walked, process);
	}
	read_fresh(walked, process);
}

void walked_python_read(struct walked_python *walked, const uint64_t *records, size_t nr_words)
{
	for (size_t i = 0; walked && i < walked->processes.nr; i++) {
		const struct process *process = &walked->processes.data[i];

		read_process(walked, process, records, nr_words);
		if (process->python->codes.nr <= PYTHON_CODES_MAX)
			continue;
		look_python_forget(process->python);
		read_process(walked, process, records, nr_words); /* those that were known are not any more */
	}
}

/* Sets *ret_lacks if it cannot be read or has no name. */
static uint32_t frame_of(struct look_python *python, const struct python_code *code, uint64_t first, uint64_t second,
			 bool *ret_lacks)
{
	if (code)
		return python_add_frame(python, code, ST_PYTHON_OFFSET(second));
	if (!first && second == ST_PYTHON_MORE)
		return python_add_label(python, "[python: more frames]", 1);
	*ret_lacks = true;
	return first ? python_add_label(python, "[python: no name]", 2)
		     : python_add_label(python, "[python: not readable]", 0);
}

struct walked_inserts {
	struct drain_insert *data;
	size_t nr;
	bool lacks_frames;
};

/* Adds frames `from` up to `to`, innermost first, that one call from C has led to. */
static void add_call(struct look_python *python, const uint64_t *words, size_t from, size_t to, uint16_t place,
		     bool replaces, struct walked_inserts *inserts)
{
	const size_t first = inserts->nr;

	for (size_t i = from; i < to; i++) {
		const struct python_code *code =
			find_code(python, ST_PYTHON_ADDRESS(words[2 * i]), ST_PYTHON_COOKIE(words[2 * i + 1]));
		bool is_first = inserts->nr == first;

		if (code && python_is_helper(code))
			continue;
		inserts->data[inserts->nr++] = (struct drain_insert){
			.place = (uint16_t)(place + (replaces && !is_first)),
			.replaces = replaces && is_first,
			.frame = frame_of(python, code, words[2 * i], words[2 * i + 1], &inserts->lacks_frames),
		};
	}
}

size_t walked_python_inserts(struct walked_python *walked, const struct st_stack *stack,
			     struct drain_insert data[ST_MAX_FRAMES], bool *ret_lacks)
{
	const uint64_t *words = python_words(stack);
	const uint16_t after_all = stack->head.flags & ST_STACK_ELIDED ? ST_INNER_FRAMES + 1 : stack->head.nr_user;
	const size_t nr = stack->head.nr_python;
	struct walked_inserts inserts = { .data = data };
	struct process *process = NULL;
	size_t from = 0;

	*ret_lacks = false;
	for (size_t i = 0; walked && i < walked->processes.nr; i++)
		if (walked->processes.data[i].tgid == stack->head.tgid)
			process = &walked->processes.data[i];
	if (!process || nr > ST_MAX_FRAMES)
		return 0;
	for (size_t i = 0; i < nr; i++) {
		bool replaces = ST_PYTHON_REPLACES(words[2 * i]);
		uint16_t place = (uint16_t)ST_PYTHON_PLACE(words[2 * i]);

		if (!ST_PYTHON_ENDS(words[2 * i]))
			continue;
		if (!replaces && place >= stack->head.nr_user)
			place = after_all; /* the native frames that it belongs between are missing */
		add_call(process->python, words, from, i + 1, place, replaces, &inserts);
		from = i + 1;
	}
	/* frames of a call whose place was not reached */
	add_call(process->python, words, from, nr, after_all, false, &inserts);
	*ret_lacks = inserts.lacks_frames;
	return inserts.nr;
}
