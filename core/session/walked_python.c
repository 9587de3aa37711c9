/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/session/walked_python_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/host/process.h"

enum {
	PROCESSES_MAX = 1024, /* entries of st_interpreters */
	TRIES_MAX = 100, /* to read a process whose threads begin and end during the read */
	TRY_MS = 50, /* between tries at first; later an eighth of the time since the first try */
	SETTLED_LATER_MS = 200, /* for a process that uses the offsets of another process */
	SETTLE_MS_MAX = 500, /* for processes in one turn of the drain */
	SWEEP_MS = 1000,
	READ_MS_MAX =
		2000, /* for reading names in one turn of the drain; later frames have no names. A busy host needed 1 s */
	NOTED_PART = 100, /* processes with fewer than one of so many records get no line */
	FUNCTIONS_MAX = 1 << 18, /* of PHP, of all processes; then all are forgotten */
	NAMES_PARTS = 16, /* without -p: one process may use one of so many parts of all bytes of names */
	BLOCK_WORDS = 192, /* of a thread's control block, where the C library keeps the values of the first 32 keys */
	WORD_OFFSET_MAX = ST_PYTHON_FRAME_BYTES - 8,
};

static bool is_over(void *context)
{
	return clock_monotonic_ns() >= ((struct walked_python *)context)->until_ns;
}

struct walked_python *walked_python_new(const struct drain *drain, const struct drain_target *target)
{
	struct walked_python *walked = xcalloc(1, sizeof(*walked));

	walked->loaded = drain->loaded;
	walked->plan = drain->plan;
	walked->unwinding = target->unwinding;
	walked->profile = target->profile;
	walked->memory = look_memory_new();
	walked->pages = look_pages_new(walked->memory, is_over, walked);
	walked->names_left = PYTHON_NAMES_MAX;
	return walked;
}

static void process_free(struct process *process)
{
	look_python_free(process->python);
	free(process);
}

void walked_python_free(struct walked_python *walked)
{
	if (!walked)
		return;
	for (size_t i = 0; i < WALKED_BUCKETS; i++) {
		while (walked->processes[i]) {
			struct process *process = walked->processes[i];

			walked->processes[i] = process->next;
			process_free(process);
		}
	}
	vec_done(&walked->files);
	vec_done(&walked->fresh);
	vec_done(&walked->addresses);
	look_pages_free(walked->pages);
	look_memory_free(walked->memory);
	stacktool__destroy(walked->copy);
	free(walked);
}

static size_t names_part(const struct walked_python *walked)
{
	return PYTHON_NAMES_MAX / (walked->plan->tgids.nr ?: NAMES_PARTS);
}

void walked_python_forget(struct walked_python *walked)
{
	if (!walked)
		return;
	walked_forget_codes(walked);
	walked->names_left = PYTHON_NAMES_MAX;
	FOR_EACH_PROCESS(walked, process)
	process->names_left = names_part(walked);
}

static void add_note(const struct process *process, size_t nr_others, struct buf *notes)
{
	char text[32];

	buf_addf(notes, "%s of process %u", interpreter_text(&process->python->is.interpreter, text), process->tgid);
	if (nr_others)
		buf_addf(notes, " and %zu other%s: their", nr_others, nr_others == 1 ? "" : "s");
	else
		buf_adds(notes, ": its");
	buf_addf(notes, " frames are not shown: %s\n", process->why);
}

static bool has_same_note(const struct process *a, const struct process *b)
{
	return a->why && b->why && !strcmp(a->why, b->why) &&
	       a->python->is.interpreter.language == b->python->is.interpreter.language &&
	       a->python->is.interpreter.version == b->python->is.interpreter.version;
}

/* Adds one line for all processes that are refused for the same reason, unless they have very few records. */
void walked_python_add_notes(const struct walked_python *walked, struct buf *notes)
{
	if (!walked)
		return;
	if (walked->refused)
		buf_addf(notes, "Frames of interpreters are not shown: the kernel refuses the programs: %s\n",
			 strerror(-walked->refused));
	FOR_EACH_PROCESS(walked, process)
	{
		uint64_t nr_records = 0;
		size_t nr_before = 0, nr_after = 0;
		bool is_before = true;

		for (size_t i = 0; i < WALKED_BUCKETS; i++) {
			for (const struct process *other = walked->processes[i]; other; other = other->next) {
				bool is_same = has_same_note(process, other);

				if (other == process)
					is_before = false;
				nr_before += is_same && is_before;
				nr_after += is_same && !is_before;
				nr_records += is_same ? other->nr_records : 0;
			}
		}
		if (nr_after && !nr_before && (walked->plan->tgids.nr || nr_records * NOTED_PART >= walked->nr_records))
			add_note(process, nr_after - 1, notes);
	}
}

