/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof: rows become samples, addresses locations, names functions, files mappings. Ids count from 1 without gaps, because Parca uses them
 * as positions. Readers expect more than the format's description says:
 *
 *  - has_functions is set in mappings, else pprof searches for symbols itself;
 *  - system_name stays empty: if it equals the name, pprof demangles again and removes template arguments;
 *  - return addresses are decremented, so that they are inside the call;
 *  - the process id is a number label, which Pyroscope drops: so it does not become one series per process;
 *  - the first mapping is the program: pprof shows it as the file of the profile.
 *
 * Frames in files have an offset, and no address of one process. So every mapping gets an address range of its own, 2^40 bytes wide:
 * address - memory_start is the offset in the file.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/escape.h"
#include "core/base/names.h"
#include "core/base/strtab.h"
#include "core/profile/wall.h"
#include "core/render/container.h"
#include "core/render/documents.h"
#include "core/render/merge.h"
#include "profile.pb-c.h"

#define MAPPING_BITS 40
#define KERNEL_START 0xffff800000000000u

struct sample {
	Pprof__Sample message;
	Pprof__Label labels[7], *label_list[7];
};

struct function {
	Pprof__Function message;
	string_id source; /* functions with one name in several sources are separate; 0: unknown */
	uint64_t label; /* id of its location without an address; 0: none */
};

struct encoder {
	const struct profile *profile;
	struct profile_view view;
	unsigned int apart; /* enum merge_apart */
	struct strtab strings; /* ids are indices in string_table */
	string_id comm_key, pid_key, tid_key, waker_key, cgroup_key, container_key, guess_key;
	uint64_t kernel_mapping;
	size_t program; /* index of the file that is the first mapping, swapped with file 0 */
	/* The number of events and, if known, their time; for `wall` also the time in each state. */
	Pprof__ValueType types[2 + WALL_NO_STATE], *type_list[2 + WALL_NO_STATE];
	size_t nr_types;
	uint64_t period; /* of a timed sample, ns; 0: rows have their own time, or none */

	VEC(Pprof__Mapping) mappings; /* the program, the other files in their order, the kernel */
	VEC(Pprof__Location) locations;
	VEC(Pprof__Line) lines; /* of the locations, in the same order */
	VEC(struct function) functions;
	struct hashidx function_index; /* by name and source */
	VEC(struct sample) samples;
	VEC(uint64_t) stacks;         /* location ids of all samples */
	VEC(int64_t) values; /* nr_types for each sample */
	VEC(int64_t) comments;
	/* Location ids of profile frames, with and without inlined calls; 0: none yet. */
	uint64_t (*location_of)[2];
	VEC(void *) lists; /* arrays of pointers in the message */
};

static void encoder_done(struct encoder *encoder)
{
	strtab_done(&encoder->strings);
	vec_done(&encoder->mappings);
	vec_done(&encoder->locations);
	vec_done(&encoder->lines);
	vec_done(&encoder->functions);
	hashidx_done(&encoder->function_index);
	vec_done(&encoder->samples);
	vec_done(&encoder->stacks);
	vec_done(&encoder->values);
	vec_done(&encoder->comments);
	free(encoder->location_of);
	for (size_t i = 0; i < encoder->lists.nr; i++)
		free(encoder->lists.data[i]);
	vec_done(&encoder->lists);
}

/* Strings of protobuf must be UTF-8. */
static string_id add_string(struct encoder *encoder, const char *text)
{
	_cleanup_(buf_done) struct buf safe = {};

	escape_add(&safe, text, ESCAPE_LINE);
	return strtab_add(&encoder->strings, buf_text(&safe));
}

static string_id add_profile_string(struct encoder *encoder, string_id string)
{
	return string ? add_string(encoder, profile_string(encoder->profile, string)) : 0;
}

/* ---- mappings ---- */

static bool has_kernel(const struct profile *profile)
{
	for (size_t i = 0; i < profile->frames.nr; i++)
		if (profile->frames.data[i].kind == FRAME_KERNEL)
			return true;
	return false;
}

/* Whether pprof takes the file for a program: every file with a path is one, except libraries. */
static bool is_program(const struct profile *profile, const struct profile_file *file)
{
	const char *path = profile_string(profile, file->path), *name = path_name(path);
	const char *suffix = strstr(name, ".so");

	if (!*name || *path == '[')
		return false;
	while (suffix && suffix[3] && suffix[3] != '.' && suffix[3] != '_')
		suffix = strstr(suffix + 1, ".so");
	return !suffix;
}

