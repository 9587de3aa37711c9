/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/resolve/attach_plan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/escape.h"

void probe_place_done(struct probe_place *place)
{
	free(place->name);
	free(place->shown);
	free(place->category);
	free(place->event);
	free(place->module);
	free(place->path);
}

void attach_plan_done(struct attach_plan *attach)
{
	for (size_t i = 0; i < attach->places.nr; i++)
		probe_place_done(&attach->places.data[i]);
	vec_done(&attach->places);
	for (size_t i = 0; i < attach->fds.nr; i++)
		close(attach->fds.data[i]);
	vec_done(&attach->fds);
	buf_done(&attach->note);
	buf_done(&attach->missing);
}

void attach_plan_note(struct attach_plan *attach, const char *format, ...)
{
	_cleanup_(buf_done) struct buf text = {}, safe = {};
	va_list arguments;

	va_start(arguments, format);
	buf_vaddf(&text, format, arguments);
	va_end(arguments);
	escape_add(&safe, buf_text(&text), ESCAPE_LINE);
	buf_addc(&safe, '\n');
	if (!strstr(buf_text(&attach->note), buf_text(&safe)))
		buf_adds(&attach->note, buf_text(&safe));
}

static const struct {
	const char *name, *program;
} mechanisms[] = {
#define MECHANISM_WORDS(number, row, name, program) { name, program },
	MECHANISMS(MECHANISM_WORDS)
#undef MECHANISM_WORDS
};

/* The programs that time calls; NULL: the places have theirs. */
static const char *call_program(enum mechanism mechanism)
{
	switch (mechanism) {
	case MECHANISM_UPROBE:
		return "on_call_uprobe";
	case MECHANISM_UPROBE_MULTI:
		return "on_call_uprobe_multi";
	case MECHANISM_KPROBE:
		return "on_call_kprobe";
	case MECHANISM_KPROBE_MULTI:
		return "on_call_kprobe_multi";
	default:
		return NULL;
	}
}

const char *attach_plan_program(const struct attach_plan *attach)
{
	const char *program = attach->nr_functions ? call_program(attach->mechanism)
						   : mechanisms[attach->mechanism].program;

	return program ? program : attach->places.data[0].program;
}

const char *attach_place_program(const struct attach_plan *attach, size_t place)
{
	const char *program = attach->places.data[place].program;

	return program ? program : attach_plan_program(attach);
}

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

struct probe_place *attach_plan_add_end(struct attach_plan *attach, size_t function, enum call_part part)
{
	struct probe_place end = attach->places.data[function];

	end.name = copy(end.name);
	end.shown = copy(end.shown);
	end.category = copy(end.category);
	end.event = copy(end.event);
	end.module = copy(end.module);
	end.path = copy(end.path);
	end.part = part;
	end.function = (uint32_t)function;
	vec_push(&attach->places, end);
	return &vec_last(&attach->places);
}

void attach_plan_add_returns(struct attach_plan *attach, const char *begin_program, const char *end_program)
{
	attach->nr_functions = attach->places.nr;
	for (size_t i = 0; i < attach->nr_functions; i++) {
		struct probe_place *end = attach_plan_add_end(attach, i, CALL_ENDS);

		end->is_exit = true;
		end->program = end_program;
		attach->places.data[i].function = (uint32_t)i;
		attach->places.data[i].program = begin_program;
	}
}

static void describe_sample(const struct sampling_choice *sample, struct buf *text)
{
	buf_addf(text, "attach: %s ", sample->name);
	if (sample->period)
		buf_addf(text, "every %" PRIu64 " %s", sample->period, sample->is_clock ? "ns" : "events");
	else
		buf_addf(text, "at %" PRIu64 " Hertz", sample->frequency_hz);
	buf_adds(text, " on every CPU\n");
}

/* Symbols and paths are untrusted, so they are escaped. */
static void describe_place(const struct probe_place *place, bool at_entry, struct buf *text)
{
	static const char *const parts[] = { "+0x0", " return", "+0x0, which is all", " return elsewhere", " jump" };
	const char *obstacle = first_instruction_obstacle(place->first);

	buf_adds(text, "attach: ");
	if (!place->program && place->path) {
		escape_add(text, place->path, ESCAPE_LINE);
		buf_addc(text, ':');
	}
	escape_add(text, place->name, ESCAPE_LINE);
	if (place->program) {
		buf_addf(text, " with %s", place->program);
	} else if (place->path) {
		buf_addf(text, "%s (file offset %#" PRIx64, at_entry ? parts[place->part] : "", place->offset);
		if (place->semaphore)
			buf_addf(text, ", semaphore %#" PRIx64, place->semaphore);
		buf_addc(text, ')');
	}
	if (obstacle)
		buf_addf(text, ": skipped: %s", obstacle);
	buf_addc(text, '\n');
}

void attach_plan_describe(const struct attach_plan *attach, struct buf *ret_text)
{
	buf_addf(ret_text, "program: %s\nmechanism: %s\nwhy: %s\n", attach_plan_program(attach),
		 mechanisms[attach->mechanism].name, attach->why);
	if (attach->mechanism == MECHANISM_PERF_EVENT)
		describe_sample(&attach->sample, ret_text);
	for (size_t i = 0; i < attach->places.nr; i++)
		describe_place(&attach->places.data[i], !attach->inside_functions, ret_text);
}