struct process **walked_place_of(struct walked_python *walked, uint32_t tgid)
{
	struct process **link = &walked->processes[tgid % WALKED_BUCKETS];

	while (*link && (*link)->tgid != tgid)
		link = &(*link)->next;
	return link;
}

void walked_begin(const struct process *process)
{
	struct st_look look = { .tgid = process->tgid, .tid = process->tgid };

	process->python->tgid = process->tgid;
	process->python->layout = &process->python->is.interpreter.python;
	look_pages_begin(process->python->pages, &look, WALKED_PAGES_MAX);
}

/* ---- data for the programs ---- */

static const struct stacktool *walker(const struct walked_python *walked)
{
	return walked->copy ? walked->copy : walked->loaded->skeleton;
}

static int pythons_fd(const struct walked_python *walked)
{
	return bpf_map__fd(walker(walked)->maps.st_interpreters);
}

/*
 * Finds the offset in a thread's control block where the C library keeps the value of the interpreter's key, the address of the thread's
 * state. The programs check that this state has the address of the same control block, so another thread's state is never used. False: not
 * found.
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

/* Whether the programs can use the layout. They read a fixed number of bytes of a frame and of a code object. */
static bool fits(const struct look_python *python)
{
	const struct python_layout *layout = python->layout;

	return layout->frame_code <= WORD_OFFSET_MAX && layout->frame_instruction <= WORD_OFFSET_MAX &&
	       layout->frame_previous <= WORD_OFFSET_MAX && layout->frame_owner < ST_PYTHON_FRAME_BYTES &&
	       (layout->frame_is_entry == PYTHON_NONE || layout->frame_is_entry < ST_PYTHON_FRAME_BYTES) &&
	       layout->code_instructions <= ST_PYTHON_CODE_BYTES &&
	       layout->object_type <= layout->code_instructions - 8;
}

static struct st_python told_python(const struct look_python *python, uint16_t key)
{
	const struct python_layout *layout = &python->is.interpreter.python;

	return (struct st_python){
		.code_type = python->is.bias + layout->code_type,
		.loop = python->is.bias + layout->loop,
		.loop_bytes = layout->loop_bytes,
		.unfilled = layout->unfilled,
		.unfilled_bytes = layout->unfilled_bytes,
		.cframe_below = layout->cframe_below,
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
}

static struct st_php told_php(const struct process *process)
{
	const struct php_layout *layout = &process->python->is.interpreter.php;
	const uint64_t bias = process->python->is.bias;