/* The file of the outermost frame in a program, because threads begin in a library; SIZE_MAX: none. */
static size_t program_of(const struct profile *profile, const bool *programs, uint32_t position)
{
	const struct profile_record *record;
	uint32_t parts[2];

	profile_parts(profile, position, parts);
	record = &profile->records.data[parts[0]];
	for (size_t at = record_end(record); at > record->first + record->nr_kernel; at--) {
		const struct profile_frame *frame = &profile->frames.data[profile->stack_frames.data[at - 1]];

		if (frame->kind == FRAME_USER_FILE && programs[frame->file])
			return frame->file;
	}
	return SIZE_MAX;
}

/* The program with the most samples, or most time in a profile of times; 0 if there is none. */
static size_t main_program(const struct encoder *encoder, const struct profile_interval *intervals, size_t nr)
{
	const struct profile *profile = encoder->profile;
	_cleanup_(freep) bool *programs = xcalloc(profile->files.nr + 1, sizeof(*programs));
	_cleanup_(freep) uint64_t *values = xcalloc(profile->files.nr + 1, sizeof(*values));
	bool by_time = view_shows_time(&encoder->view);
	size_t best = 0;

	for (size_t i = 0; i < profile->files.nr; i++)
		programs[i] = is_program(profile, &profile->files.data[i]);
	for (size_t i = 0; i < nr; i++)
		for (size_t at = 0; at < intervals[i].rows.nr; at++) {
			const struct profile_row *row = &intervals[i].rows.data[at];
			size_t file = program_of(profile, programs, row->record);

			if (file != SIZE_MAX)
				values[file] += by_time ? row->sum : row->count;
		}
	for (size_t i = 1; i < profile->files.nr; i++)
		best = values[i] > values[best] ? i : best;
	return best;
}

/* Swaps the program with file 0: converts a file to the id of its mapping minus one, and back. */
static size_t mapping_of(const struct encoder *encoder, size_t file)
{
	if (file == encoder->program)
		return 0;
	return file ? file : encoder->program;
}

static void add_mappings(struct encoder *encoder)
{
	const struct profile *profile = encoder->profile;
	Pprof__Mapping mapping = PPROF__MAPPING__INIT;

	mapping.has_functions = true;
	mapping.has_filenames = mapping.has_line_numbers = profile->view.lines;
	mapping.has_inline_frames = profile->view.inlines;
	for (size_t i = 0; i < profile->files.nr; i++) {
		const struct profile_file *file = &profile->files.data[mapping_of(encoder, i)];

		mapping.id = i + 1;
		mapping.memory_start = mapping.id << MAPPING_BITS;
		mapping.memory_limit = (mapping.id + 1) << MAPPING_BITS;
		mapping.filename = add_profile_string(encoder, file->path);
		mapping.build_id = add_profile_string(encoder, file->build_id);
		vec_push(&encoder->mappings, mapping);
	}
	if (!has_kernel(profile))
		return;
	mapping.id = profile->files.nr + 1;
	mapping.memory_start = KERNEL_START;
	mapping.memory_limit = UINT64_MAX;
	mapping.filename = add_string(encoder, "[kernel.kallsyms]");
	mapping.build_id = add_profile_string(encoder, profile->host.kernel_build_id);
	vec_push(&encoder->mappings, mapping);
	encoder->kernel_mapping = mapping.id;
}

/* ---- functions and locations ---- */

static bool same_function(const void *context, uint32_t position, const void *key)
{
	const struct function *function = &((const struct encoder *)context)->functions.data[position];
	const string_id *wanted = key;

	return function->message.name == wanted[0] && function->source == wanted[1];
}

/* The id of a function. Without a source, its file is the module in which its name first occurred. */
static uint64_t function_of(struct encoder *encoder, string_id name, string_id source, string_id module)
{
	const string_id key[] = { name, source };
	struct function function = { .message = PPROF__FUNCTION__INIT, .source = source };
	uint32_t position = hashidx_find_or_add(&encoder->function_index, hash_bytes(key, sizeof(key)), same_function,
						encoder, key, encoder->functions.nr);

	if (position < encoder->functions.nr)
		return position + 1;
	function.message.id = position + 1;
	function.message.name = name;
	function.message.filename = source ?: module;
	vec_push(&encoder->functions, function);
	return position + 1;
}

