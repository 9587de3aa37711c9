/* SPDX-License-Identifier: GPL-2.0-or-later */

#include <errno.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/formats/text_read.h"

#define KERNEL_HALF 0xffff800000000000u /* lowest kernel address; for frames without a file */

/* The contents of the line above a stack. */
struct head {
	struct slice comm, event, rest;
	uint32_t tgid, tid, cpu;
	uint64_t time_ns, period;
};

struct reader {
	struct profile *profile;
	struct profile_interval interval;
	bool behind_frame; /* the previous line was a frame, or a head with a frame after the event */
	bool inside; /* a sample is being read */
	struct head head; /* of this sample */
	uint16_t nr_kernel, nr_user; /* frames of this sample: kernel frames first */
	bool user_cut; /* user frames were dropped */
	uint32_t frames[TEXT_MAX_FRAMES];
	uint64_t addresses[TEXT_MAX_FRAMES];
	struct slice event; /* of the first sample */
	bool weighed; /* some sample has a period */
	bool whole_heads; /* the heads have a CPU or a time, and an event */
	uint64_t nr_samples, nr_other_events, nr_ignored, nr_cut;
};

static void skip_spaces(struct slice *line)
{
	while (line->nr && is_space(*line->text)) {
		line->text++;
		line->nr--;
	}
}

static void trim_end(struct slice *line)
{
	while (line->nr && is_space(line->text[line->nr - 1]))
		line->nr--;
}

static struct slice take_word(struct slice *line)
{
	struct slice word = { line->text, 0 };

	skip_spaces(line);
	word.text = line->text;
	while (word.nr < line->nr && !is_space(line->text[word.nr]))
		word.nr++;
	line->text += word.nr;
	line->nr -= word.nr;
	return word;
}

/* A number of 32 bits. */
static bool take_small_number(struct slice *text, uint32_t *ret_number)
{
	uint64_t number;

	if (!slice_take_number(text, &number) || number > UINT32_MAX)
		return false;
	*ret_number = (uint32_t)number;
	return true;
}

/* A whole word in hexadecimal. */
static bool hex_word(struct slice word, uint64_t *ret_number)
{
	*ret_number = 0;
	for (size_t i = 0; i < word.nr; i++) {
		if (hex_digit(word.text[i]) < 0)
			return false;
		*ret_number = *ret_number << 4 | (uint64_t)hex_digit(word.text[i]);
	}
	return word.nr > 0 && word.nr <= 16;
}

/* TID or PID/TID. perf prints both only on request. */
static bool parse_ids(struct slice word, struct head *head)
{
	if (!take_small_number(&word, &head->tgid))
		return false;
	head->tid = head->tgid;
	if (slice_take_char(&word, '/') && !take_small_number(&word, &head->tid))
		return false;
	return !word.nr;
}

static bool parse_cpu(struct slice word, uint32_t *ret_cpu)
{
	uint32_t cpu;

	if (!slice_take_char(&word, '[') || !take_small_number(&word, &cpu) || !slice_take_char(&word, ']'))
		return false;
	*ret_cpu = cpu;
	return !word.nr;
}

/* Seconds with up to nine decimals, and a colon. */
static bool parse_time(struct slice word, uint64_t *ret_ns)
{
	uint64_t seconds, part, ns;
	struct slice decimals;

	if (!slice_take_number(&word, &seconds) || !slice_take_char(&word, '.'))
		return false;
	decimals = word;
	if (!slice_take_number(&word, &part) || word.text - decimals.text > 9)
		return false;
	for (ptrdiff_t nr = word.text - decimals.text; nr < 9; nr++)
		part *= 10;
	if (!slice_take_char(&word, ':') || word.nr || __builtin_mul_overflow(seconds, NSEC_PER_SEC, &ns) ||
	    __builtin_add_overflow(ns, part, &ns))
		return false;
	*ret_ns = ns;
	return true;
}

/* "PERIOD event:" and the rest of the line. The period may be missing. */
static bool parse_event(struct slice line, struct head *head)
{
	struct slice word = take_word(&line), number = word;

	if (slice_take_number(&number, &head->period) && !number.nr)
		word = take_word(&line);
	else
		head->period = 1;
	if (word.nr < 2 || word.text[word.nr - 1] != ':')
		return false;
	word.nr--;
	head->event = word;
	head->rest = line;
	return true;
}

/* A head without CPU, time and event (-F comm,tid,ip,sym); perf ends it with a space. */
static bool parse_bare_head(struct slice line, struct head *ret_head)
{
	struct slice ids;
	size_t at;

	*ret_head = (struct head){ .period = 1 };
	if (!line.nr || line.text[line.nr - 1] != ' ' || is_space(*line.text))
		return false;
	trim_end(&line);
	for (at = line.nr; at && !is_space(line.text[at - 1]); at--)
		;
	ids = (struct slice){ line.text + at, line.nr - at };
	while (at && is_space(line.text[at - 1]))
		at--;
	ret_head->comm = (struct slice){ line.text, at };
	return at && parse_ids(ids, ret_head);
}