	return (struct st_php){
		.current = process->python->current,
		.loop = bias + layout->loop,
		.loop_bytes = layout->loop_bytes,
		.cold = bias + layout->cold,
		.cold_bytes = layout->cold_bytes,
		.frame_function = layout->frame_function,
		.frame_instruction = layout->frame_instruction,
		.frame_previous = layout->frame_previous,
		.frame_call = layout->frame_call + 2,
		.instruction_line = layout->instruction_line,
		.function_bytes = php_function_bytes(layout),
		.function_type = layout->function_type,
		.function_name = layout->function_name,
		.function_scope = layout->function_scope,
		.function_file = layout->function_file,
		.function_code = layout->function_code,
		.text = layout->text,
		.class_name = layout->class_name,
		.epoch = process->epoch,
		.loop_has_registers = layout->loop_has_registers,
	};
}

static bool tell(const struct walked_python *walked, const struct process *process, uint16_t key)
{
	const struct look_python *python = process->python;
	struct st_interpreter told = {
		.start_time_ns = python->is.start_time_ns,
		.exec_id = python->is.exec_id,
		.language = python->is.interpreter.language,
	};

	if (python_is_php(python))
		told.php = told_php(process);
	else
		told.python = told_python(python, key);
	return !bpf_map_update_elem(pythons_fd(walked), &process->tgid, &told, BPF_ANY);
}

static struct known_file *known_file(struct walked_python *walked, uint32_t image)
{
	for (size_t i = 0; i < walked->files.nr; i++)
		if (walked->files.data[i].image == image)
			return &walked->files.data[i];
	return NULL;
}

static void keep_file(struct walked_python *walked, const struct look_python *python, uint16_t key)
{
	struct known_file *file = known_file(walked, python->is.image);

	if (!file) {
		vec_push(&walked->files, (struct known_file){});
		file = &vec_last(&walked->files);
	}
	*file = (struct known_file){
		.image = python->is.image,
		.key = key,
		.state_block = python->state_block,
		.code_name = python->code_name,
		.code_file = python->code_file,
		.code_first_line = python->code_first_line,
		.code_lines = python->code_lines,
		.text_compact = python->text_compact,
	};
}

/* A process with a known file gets frames at once, as it may soon end. If its C library's key differs, it has none until settled. */
static void use_file(struct walked_python *walked, struct process *process)
{
	const struct known_file *file = known_file(walked, process->python->is.image);
	struct look_python *python = process->python;

	if (!file)
		return;
	python->state_block = file->state_block;
	python->code_name = file->code_name;
	python->code_file = file->code_file;
	python->code_first_line = file->code_first_line;
	python->code_lines = file->code_lines;
	python->text_compact = file->text_compact;
	if (python_is_php(python)) {
		walked_begin(process);
		if (!php_find_current(python))
			return;
	}
	if (tell(walked, process, file->key))
		process->next_try_ns += SETTLED_LATER_MS * NSEC_PER_MSEC;
}

/* Reads the process. Returns NULL, or the reason why it is refused. */
static const char *read_whole(struct process *process, uint16_t *ret_key, bool *ret_has_begun)
{
	const struct python_layout *layout = &process->python->is.interpreter.python;
	const char *why;

	*ret_key = 0;
	*ret_has_begun = true;
	walked_begin(process);
	process->python->states.nr = 0;
	why = python_read_process(process->python);
	if (python_is_php(process->python))
		return why;
	if (!why && layout->thread_cframe != PYTHON_NONE && !layout->loop)
		why = "_PyEval_EvalFrameDefault: not exported";
	if (!why && !fits(process->python))
		why = "its frames are larger than expected";
	if (!why && process->python->states.nr && !find_key(process->python, ret_key))
		why = "its thread states were not found where they are expected";
	*ret_has_begun = *ret_key;
	vec_done(&process->python->states);
	return why;
}

static bool has_programs(const struct walked_python *walked)
{
	return walked->copy || loaded_config(walked->loaded)->python == ST_PYTHON_WALK;
}

static bool walks(const struct walked_python *walked, const struct process *process)
{
	const struct st_config *config = loaded_config(walked->loaded);

	return walked->copy || (python_is_php(process->python) ? config->walks_php : config->walks_python);
}

static void untell(struct walked_python *walked, const struct process *process)
{
	if (has_programs(walked))
		bpf_map_delete_elem(pythons_fd(walked), &process->tgid);
}

/* The programs tell of functions again, because those that they have told of are not known any more. */
void walked_forget_codes(struct walked_python *walked)
{
	FOR_EACH_PROCESS(walked, process)
	{
		python_forget_codes(process->python);
		process->epoch = ++walked->epoch;
		if (python_is_php(process->python) && process->is_settled && !process->why)
			tell(walked, process, 0);
	}
	walked->tables_bytes = 0;
	walked->nr_functions = 0;
}

/* The programs then tell of functions again, which is harmless. */
static void clear_told(struct walked_python *walked, const struct bpf_map *map)
{
	_cleanup_(err_restore) struct err_saved before = err_save();
	uint32_t nr = bpf_map__max_entries(map);
	_cleanup_(freep) uint64_t *keys = xcalloc(nr, sizeof(*keys));
	_cleanup_(freep) uint32_t *values = xcalloc(nr, sizeof(*values));

	walked->nr_told = 0;
	drain_read_map(bpf_map__fd(map), keys, values, &nr, true, "cache of PHP functions");
}

void walked_python_make_room(struct walked_python *walked)
{
	const struct bpf_map *map;

	if (!walked)
		return;
	if (walked->nr_functions >= FUNCTIONS_MAX)
		walked_forget_codes(walked);
	map = walker(walked)->maps.st_told;
	if (walked->nr_told >= bpf_map__max_entries(map) * 3 / 4)
		clear_told(walked, map);
}

/* Reads the process again some times if it is not as expected, because threads begin and end during the read. */
static void settle(struct walked_python *walked, struct process *process, uint64_t now)
{
	struct look_python *python = process->python;
	uint64_t pause_ns = (now - process->since_ns) / 8;
	bool has_begun;
	const char *why;
	uint16_t key;

	process->next_try_ns = now + (pause_ns > TRY_MS * NSEC_PER_MSEC ? pause_ns : TRY_MS * NSEC_PER_MSEC);
	why = read_whole(process, &key, &has_begun);
	if (why && !python->is.interpreter.is_refused && ++process->nr_tries < TRIES_MAX)
		return;
	if (!why && !has_begun)
		return;
	if (!why && !walks(walked, process))
		why = "the run began with an interpreter of another language";
	if (!why && !tell(walked, process, key))
		why = "there is no room for its layout";
	if (!why)
		keep_file(walked, python, key);
	else
		untell(walked, process);
	process->why = why;
	process->is_settled = true;
}

static void forget_functions(struct walked_python *walked, const struct process *process)
{
	if (python_is_php(process->python))
		walked->nr_functions -= process->python->codes.nr;
}

/* Takes a process that maps an interpreter; or another program of one that is known. */
static void take(struct walked_python *walked, uint32_t tgid)
{
	struct process **place = walked_place_of(walked, tgid), *process = *place;
	struct unwinding_interpreter is;

	if (!unwinding_interpreter(walked->unwinding, tgid, &is) || (!process && walked->nr_processes == PROCESSES_MAX))
		return;
	if (!process) {
		process = *place = xcalloc(1, sizeof(*process));
		process->tgid = tgid;
		process->python = look_python_new(walked->pages, walked->unwinding, walked->profile);
		process->names_left = names_part(walked);
		walked->nr_processes++;
	}
	walked->tables_bytes -= process->python->tables_bytes;
	forget_functions(walked, process);
	look_python_forget(process->python);
	process->epoch = ++walked->epoch;
	process->python->is = is;
	process->python->bias = is.bias;
	process->is_settled = process->is_gone = false;
	process->nr_tries = 0;
	process->why = NULL;
	process->since_ns = process->next_try_ns = clock_monotonic_ns();
	if (process_start_boot(tgid, &process->start_ns))
		process->start_ns = 0;
	use_file(walked, process);
}

/* The first interpreter: from now on the programs walk. False: they do not. */
static bool have_programs(struct walked_python *walked)
{
	if (has_programs(walked))
		return true;
	if (!walked->refused)
		walked->refused = load_python(walked->loaded, &walked->copy);
	return !walked->refused;
}

void walked_take_all(struct walked_python *walked)
{
	struct unwinding_interpreter is;
	uint32_t tgid;

	while (unwinding_next_interpreter(walked->unwinding, &tgid))
		if (unwinding_interpreter(walked->unwinding, tgid, &is) &&
		    (is.interpreter.is_refused || have_programs(walked)))
			take(walked, tgid);
}

/* Forgets processes that have ended, once all their records have been read. */
static void sweep(struct walked_python *walked)
{
	struct unwinding_interpreter is;

	for (size_t i = 0; i < WALKED_BUCKETS; i++) {
		for (struct process **link = &walked->processes[i]; *link;) {
			struct process *process = *link;
			bool was_gone = process->is_gone;

			process->is_gone = !unwinding_interpreter(walked->unwinding, process->tgid, &is);
			/* Some of those that were refused stay, for the message at the end. */
			if (!was_gone || !process->is_gone ||
			    (process->why && walked->nr_processes < PROCESSES_MAX / 2)) {
				link = &process->next;
				continue;
			}
			*link = process->next;
			walked->nr_processes--;
			walked->tables_bytes -= process->python->tables_bytes;
			forget_functions(walked, process);
			untell(walked, process);
			process_free(process);
		}
	}
}

void walked_python_update(struct walked_python *walked)
{
	uint64_t now, end_ns;

	if (!walked)
		return;
	walked->left_ns = READ_MS_MAX * NSEC_PER_MSEC;
	walked->until_ns = UINT64_MAX;
	walked_take_all(walked);
	now = clock_monotonic_ns();
	end_ns = now + SETTLE_MS_MAX * NSEC_PER_MSEC;
	FOR_EACH_PROCESS(walked, process)
	{
		if (process->is_settled || process->is_gone || now < process->next_try_ns || now >= end_ns)
			continue;
		settle(walked, process, now);
		now = clock_monotonic_ns();
	}
	if (now - walked->swept_ns < SWEEP_MS * NSEC_PER_MSEC)
		return;
	walked->swept_ns = now;
	sweep(walked);
}