/* Adds the line of a frame. Returns the id of its function; 0 and no line if only the address is known. */
static uint64_t add_line(struct encoder *encoder, const struct profile_frame *frame)
{
	Pprof__Line line = PPROF__LINE__INIT;
	string_id name = add_profile_string(encoder, frame->name), source, module;

	if (!name && frame->kind != FRAME_USER_RAW && !frame->level && !frame->has_inlined)
		return 0;
	name = name ?: add_string(encoder, LABEL_UNKNOWN);
	source = add_profile_string(encoder, frame->source);
	module = frame->name && !source ? add_profile_string(encoder, frame->module) : 0;
	line.line = frame->line;
	line.function_id = function_of(encoder, name, source, module);
	vec_push(&encoder->lines, line);
	return line.function_id;
}

/* Its lines begin at `first_line`, with the innermost inlined call. link_locations() sets the pointers. */
static uint64_t add_location(struct encoder *encoder, Pprof__Location *location, size_t first_line, uint64_t function)
{
	location->id = encoder->locations.nr + 1;
	location->n_line = encoder->lines.nr - first_line;
	vec_push(&encoder->locations, *location);
	if (function && !location->address && !encoder->functions.data[function - 1].label)
		encoder->functions.data[function - 1].label = location->id;
	return location->id;
}

static void place(struct encoder *encoder, const struct profile_frame *frame, Pprof__Location *location)
{
	uint64_t where = frame->where - (!frame->exact && frame->where ? 1 : 0);

	switch (frame->kind) {
	case FRAME_KERNEL:
		location->mapping_id = encoder->kernel_mapping;
		location->address = where;
		break;
	case FRAME_USER_FILE:
		location->mapping_id = mapping_of(encoder, frame->file) + 1;
		location->address = (location->mapping_id << MAPPING_BITS) + (where & ((1ull << MAPPING_BITS) - 1));
		break;
	case FRAME_USER_RAW:
		location->address = where;
		break;
	default: /* text has no address */
		break;
	}
}

static uint64_t make_location(struct encoder *encoder, uint32_t position, bool with_calls)
{
	const struct profile *profile = encoder->profile;
	const struct profile_frame *frame = &profile->frames.data[position];
	Pprof__Location location = PPROF__LOCATION__INIT;
	size_t first_line = encoder->lines.nr;

	place(encoder, frame, &location);
	for (uint32_t level = 1; with_calls && level <= UINT16_MAX; level++) {
		uint32_t call = profile_find_inlined(profile, position, (uint16_t)level);

		if (call == PROFILE_NONE)
			break;
		add_line(encoder, &profile->frames.data[call]);
	}
	return add_location(encoder, &location, first_line, add_line(encoder, frame));
}

/* `bare`: without inlined calls. */
static uint64_t location_of(struct encoder *encoder, uint32_t position, bool bare)
{
	const struct profile_frame *frame = &encoder->profile->frames.data[position];
	uint64_t *known = &encoder->location_of[position][bare && frame->has_inlined];

	if (!*known)
		*known = make_location(encoder, position, !bare && frame->has_inlined && !frame->level);
	return *known;
}

static void add_label_location(struct encoder *encoder, const char *label)
{
	Pprof__Location location = PPROF__LOCATION__INIT;
	Pprof__Line line = PPROF__LINE__INIT;
	uint64_t id;

	line.function_id = function_of(encoder, add_string(encoder, label), 0, 0);
	id = encoder->functions.data[line.function_id - 1].label;
	if (!id) {
		vec_push(&encoder->lines, line);
		id = add_location(encoder, &location, encoder->lines.nr - 1, line.function_id);
	}
	vec_push(&encoder->stacks, id);
}

/* ---- samples ---- */

/* The index of the outermost frame that is not inlined; of the first frame if all are inlined. */
static uint32_t last_function(const struct profile *profile, const struct merged_stack *stack)
{
	uint32_t at = stack->first + stack->nr;

	while (at > stack->first && profile->frames.data[profile->stack_frames.data[at - 1]].level)
		at--;
	return at > stack->first ? at - 1 : stack->first;
}

/* An inlined call is a line in the location of its function, unless --max-depth has removed the function. */
static void add_stack(struct encoder *encoder, const struct merged_stack *stack, const char *missed)
{
	const struct profile *profile = encoder->profile;
	uint32_t end = stack->first + stack->nr, last = last_function(profile, stack);

	for (uint32_t at = stack->first; at < end; at++) {
		uint32_t frame = profile->stack_frames.data[at];

		if (!profile->frames.data[frame].level || at >= last)
			vec_push(&encoder->stacks, location_of(encoder, frame, false));
	}
	if (stack_root_label(stack))
		add_label_location(encoder, stack_root_label(stack));
	if (stack->status == STACK_UNREADABLE)
		add_label_location(encoder, missed);
}

