/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/session/look_python_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/escape.h"
#include "core/host/process.h"

enum {
	INTERPRETERS_MAX = 64,
	THREADS_MAX = 8192, /* of all interpreters of a process */
	FRAMES_MAX = 1000, /* of one thread; a frame stands for the remaining ones */
	STEPS_MAX = 2 * FRAMES_MAX, /* including the entries for calls from C */
	LINES_MAX = 1 << 18, /* bytes of a line table */
	TABLES_MAX = 16 << 20, /* bytes of all line tables */
	PROCESS_PAGES_MAX = 65536, /* that are copied to find the threads of a process */
	THREAD_PAGES_MAX = 8192, /* that are copied for the frames of one thread */
	CODE_BYTES_MAX = 1024, /* of a code object without its instructions */
	STATE_WORDS = 64, /* words of a thread state that contain its ids */
	TID_MAX = 1 << 22, /* the kernel's limit */

	/* Offsets in type objects, in all versions: tp_basicsize and tp_members, and the entries of tp_members. */
	TYPE_SIZE = 32,
	TYPE_MEMBERS = 240,
	MEMBER_BYTES = 40,
	MEMBER_OFFSET = 16,
	MEMBERS_MAX = 64,

	LABELS_FROM = 64, /* `where` of our own frames; drain_records.c uses lower values */
};

_Static_assert(FRAMES_MAX < DRAIN_INSERTS_MAX, "with the frame that says that there are more");

struct look_python *look_python_new(struct look_pages *pages, const struct unwinding *unwinding,
				    struct profile *profile)
{
	struct look_python *python = xcalloc(1, sizeof(*python));

	python->pages = pages;
	python->unwinding = unwinding;
	python->profile = profile;
	python->names_left = PYTHON_NAMES_MAX;
	return python;
}

void python_forget_codes(struct look_python *python)
{
	for (size_t i = 0; i < python->codes.nr; i++)
		free(python->codes.data[i].table);
	python->codes.nr = 0;
	hashidx_done(&python->code_index);
	python->tables_bytes = 0;
}

void look_python_forget(struct look_python *python)
{
	python_forget_codes(python);
	python->states.nr = 0;
	python->tgid = 0;
	python->layout = NULL;
}

void look_python_free(struct look_python *python)
{
	look_python_forget(python);
	vec_done(&python->codes);
	vec_done(&python->states);
	vec_done(&python->frames);
	vec_done(&python->groups);
	for (size_t i = 0; i < python->refused.nr; i++)
		free(python->refused.data[i].line);
	vec_done(&python->refused);
	free(python);
}

void look_python_add_notes(const struct look_python *python, struct buf *notes)
{
	for (size_t i = 0; i < python->refused.nr; i++)
		buf_adds(notes, python->refused.data[i].line);
}

/* ---- memory ---- */

bool python_read_bytes(struct look_python *python, uint64_t at, void *to, size_t nr)
{
	return (python->walk && look_walk_read(python->walk, at, to, nr)) || /* from the thread's stack */
	       look_pages_read(python->pages, at, to, nr);
}

uint64_t python_word_at(struct look_python *python, uint64_t at)
{
	uint64_t word = 0;

	python->has_failed |= !python_read_bytes(python, at, &word, sizeof(word));
	return word;
}

static uint8_t byte_at(struct look_python *python, uint64_t at)
{
	uint8_t byte = 0;

	python->has_failed |= !python_read_bytes(python, at, &byte, sizeof(byte));
	return byte;
}

/* ---- the process ---- */