/* A record that is not a sample (--show-mmap-events and the like): "sh 7 1.5: PERF_RECORD_COMM exec: sh:7/7". */
static bool is_side_band(struct slice line)
{
	static const char record[] = ": PERF_RECORD_";
	const char *found = memmem(line.text, line.nr, record, sizeof(record) - 1), *word = found;
	uint64_t time_ns;

	while (word && word > line.text && !is_space(word[-1]))
		word--;
	return found && parse_time((struct slice){ word, (size_t)(found + 1 - word) }, &time_ns);
}

/* Whether the text ends with one of `marks` and at least one digit, and has something before. */
static bool ends_in_number(struct slice text, const char *marks, bool (*is_part)(char c))
{
	size_t at = text.nr;

	while (at && is_part(text.text[at - 1]))
		at--;
	return at > 1 && at < text.nr && strchr(marks, text.text[at - 1]);
}

static bool is_hex_digit(char c)
{
	return hex_digit(c) >= 0;
}

/* The source line of the frame above (-F +srcline): two spaces, and FILE:LINE, FUNCTION+OFFSET or DSO[ADDRESS]. */
static bool is_source_line(struct slice line)
{
	struct slice place = { line.text + 2, line.nr - 2 };

	if (line.nr < 4 || line.text[0] != ' ' || line.text[1] != ' ' || is_space(line.text[2]))
		return false;
	if (place.text[place.nr - 1] != ']')
		return ends_in_number(place, ":+", is_digit);
	place.nr--;
	return ends_in_number(place, "[", is_hex_digit);
}

/* Parses what follows the command. A CPU or a time must follow the ids, because a command may contain numbers. */
static bool parse_behind(struct slice line, struct head *head)
{
	struct slice word = take_word(&line), left = line;
	bool cpu, time;

	if (!parse_ids(word, head))
		return false;
	word = take_word(&left);
	cpu = parse_cpu(word, &head->cpu);
	if (cpu) {
		line = left;
		word = take_word(&left);
	}
	time = parse_time(word, &head->time_ns);
	if (time)
		line = left;
	return (cpu || time) && parse_event(line, head);
}

static bool parse_head(struct slice line, struct head *ret_head)
{
	*ret_head = (struct head){};
	skip_spaces(&line);
	ret_head->comm = line;
	for (size_t nr = 0;; nr++) {
		struct slice word = take_word(&line);

		if (!word.nr)
			return false;
		if (nr && parse_behind((struct slice){ word.text, word.nr + line.nr }, ret_head)) {
			ret_head->comm.nr = (size_t)(word.text - ret_head->comm.text);
			trim_end(&ret_head->comm);
			return true;
		}
	}
}

struct place {
	uint64_t address, offset;
	struct slice name, dso; /* empty: unknown */
};

/* The position of the last " (" that is followed by one of the characters of `next` (empty: any). 0: none. */
static size_t last_bracket(struct slice line, const char *next)
{
	for (size_t at = line.nr; at > 2; at--)
		if (line.text[at - 2] == '(' && is_space(line.text[at - 3]) &&
		    (!*next || strchr(next, line.text[at - 1])))
			return at - 2;
	return 0;
}

/* Takes " (dso)" off the end. Paths may contain brackets, and end in " (deleted)". */
static void take_dso(struct slice *line, struct slice *ret_dso)
{
	size_t end = line->nr, start;

	if (!end || line->text[end - 1] != ')')
		return;
	start = last_bracket(*line, "/[") ?: last_bracket(*line, "");
	if (!start)
		return;
	*ret_dso = (struct slice){ line->text + start + 1, end - start - 2 };
	if (slice_ends_in(*ret_dso, " (deleted)"))
		ret_dso->nr -= strlen(" (deleted)");
	line->nr = start - 1;
}

static uint64_t take_offset(struct slice *name)
{
	for (size_t at = name->nr; at > 2; at--) {
		struct slice digits = { name->text + at, name->nr - at };
		uint64_t offset;

		if (memcmp(name->text + at - 3, "+0x", 3))
			continue;
		if (!hex_word(digits, &offset))
			return 0;
		name->nr = at - 3;
		return offset;
	}
	return 0;
}

static bool parse_place(struct slice line, struct place *ret_place)
{
	struct slice address = take_word(&line);

	*ret_place = (struct place){};
	if (!hex_word(address, &ret_place->address))
		return false;
	skip_spaces(&line);
	trim_end(&line);
	take_dso(&line, &ret_place->dso);
	ret_place->offset = take_offset(&line);
	trim_end(&line);
	ret_place->name = line;
	return line.nr || ret_place->dso.nr;
}