static void add_comm(struct encoder *encoder, string_id comm)
{
	_cleanup_(buf_done) struct buf text = {};

	escape_add(&text, profile_string(encoder->profile, comm), ESCAPE_LINE);
	if (text.nr)
		add_label_location(encoder, buf_text(&text));
}

/* Adds a stack root first. The lines of a location would be in the wrong order, so each inlined call gets its own location. */
static void add_stack_down(struct encoder *encoder, const struct merged_stack *stack)
{
	if (stack->cut)
		add_label_location(encoder, LABEL_CUT);
	for (uint32_t i = stack->nr; i > 0; i--)
		vec_push(&encoder->stacks,
			 location_of(encoder, encoder->profile->stack_frames.data[stack->first + i - 1], true));
}

/* The waker stands upside down above the sleeper, as in flame graphs; its name is the leaf. */
static void add_waker(struct encoder *encoder, const struct merged_row *row)
{
	if (row->waker == PROFILE_NONE)
		return;
	if (row->waker_lost)
		add_label_location(encoder, LABEL_LOST);
	else
		add_comm(encoder, encoder->profile->records.data[row->waker].comm);
	add_stack_down(encoder, &row->waker_user);
	add_stack_down(encoder, &row->waker_kernel);
	add_label_location(encoder, "--");
}

static void add_label(struct sample *sample, string_id key, string_id string, uint32_t number)
{
	Pprof__Label *label = &sample->labels[sample->message.n_label];

	if (!string && !number)
		return;
	pprof__label__init(label);
	label->key = key;
	label->str = string;
	label->num = number;
	sample->message.n_label++;
}

static void add_cgroup_labels(struct encoder *encoder, struct sample *sample, uint64_t cgroup)
{
	const char *path = profile_cgroup_path(encoder->profile, cgroup), *id;
	size_t nr = container_id(path, &id);

	add_label(sample, encoder->cgroup_key, *path ? add_string(encoder, path) : 0, 0);
	add_label(sample, encoder->container_key, nr ? strtab_addn(&encoder->strings, id, nr) : 0, 0);
}

static bool has_guess(const struct profile *profile, const struct merged_stack *stack)
{
	for (uint32_t at = stack->first; at < stack->first + stack->nr; at++)
		if (profile->frames.data[profile->stack_frames.data[at]].guessed)
			return true;
	return false;
}

static void add_labels(struct encoder *encoder, const struct merged_row *row, struct sample *sample)
{
	const struct profile_record *record = &encoder->profile->records.data[row->sleeper];

	if (view_shows_process(&encoder->view) && !row->lost) {
		add_label(sample, encoder->comm_key, add_profile_string(encoder, record->comm), 0);
		add_label(sample, encoder->pid_key, 0, record->tgid);
		if (encoder->apart & APART_THREADS)
			add_label(sample, encoder->tid_key, 0, record->tid);
	}
	if (has_guess(encoder->profile, &row->user) ||
	    (row->waker != PROFILE_NONE && !row->waker_lost && has_guess(encoder->profile, &row->waker_user)))
		add_label(sample, encoder->guess_key, add_string(encoder, "guessed"), 0);
	if (row->waker != PROFILE_NONE && !row->waker_lost)
		add_label(sample, encoder->waker_key,
			  add_profile_string(encoder, encoder->profile->records.data[row->waker].comm), 0);
	if (encoder->apart & APART_CGROUPS && !row->lost)
		add_cgroup_labels(encoder, sample, record->cgroup_id);
}

static int64_t times(uint64_t number, uint64_t factor)
{
	return factor && number > INT64_MAX / factor ? INT64_MAX : (int64_t)(number * factor);
}

static void add_values(struct encoder *encoder, const struct merged_row *row)
{
	vec_push(&encoder->values, times(row->count, 1));
	if (encoder->nr_types > 1)
		vec_push(&encoder->values, encoder->period ? times(row->count, encoder->period) : times(row->sum, 1));
	for (size_t i = 2; i < encoder->nr_types; i++) {
		unsigned int state = wall_state_of(encoder->profile, &encoder->profile->records.data[row->record]);

		vec_push(&encoder->values, state == i - 2 ? times(row->sum, 1) : 0);
	}
}