/* Finds the offsets of members of code objects, by their names in the table of the type. */
static bool read_members(struct look_python *python)
{
	static const char *const names[] = { "co_qualname", "co_filename", "co_firstlineno", "co_linetable" };
	uint16_t *const offsets[] = { &python->code_name, &python->code_file, &python->code_first_line,
				      &python->code_lines };
	uint64_t type = python->bias + python->layout->code_type, members = python_word_at(python, type + TYPE_MEMBERS);
	uint64_t size = python_word_at(python, type + TYPE_SIZE);
	unsigned int found = 0;

	if (size != python->layout->code_instructions || size > CODE_BYTES_MAX || size < 2 * sizeof(uint64_t))
		return false;
	for (int i = 0; i < MEMBERS_MAX; i++, members += MEMBER_BYTES) {
		uint64_t name = python_word_at(python, members),
			 offset = python_word_at(python, members + MEMBER_OFFSET);
		char text[24] = {};

		if (!name)
			break;
		if (!python_read_bytes(python, name, text, 16) || offset > size - sizeof(uint64_t))
			continue;
		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
			if (strcmp(text, names[k]) != 0)
				continue;
			*offsets[k] = (uint16_t)offset;
			found |= 1u << k;
		}
	}
	return found == 15;
}

static void read_states(struct look_python *python)
{
	const struct python_layout *layout = python->layout;
	uint64_t head = python->bias + layout->head, interpreter;

	if (layout->head_by_pointer)
		head = python_word_at(python, head);
	interpreter = python_word_at(python, head + layout->head_offset);
	for (int i = 0; interpreter && i < INTERPRETERS_MAX; i++) {
		uint64_t state = python_word_at(python, interpreter + layout->interpreter_threads);

		while (state && python->states.nr < THREADS_MAX) {
			vec_push(&python->states, (struct python_state){ .at = state });
			state = python_word_at(python, state + layout->thread_next);
		}
		interpreter = python_word_at(python, interpreter + layout->interpreter_next);
	}
}

/*
 * The words of a thread state that may be its two ids, a bit for each. The first id is the address of the thread's control block, which
 * begins with its own address (the ABI of thread-local storage). The second is a thread id.
 */
static uint64_t places_of_ids(struct look_python *python, const uint64_t words[STATE_WORDS])
{
	uint64_t places = 0;

	for (unsigned int i = 1; i < STATE_WORDS; i++)
		if (words[i] && words[i] <= TID_MAX && words[i - 1] &&
		    python_word_at(python, words[i - 1]) == words[i - 1])
			places |= 1ULL << i;
	return places;
}

/* Finds the offset of the ids, which is the same for all threads. A state without ids belongs to a thread that has not begun. */
static bool read_ids(struct look_python *python)
{
	uint64_t words[STATE_WORDS], places = UINT64_MAX;

	for (size_t i = 0; i < python->states.nr && i < PYTHON_CHECKED_MAX; i++) {
		uint64_t here = python_read_bytes(python, python->states.data[i].at, words, sizeof(words))
					? places_of_ids(python, words)
					: 0;

		places &= here ?: UINT64_MAX;
	}
	if (!places || places & (places - 1))
		return false;
	python->state_block = (uint16_t)(8 * (__builtin_ctzll(places) - 1));
	for (size_t i = 0; i < python->states.nr; i++) {
		struct python_state *state = &python->states.data[i];
		uint64_t id = python_word_at(python, state->at + python->state_block + sizeof(id));

		state->tid = id <= TID_MAX ? (uint32_t)id : 0;
	}
	return true;
}

const char *python_read_process(struct look_python *python)
{
	uint64_t compact;

	if (python->is.interpreter.is_refused)
		return interpreter_question_text(&python->is.interpreter);
	if (python_is_php(python))
		return php_read_process(python);
	python->has_failed = false;
	if (!read_members(python))
		return python->has_failed ? "its memory cannot be read" : "its type of code objects is not as expected";
	compact = python_word_at(python, python->bias + python->layout->text_type + TYPE_SIZE) - sizeof(uint64_t);
	if (compact > PYTHON_TEXT_HEAD)
		return python->has_failed ? "its memory cannot be read" : "its type of strings is not as expected";
	python->text_compact = (uint16_t)compact;
	python->has_failed = false;
	read_states(python);
	python->lacks_states = python->has_failed || python->states.nr == THREADS_MAX;
	if (python->states.nr && !read_ids(python)) /* no threads: the process has not begun, or has ended */
		return "its threads are not where they are expected";
	return NULL;
}