/* "[kernel.kallsyms]", "[guest.kernel]", "[ext4]", "…/vmlinux", "….ko.xz". Some names in brackets belong to processes. */
static bool is_kernel(struct slice dso)
{
	static const char *const process[] = { "[unknown]", "[vdso]", "[vvar]", "[vsyscall]", "[heap]", "[stack]" };

	if (slice_ends_in(dso, "vmlinux") || slice_ends_in(dso, ".ko") || slice_ends_in(dso, ".ko.xz") ||
	    slice_ends_in(dso, ".ko.zst") || slice_ends_in(dso, ".ko.gz"))
		return true;
	for (size_t i = 0; i < sizeof(process) / sizeof(*process); i++)
		if (slice_is(dso, process[i]))
			return false;
	return dso.nr && dso.text[0] == '[';
}

static string_id add_string(struct reader *reader, struct slice text)
{
	return text.nr ? strtab_addn(&reader->profile->strings, text.text, text.nr) : 0;
}

/* The last part of a path, or a kernel module without brackets. */
static string_id module_of(struct reader *reader, struct slice dso, bool kernel)
{
	const char *slash;

	if (!dso.nr || slice_is(dso, "[unknown]"))
		return 0;
	slash = memrchr(dso.text, '/', dso.nr);
	if (kernel && (slice_ends_in(dso, "vmlinux") || !strncmp(dso.text, "[kernel.", 8)))
		return profile_add_string(reader->profile, "kernel");
	if (kernel && dso.nr > 2 && dso.text[dso.nr - 1] == ']')
		return add_string(reader, (struct slice){ dso.text + 1, dso.nr - 2 });
	if (slash) {
		dso.nr -= (size_t)(slash + 1 - dso.text);
		dso.text = slash + 1;
	}
	return add_string(reader, dso);
}

/* With the mark of folded text. */
static uint32_t add_inlined(struct reader *reader, struct slice name, bool kernel)
{
	_cleanup_(buf_done) struct buf text = {};

	buf_add(&text, name.text, name.nr);
	buf_adds(&text, "_[i]");
	return text_add_frame(reader->profile, (struct slice){ text.data, text.nr }, kernel);
}

/*
 * A frame is identified by its address and keeps its first name. If another name comes with the same address (an inlined call, or changed
 * mappings), that frame is identified by its text alone.
 */
static uint32_t add_frame(struct reader *reader, const struct place *place, bool kernel)
{
	struct profile_frame frame = {
		.kind = kernel ? FRAME_KERNEL : FRAME_USER_RAW,
		.exact = true,
		.tgid = kernel ? 0 : reader->head.tgid,
		.where = place->address,
		.offset = place->offset,
		.module = module_of(reader, place->dso, kernel),
	};
	uint32_t position;

	if (slice_is(place->dso, "inlined"))
		return add_inlined(reader, place->name, kernel);
	if (!slice_is(place->name, "[unknown]"))
		frame.name = add_string(reader, place->name);
	frame.reason = frame.name ? REASON_NAMED : REASON_NO_SYMBOL;
	if (!frame.name)
		frame.offset = 0;
	position = profile_add_frame(reader->profile, &frame);
	if (reader->profile->frames.data[position].name != frame.name)
		return text_add_frame(reader->profile, place->name, kernel);
	return position;
}

static void push_frame(struct reader *reader, const struct place *place)
{
	bool upper = !place->dso.nr && place->address >= KERNEL_HALF;
	bool kernel = (upper || is_kernel(place->dso)) && !reader->nr_user;
	size_t at = (size_t)reader->nr_kernel + reader->nr_user;

	if (at == TEXT_MAX_FRAMES) {
		reader->nr_cut++;
		reader->user_cut = reader->user_cut || !kernel;
		return;
	}
	reader->frames[at] = add_frame(reader, place, kernel);
	reader->addresses[at] = place->address;
	++*(kernel ? &reader->nr_kernel : &reader->nr_user);
}

static uint8_t status_of(uint16_t nr, bool is_cut)
{
	if (nr == TEXT_MAX_FRAMES || is_cut)
		return STACK_TRUNCATED;
	return nr ? STACK_OK : STACK_NONE;
}

static void end_sample(struct reader *reader)
{
	const struct head *head = &reader->head;
	struct profile_record record = {
		.id = { reader->nr_samples + 1, 0x70657266 /* "perf" */ },
		.program = PROGRAM_SAMPLE,
		.time_ns = head->time_ns,
		.tgid = head->tgid,
		.tid = head->tid,
		.cpu = head->cpu,
		.kernel_status = status_of(reader->nr_kernel, false),
		.user_status = status_of(reader->nr_user, reader->user_cut),
		.nr_kernel = reader->nr_kernel,
		.nr_user = reader->nr_user,
	};

	if (!reader->inside)
		return;
	reader->inside = false;
	record.comm = add_string(reader, head->comm);
	reader->nr_samples++;
	profile_add_record(reader->profile, &record, reader->frames, reader->addresses);
	profile_count(reader->profile, &reader->interval, record.id, head->period, 0);
}