static void add_row(struct encoder *encoder, const struct merged_row *row)
{
	struct sample sample = { .message = PPROF__SAMPLE__INIT };
	size_t first = encoder->stacks.nr;

	add_waker(encoder, row);
	if (row->lost)
		add_label_location(encoder, LABEL_LOST);
	add_stack(encoder, &row->kernel, LABEL_MISSED_KERNEL);
	add_stack(encoder, &row->user, LABEL_MISSED_USER);
	if (encoder->stacks.nr == first)
		add_label_location(encoder, "[no stack]");
	sample.message.n_location_id = encoder->stacks.nr - first;
	sample.message.n_value = encoder->nr_types;
	add_labels(encoder, row, &sample);
	vec_push(&encoder->samples, sample);
	add_values(encoder, row);
}

static void add_interval(struct encoder *encoder, const struct profile_interval *interval)
{
	_cleanup_(merged_done) struct merged merged = {};

	merge_interval(encoder->profile, interval, &encoder->view, encoder->apart, &merged);
	for (size_t i = 0; i < merged.rows.nr; i++)
		add_row(encoder, &merged.rows.data[i]);
	for (size_t i = 0; i < ST_NR_LOSSES; i++) {
		_cleanup_(buf_done) struct buf text = {};

		if (!interval->losses[i])
			continue;
		buf_addf(&text, "%" PRIu64 " ", interval->losses[i]);
		buf_add_counted(&text, interval->losses[i], profile_losses[i].sentence);
		vec_push(&encoder->comments, add_string(encoder, buf_text(&text)));
	}
}

/* ---- the message ---- */

/* Returns an array of pointers to a table's elements, which begin with their message. */
static void *pointers(struct encoder *encoder, const void *table, size_t nr, size_t element_bytes)
{
	const void **list = xcalloc(nr + 1, sizeof(*list));

	for (size_t i = 0; i < nr; i++)
		list[i] = (const char *)table + i * element_bytes;
	vec_push(&encoder->lists, list);
	return list;
}

#define POINTERS(table) pointers(encoder, encoder->table.data, encoder->table.nr, sizeof(*encoder->table.data))

/* Called at the end, because growing tables move. */
static void link_samples(struct encoder *encoder)
{
	uint64_t *stack = encoder->stacks.data;

	for (size_t i = 0; i < encoder->samples.nr; i++) {
		struct sample *sample = &encoder->samples.data[i];

		sample->message.location_id = stack;
		stack += sample->message.n_location_id;
		sample->message.value = encoder->values.data + i * encoder->nr_types;
		for (size_t label = 0; label < sample->message.n_label; label++)
			sample->label_list[label] = &sample->labels[label];
		sample->message.label = sample->label_list;
	}
}

static void link_locations(struct encoder *encoder)
{
	Pprof__Line **lines = POINTERS(lines);

	for (size_t i = 0; i < encoder->locations.nr; i++) {
		encoder->locations.data[i].line = lines;
		lines += encoder->locations.data[i].n_line;
	}
}

static void pack(struct encoder *encoder, Pprof__Profile *message, struct buf *bytes)
{
	size_t nr_strings = encoder->strings.offsets.nr + 1;
	char **strings = xcalloc(nr_strings, sizeof(*strings));

	vec_push(&encoder->lists, strings);
	for (size_t i = 0; i < nr_strings; i++)
		strings[i] = (char *)strtab_get(&encoder->strings, (string_id)i);
	link_samples(encoder);
	link_locations(encoder);
	message->sample = POINTERS(samples);
	message->n_sample = encoder->samples.nr;
	message->mapping = POINTERS(mappings);
	message->n_mapping = encoder->mappings.nr;
	message->location = POINTERS(locations);
	message->n_location = encoder->locations.nr;
	message->function = POINTERS(functions);
	message->n_function = encoder->functions.nr;
	message->comment = encoder->comments.data;
	message->n_comment = encoder->comments.nr;
	message->string_table = strings;
	message->n_string_table = nr_strings;
	vec_reserve(bytes, pprof__profile__get_packed_size(message) + 1);
	bytes->nr = pprof__profile__pack(message, (uint8_t *)bytes->data);
}

static int gzip(const struct buf *plain, struct buf *ret_bytes)
{
	z_stream stream = {};
	int status;

	if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		return fail(-EIO, "zlib cannot start");
	vec_reserve(ret_bytes, deflateBound(&stream, plain->nr) + 1);
	stream.next_in = (Bytef *)plain->data;
	stream.next_out = (Bytef *)ret_bytes->data;
	stream.avail_in = (uInt)plain->nr;
	stream.avail_out = (uInt)ret_bytes->room;
	status = plain->nr > UINT32_MAX || ret_bytes->room > UINT32_MAX ? Z_BUF_ERROR : deflate(&stream, Z_FINISH);
	ret_bytes->nr = stream.total_out;
	deflateEnd(&stream);
	return status == Z_STREAM_END ? 0 : fail(-EIO, "the profile is too large for pprof");
}