/* A process is read again in each turn, and only the last note counts. */
static void forget_refusal(struct look_python *python, uint32_t tgid)
{
	for (size_t i = 0; i < python->refused.nr; i++) {
		if (python->refused.data[i].tgid != tgid)
			continue;
		free(python->refused.data[i].line);
		python->refused.data[i] = python->refused.data[--python->refused.nr];
		return;
	}
}

static void refuse(struct look_python *python, uint32_t tgid, const char *why)
{
	char text[32];

	python->layout = NULL;
	vec_push(&python->refused,
		 (struct python_refusal){ tgid,
					  xasprintf("%s of process %u: its frames are not shown: %s\n",
						    interpreter_text(&python->is.interpreter, text), tgid, why) });
}

/* Whether the process of the thread has Python frames that can be read. */
static bool begin_process(struct look_python *python, const struct st_look *look)
{
	const char *why;

	if (python->tgid == look->tgid) {
		look_pages_begin(python->pages, look, THREAD_PAGES_MAX);
		return python->layout;
	}
	look_python_forget(python);
	python->tgid = look->tgid;
	if (!unwinding_interpreter(python->unwinding, look->tgid, &python->is) || python_is_php(python))
		return false;
	python->layout = &python->is.interpreter.python;
	python->bias = python->is.bias;
	look_pages_begin(python->pages, look, PROCESS_PAGES_MAX);
	why = python_read_process(python);
	look_pages_begin(python->pages, look, THREAD_PAGES_MAX);
	forget_refusal(python, look->tgid);
	if (why)
		refuse(python, look->tgid, why);
	return python->layout;
}

/* ---- frames ---- */

static void end_group(struct look_python *python, uint64_t marker)
{
	size_t first = python->groups.nr ? vec_last(&python->groups).first + vec_last(&python->groups).nr : 0;

	if (python->frames.nr > first)
		vec_push(&python->groups, (struct python_group){ marker, first, python->frames.nr - first });
}

/* Follows the list of frames, innermost first, and divides it where C code has called the interpreter. */
static void read_frames(struct look_python *python, uint64_t state)
{
	const struct python_layout *layout = python->layout;
	const bool by_cframe = layout->thread_cframe != PYTHON_NONE, by_owner = layout->entry_owner;
	uint64_t cframe = by_cframe ? python_word_at(python, state + layout->thread_cframe) : 0;
	uint64_t frame = python_word_at(python, (by_cframe ? cframe : state) + layout->thread_frame), code, instruction;

	for (int i = 0; frame; i++) {
		if (i == STEPS_MAX || python->frames.nr == FRAMES_MAX) {
			python->has_more = true;
			break;
		}
		if (by_owner && byte_at(python, frame + layout->frame_owner) >= layout->entry_owner) {
			end_group(python, frame);
			frame = python_word_at(python, frame + layout->frame_previous);
			continue;
		}
		code = python_word_at(python, frame + layout->frame_code) & ~(uint64_t)layout->code_tags;
		instruction = python_word_at(python, frame + layout->frame_instruction);
		vec_push(&python->frames,
			 (struct python_frame){ code, (int64_t)(instruction - code - layout->code_instructions) });
		if (!by_owner && byte_at(python, frame + layout->frame_is_entry)) {
			end_group(python, cframe);
			cframe = python_word_at(python, cframe + layout->thread_frame +
								sizeof(uint64_t)); /* the word after it */
		}
		frame = python_word_at(python, frame + layout->frame_previous);
	}
	end_group(python, 0);
}

/* ---- names ---- */

string_id python_keep_text(struct look_python *python, struct buf *text)
{
	const string_id known = strtab_find(&python->profile->strings, buf_text(text));

	if (known || text->nr > python->names_left)
		return known;
	python->names_left -= text->nr;
	return profile_add_string(python->profile, buf_text(text));
}