/* Both are empty if -F omits the event. */
static bool same_event(struct slice a, struct slice b)
{
	return a.nr == b.nr && (!a.nr || !memcmp(a.text, b.text, a.nr));
}

static void begin_sample(struct reader *reader, const struct head *head)
{
	struct place place;

	end_sample(reader);
	reader->behind_frame = head->rest.nr && parse_place(head->rest, &place) && place.dso.nr;
	if (!reader->event.nr)
		reader->event = head->event;
	if (!same_event(head->event, reader->event)) {
		reader->nr_other_events++;
		return;
	}
	reader->inside = head->period > 0;
	reader->weighed = reader->weighed || head->period > 1;
	reader->head = *head;
	reader->nr_kernel = reader->nr_user = 0;
	reader->user_cut = false;
	if (reader->behind_frame)
		push_frame(reader, &place);
}

/* All heads of a text have the same form. */
static bool is_head(struct reader *reader, struct slice line, struct head *ret_head)
{
	if (parse_head(line, ret_head))
		return reader->whole_heads = true;
	return !reader->whole_heads && parse_bare_head(line, ret_head);
}

static void read_line(struct reader *reader, struct slice line)
{
	struct place place;
	struct head head;
	struct slice words = line;
	bool behind_frame = reader->behind_frame;

	reader->behind_frame = false;
	skip_spaces(&words);
	if (!words.nr) {
		end_sample(reader);
	} else if (line.text[0] == '#') {
		return;
	} else if (memchr(line.text, '\0', line.nr)) {
		reader->nr_ignored++;
	} else if (line.text[0] != '\t' && is_side_band(line)) {
		end_sample(reader);
	} else if (line.text[0] != '\t' && is_head(reader, line, &head)) {
		begin_sample(reader, &head);
	} else if (is_space(line.text[0]) && parse_place(line, &place)) {
		reader->behind_frame = true;
		if (reader->inside)
			push_frame(reader, &place);
	} else if (!behind_frame || !is_source_line(line)) {
		reader->nr_ignored++;
	}
}

bool perf_script_is(const char *bytes, size_t nr_bytes)
{
	struct slice text = { bytes, nr_bytes };
	struct head head;

	while (text.nr) {
		struct slice line = slice_take_line(&text), words = line;

		skip_spaces(&words);
		if (!words.nr || line.text[0] == '#' || is_side_band(line))
			continue;
		return parse_head(line, &head) || (text.nr && *text.text == '\t' && parse_bare_head(line, &head));
	}
	return false;
}

static void describe(struct reader *reader)
{
	struct profile *profile = reader->profile;
	uint64_t first = UINT64_MAX, last = 0;

	profile->applet = profile_add_string(profile, "perf");
	profile->event = add_string(reader, reader->event);
	profile->unit = reader->weighed ? profile->event : profile_add_string(profile, "samples");
	profile->view = (struct profile_view){
		.style = VIEW_PROFILE,
		.offsets = true,
		.modules = true,
		.per_process = true,
		.by_name = true,
		.want_kernel = true,
		.want_user = true,
		.times = true,
	};
	for (size_t i = 0; i < profile->records.nr; i++) {
		uint64_t time = profile->records.data[i].time_ns;

		first = time < first ? time : first;
		last = time > last ? time : last;
	}
	reader->interval.start_ns = first == UINT64_MAX ? 0 : first;
	reader->interval.end_ns = last;
}

int perf_script_decode(const char *bytes, size_t nr_bytes, const char *name, struct profile *ret_profile,
		       struct buf *ret_notes)
{
	_cleanup_(freep) struct reader *reader = xcalloc(1, sizeof(*reader));
	struct slice text = { bytes, nr_bytes };

	profile_init(ret_profile);
	reader->profile = ret_profile;
	while (text.nr)
		read_line(reader, slice_take_line(&text));
	end_sample(reader);
	describe(reader);
	vec_push(&ret_profile->intervals, reader->interval);
	text_add_warning(ret_notes, reader->nr_other_events,
			 " {sample of another event was|samples of other events were} skipped\n");
	text_add_warning(ret_notes, reader->nr_cut,
			 " {frame of a very deep stack was|frames of very deep stacks were} skipped\n");
	text_add_warning(ret_notes, reader->nr_ignored, " unrecognised {line was|lines were} skipped\n");
	if (!reader->nr_samples)
		return fail(-EINVAL, "'%s': no samples", name);
	return 0;
}