static void add_times(const struct profile_interval *intervals, size_t nr, Pprof__Profile *message)
{
	const struct profile_interval *last = nr ? &intervals[nr - 1] : NULL;
	uint64_t duration = last && last->end_ns > intervals[0].start_ns ? last->end_ns - intervals[0].start_ns : 0;

	message->duration_nanos = (int64_t)duration;
	message->time_nanos = last ? (int64_t)(last->wall_end_ns - duration) : 0;
}

static void add_type(struct encoder *encoder, const char *type, const char *unit)
{
	Pprof__ValueType *added = &encoder->types[encoder->nr_types];

	*added = (Pprof__ValueType)PPROF__VALUE_TYPE__INIT;
	added->type = add_string(encoder, type);
	added->unit = add_string(encoder, unit);
	encoder->type_list[encoder->nr_types++] = added;
}

/* Types that other tools know: "samples" and "cpu" of Go's CPU profiles, "off_cpu" of OpenTelemetry's. */
static void add_types(struct encoder *encoder, Pprof__Profile *message)
{
	const struct profile_clocks *clocks = &encoder->profile->clocks;

	if (encoder->view.style == VIEW_WALL) {
		add_type(encoder, "intervals", "count");
		add_type(encoder, "wall", "nanoseconds");
		for (unsigned int state = 0; state < WALL_NO_STATE; state++) {
			_cleanup_(buf_done) struct buf name = {};

			for (const char *at = wall_state_name(state); *at; at++)
				buf_addc(&name, *at == ' ' ? '_' : *at);
			add_type(encoder, buf_text(&name), "nanoseconds");
		}
	} else if (view_shows_time(&encoder->view)) {
		add_type(encoder, "off_cpu_events", "count");
		add_type(encoder, "off_cpu", "nanoseconds");
	} else {
		add_type(encoder, tree_unit(encoder->profile), "count");
	}
	if (clocks->period_is_time && clocks->period <= INT64_MAX && encoder->nr_types == 1) {
		encoder->period = clocks->period;
		add_type(encoder, "cpu", "nanoseconds");
		message->period_type = &encoder->types[1];
		message->period = (int64_t)clocks->period;
	}
	message->sample_type = encoder->type_list;
	message->n_sample_type = encoder->nr_types;
	message->default_sample_type = encoder->types[encoder->nr_types > 1].type;
}

static string_id add_guess_key(struct encoder *encoder)
{
	for (size_t i = 0; i < encoder->profile->frames.nr; i++)
		if (encoder->profile->frames.data[i].guessed)
			return add_string(encoder, "user_stack");
	return 0;
}

int document_pprof(const struct profile *profile, const struct profile_interval *intervals, size_t nr,
		   struct buf *ret_bytes)
{
	_cleanup_(encoder_done) struct encoder encoder = {
		.profile = profile,
		.view = profile->view,
		.apart = merge_apart_of(profile),
	};
	_cleanup_(buf_done) struct buf plain = {};
	Pprof__Profile message = PPROF__PROFILE__INIT;

	encoder.view.by_name = false;
	encoder.location_of = xcalloc(profile->frames.nr + 1, sizeof(*encoder.location_of));
	add_types(&encoder, &message);
	encoder.comm_key = add_string(&encoder, "comm");
	encoder.pid_key = add_string(&encoder, "pid");
	encoder.guess_key = add_guess_key(&encoder);
	if (profile->pairs.nr)
		encoder.waker_key = add_string(&encoder, "waker");
	if (encoder.apart & APART_THREADS)
		encoder.tid_key = add_string(&encoder, "tid");
	if (encoder.apart & APART_CGROUPS) {
		encoder.cgroup_key = add_string(&encoder, "cgroup");
		encoder.container_key = add_string(&encoder, "container_id");
	}
	add_times(intervals, nr, &message);
	encoder.program = main_program(&encoder, intervals, nr);
	add_mappings(&encoder);
	for (size_t i = 0; i < nr; i++)
		add_interval(&encoder, &intervals[i]);
	pack(&encoder, &message, &plain);
	return gzip(&plain, ret_bytes);
}