static string_id read_string(struct look_python *python, uint64_t at)
{
	uint8_t head[PYTHON_TEXT_HEAD] = {}, characters[4 * PYTHON_TEXT_MAX];
	_cleanup_(buf_done) struct buf name = {};
	struct python_text text;

	/* a short string may be at the end of a page, and the next page may not exist */
	if (!python_read_bytes(python, at, head, sizeof(head)) &&
	    !python_read_bytes(python, at, head, python->text_compact))
		return 0;
	if (!python_text_read(python->layout, python->text_compact, head, &text) ||
	    !python_read_bytes(python, at + text.at, characters, (size_t)text.nr * text.width))
		return 0;
	python_text_add(&name, &text, characters);
	return python_keep_text(python, &name);
}

static void read_lines(struct look_python *python, struct python_code *code)
{
	uint64_t nr = python_word_at(python, code->lines + python->layout->bytes_size);

	if (!nr || nr > LINES_MAX || nr > TABLES_MAX - python->tables_bytes)
		return;
	code->table = xmalloc(nr);
	code->nr_table = nr;
	if (python_read_bytes(python, code->lines + python->layout->bytes_data, code->table, nr)) {
		python->tables_bytes += nr;
		return;
	}
	free(code->table);
	code->table = NULL;
	code->nr_table = 0;
}

bool python_read_code(struct look_python *python, uint64_t at, struct python_code *ret_code)
{
	uint64_t references = python_word_at(python, at);

	/* the first word of freed memory is a pointer or 0 */
	if (!at ||
	    python_word_at(python, at + python->layout->object_type) != python->bias + python->layout->code_type ||
	    !(uint32_t)references)
		return false;
	*ret_code = (struct python_code){
		.at = at,
		.name = python_word_at(python, at + python->code_name),
		.file = python_word_at(python, at + python->code_file),
		.lines = python_word_at(python, at + python->code_lines),
		.first_line = (uint32_t)python_word_at(python, at + python->code_first_line),
	};
	return true;
}

uint64_t python_cookie(const struct look_python *python, const struct python_code *code)
{
	if (python_is_php(python))
		return code->at;
	return st_python_cookie(code->name, code->file, code->lines, code->first_line);
}

struct code_key {
	uint64_t at, cookie;
};

static bool is_code(const void *context, uint32_t position, const void *key)
{
	const struct look_python *python = context;
	const struct python_code *code = &python->codes.data[position];
	const struct code_key *wanted = key;

	return (code->at == wanted->at || python_is_php(python)) && python_cookie(python, code) == wanted->cookie;
}

/* A function of PHP is known by its cookie alone. */
static struct code_key key_of(const struct look_python *python, uint64_t at, uint64_t cookie)
{
	return (struct code_key){ python_is_php(python) ? 0 : at, cookie };
}

const struct python_code *python_find_code(const struct look_python *python, uint64_t at, uint64_t cookie)
{
	const struct code_key key = key_of(python, at, cookie);
	uint32_t position = hashidx_find(&python->code_index, hash_bytes(&key, sizeof(key)), is_code, python, &key);

	return position == HASHIDX_NONE ? NULL : &python->codes.data[position];
}

void python_keep_code(struct look_python *python, const struct python_code *code)
{
	const struct code_key key = key_of(python, code->at, python_cookie(python, code));

	hashidx_add(&python->code_index, hash_bytes(&key, sizeof(key)), (uint32_t)python->codes.nr);
	vec_push(&python->codes, *code);
}

bool python_is_same_code(const struct python_code *a, const struct python_code *b)
{
	return a->name == b->name && a->file == b->file && a->lines == b->lines && a->first_line == b->first_line;
}

/* The names of a code object that was read before, if the object is still the same. */
static const struct python_code *known_code(const struct look_python *python, const struct python_code *wanted)
{
	const struct python_code *code = python_find_code(python, wanted->at, python_cookie(python, wanted));

	return code && python_is_same_code(code, wanted) ? code : NULL;
}

bool python_read_names(struct look_python *python, struct python_code *code)
{
	code->name_id = read_string(python, code->name);
	code->file_id = read_string(python, code->file);
	read_lines(python, code);
	if (code->name_id)
		return true;
	python->tables_bytes -= code->nr_table;
	free(code->table);
	code->table = NULL;
	return false;
}

static const struct python_code *code_of(struct look_python *python, uint64_t at)
{
	const struct python_code *known;
	struct python_code code;

	if (!python_read_code(python, at, &code))
		return NULL;
	known = known_code(python, &code);
	if (known || python->codes.nr == PYTHON_CODES_MAX)
		return known;
	if (!python_read_names(python, &code))
		return NULL;
	python_keep_code(python, &code);
	return &vec_last(&python->codes);
}

/* Copies everything that the names need, in two steps: the code objects, and the objects that they point to. */
static void expect_names(struct look_python *python)
{
	VEC(uint64_t) addresses = {};
	struct python_code code;

	for (size_t i = 0; i < python->frames.nr; i++)
		vec_push(&addresses, python->frames.data[i].code);
	look_pages_expect(python->pages, addresses.data, addresses.nr);
	addresses.nr = 0;
	for (size_t i = 0; i < python->frames.nr; i++) {
		if (!python_read_code(python, python->frames.data[i].code, &code) || known_code(python, &code))
			continue;
		vec_push(&addresses, code.name);
		vec_push(&addresses, code.file);
		vec_push(&addresses, code.lines);
	}
	look_pages_expect(python->pages, addresses.data, addresses.nr);
	vec_done(&addresses);
}

/* Code of a user may have equal names too, but it has lines. */
bool python_is_helper(const struct python_code *code)
{
	return code->name == code->file && code->nr_table == 1;
}

uint32_t python_add_label(struct profile *profile, unsigned int language, const char *text, uint64_t number)
{
	struct profile_frame frame = { .kind = FRAME_TEXT, .where = LABELS_FROM + 4 * language + number };
	char label[64];

	snprintf(label, sizeof(label), "[%s: %s]", language_label(language), text);
	frame.name = profile_add_string(profile, label);
	return profile_add_frame(profile, &frame);
}

uint32_t python_add_frame(struct look_python *python, const struct python_code *code, int64_t offset)
{
	struct profile_frame frame = { .kind = FRAME_INTERPRETER, .line_reason = LINES_FOUND };

	frame.name = code->name_id;
	frame.source = code->file_id;
	if (python_is_php(python))
		frame.line = (uint32_t)offset;
	else if (code->nr_table)
		frame.line = python_line(code->table, code->nr_table, code->first_line, offset);
	frame.module = profile_add_string(python->profile, language_label(python->is.interpreter.language));
	frame.where = (uint64_t)frame.name << 32 | frame.source;
	frame.space = frame.line;
	return profile_add_frame(python->profile, &frame);
}

static uint32_t frame_of(struct look_python *python, const struct python_code *code, const struct python_frame *read)
{
	if (code)
		return python_add_frame(python, code, read->offset);
	python->has_failed = true;
	return python_add_label(python->profile, LANGUAGE_PYTHON, "not readable", 0);
}

/* ---- between the native frames ---- */

/* The index of a step of the walk among the user frames of the record. False: the step was elided in a deep stack. */
static bool place_of(const struct look_walk *walk, size_t step, uint16_t *ret_place)
{
	const struct st_stack_head *head = &walk->slot.stack.head;
	size_t place = step;

	if (head->flags & ST_STACK_ELIDED && step >= ST_INNER_FRAMES) {
		if (step < ST_INNER_FRAMES + (size_t)head->elided)
			return false;
		place = step - head->elided + 1; /* one frame stands for the elided ones */
	}
	*ret_place = (uint16_t)place;
	return place <= head->nr_user + (size_t)(head->flags & ST_STACK_ELIDED ? 1 : 0);
}

/* The step, from `step` on, whose native frame contains the marker. If native frames are missing: the first step above the marker. */
static size_t find_step(const struct look_walk *walk, size_t step, uint64_t marker, bool *ret_replaces)
{
	const uint64_t *pointers = walk->stack_pointers;
	size_t above = walk->nr_steps;

	*ret_replaces = true;
	for (size_t i = step; marker && i < walk->nr_steps; i++) {
		if (pointers[i] <= marker && marker < pointers[i + 1])
			return i;
		if (pointers[i] > marker && above == walk->nr_steps)
			above = i;
	}
	*ret_replaces = false;
	return above;
}

static void add_group(struct look_python *python, const struct python_group *group, uint16_t place, bool replaces,
		      struct drain_insert *inserts, size_t *nr)
{
	const size_t first = *nr;

	for (size_t i = 0; i < group->nr; i++) {
		const struct python_frame *read = &python->frames.data[group->first + i];
		const struct python_code *code = code_of(python, read->code);
		bool is_first = *nr == first;

		if (code && python_is_helper(code))
			continue;
		inserts[(*nr)++] = (struct drain_insert){
			.place = (uint16_t)(place + (replaces && !is_first)),
			.replaces = replaces && is_first,
			.frame = frame_of(python, code, read),
		};
	}
}

static size_t place_groups(struct look_python *python, const struct look_walk *walk, struct drain_insert *inserts)
{
	size_t step = 0, nr = 0;

	for (size_t i = 0; i < python->groups.nr; i++) {
		const struct python_group *group = &python->groups.data[i];
		bool replaces;
		uint16_t place;

		step = find_step(walk, step, group->marker, &replaces);
		if (place_of(walk, step, &place))
			add_group(python, group, place, replaces, inserts, &nr);
		step += replaces;
	}
	return nr;
}

static int compare_groups(const void *left, const void *right)
{
	const struct python_group *a = left, *b = right;
	uint64_t at_a = a->marker ?: UINT64_MAX, at_b = b->marker ?: UINT64_MAX;

	if (at_a != at_b)
		return at_a < at_b ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

/* Reads the frames of the thread in all interpreters that know the thread, because one may have called another. */
static void read_thread(struct look_python *python, uint32_t tid)
{
	uint32_t inner = python->states.nr ? process_inner_tid(tid) : 0;
	bool is_known = false;

	python->frames.nr = python->groups.nr = 0;
	python->has_failed = python->has_more = false;
	for (size_t i = 0; i < python->states.nr; i++) {
		if (python->states.data[i].tid != inner)
			continue;
		is_known = true;
		read_frames(python, python->states.data[i].at);
	}
	python->has_failed |= !is_known && python->lacks_states;
	if (python->groups.nr)
		qsort(python->groups.data, python->groups.nr, sizeof(*python->groups.data), compare_groups);
}

void look_python_walk(struct look_python *python, const struct look_walk *walk, struct look_thread *thread)
{
	bool is_cut;

	python->walk = walk;
	if (!python->unwinding || !walk->nr_steps || !begin_process(python, thread->look))
		return;
	read_thread(python, thread->look->tid);
	is_cut = python->has_failed || python->has_more;
	if (!python->frames.nr && !is_cut)
		return; /* a thread without Python */
	thread->inserts = xcalloc(python->frames.nr + 1, sizeof(*thread->inserts));
	expect_names(python);
	thread->nr_inserts = place_groups(python, walk, thread->inserts);
	if (is_cut) {
		struct drain_insert *last = &thread->inserts[thread->nr_inserts++];

		last->place = thread->nr_inserts > 1 ? last[-1].place + last[-1].replaces : 0;
		last->frame = python->has_failed ? python_add_label(python->profile, LANGUAGE_PYTHON, "not readable", 0)
						 : python_add_label(python->profile, LANGUAGE_PYTHON, "more frames", 1);
	}
	thread->lacks_frames = python->has_failed;
}
