/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles made by hand, for tests: places by name, stacks as arrays of places. Header only, so every layer can use it. */
#pragma once

#include <string.h>

#include "core/profile/profile.h"

#define HAND_MAX_FRAMES 127

/* A code place and how it is to be named; name or module NULL = unknown. */
struct place {
	uint64_t address;
	const char *name;
	uint64_t offset;
	const char *module;
	bool kernel, tracer, label, guessed;
	enum frame_reason reason; /* when there is no name */
	const char *source; /* of an interpreter's frame, with its line */
	uint32_t line;
};

struct stack {
	enum stack_status status;
	const struct place *const *places; /* leaf first, NULL-terminated; NULL = none */
};

/* A record and how often it was counted. */
struct event {
	uint64_t id;
	const char *comm;
	uint32_t tgid;
	enum program_kind program;
	struct stack kernel, user;
	uint64_t time_ns;
	uint64_t count;
	bool lost; /* its record never arrived */
	uint32_t tid; /* 0 = tgid */
	uint64_t sum;
	uint64_t sleeper, waker; /* ids: this event is a pair of two others, which are not counted themselves (part) */
	enum waker_reason reason;
	enum event_context context;
	const char *probe;
	uint32_t cpu;
	bool part;
	uint16_t elided_least, elided_most;
};

/* A file per module, all mapped at 0: the offset in the file is the address. */
static inline uint32_t hand_file(struct profile *profile, const char *module)
{
	uint32_t path = profile_add_string(profile, module);

	for (uint32_t i = 0; i < profile->files.nr; i++)
		if (profile->files.data[i].path == path)
			return i;
	vec_push(&profile->files, (struct profile_file){ .path = path });
	return (uint32_t)profile->files.nr - 1;
}

static inline uint32_t hand_frame(struct profile *profile, const struct place *place, uint32_t tgid)
{
	struct profile_frame frame = {
		.kind = place->kernel   ? FRAME_KERNEL
			: place->label  ? FRAME_TEXT
			: place->source ? FRAME_INTERPRETER
			: place->module ? FRAME_USER_FILE
					: FRAME_USER_RAW,
		.reason = place->name     ? REASON_NAMED
			  : place->reason ? place->reason
					  : REASON_NO_SYMBOL,
		.tracer = place->tracer,
		.guessed = place->guessed,
		.source = place->source ? profile_add_string(profile, place->source) : 0,
		.line = place->line,
		.line_reason = place->source ? LINES_FOUND : LINES_NOT_TRIED,
		.where = place->address,
		.offset = place->name ? place->offset : 0,
		.name = place->name ? profile_add_string(profile, place->name) : 0,
		.module = place->module ? profile_add_string(profile, place->module) : 0,
	};

	if (frame.kind == FRAME_USER_FILE)
		frame.file = hand_file(profile, place->module);
	if (frame.kind == FRAME_USER_RAW)
		frame.tgid = tgid;
	return profile_add_frame(profile, &frame);
}

static inline uint16_t hand_stack(struct profile *profile, const struct stack *stack, uint32_t tgid, uint32_t *frames,
				  uint64_t *addresses)
{
	uint16_t nr = 0;

	for (; stack->places && stack->places[nr]; nr++) {
		frames[nr] = hand_frame(profile, stack->places[nr], tgid);
		addresses[nr] = stack->places[nr]->address;
	}
	return nr;
}

static inline void hand_event(struct profile *profile, struct profile_interval *interval, const struct event *event)
{
	uint32_t frames[2 * HAND_MAX_FRAMES];
	uint64_t addresses[2 * HAND_MAX_FRAMES];
	struct profile_record record = {
		.id = { event->id, 1 },
		.tgid = event->tgid,
		.tid = event->tid ? event->tid : event->tgid,
		.context = event->context,
		.probe = event->probe ? profile_add_string(profile, event->probe) : 0,
		.cpu = event->cpu,
		.comm = event->comm ? profile_add_string(profile, event->comm) : 0,
		.program = event->program ? event->program : PROGRAM_SAMPLE,
		.time_ns = event->time_ns,
		.kernel_status = event->kernel.status,
		.user_status = event->user.status,
		.elided_least = event->elided_least,
		.elided_most = event->elided_most,
	};

	if (event->sleeper) {
		profile_add_pair(profile, record.id, (struct profile_id){ event->sleeper, 1 },
				 event->waker ? &(struct profile_id){ event->waker, 1 } : NULL, event->reason);
		profile_count(profile, interval, record.id, event->count, event->sum);
		return;
	}
	record.nr_kernel = hand_stack(profile, &event->kernel, event->tgid, frames, addresses);
	record.nr_user =
		hand_stack(profile, &event->user, event->tgid, frames + record.nr_kernel, addresses + record.nr_kernel);
	if (!event->lost)
		profile_add_record(profile, &record, frames, addresses);
	if (!event->part)
		profile_count(profile, interval, record.id, event->count, event->sum);
}

/* Adds an interval with these events; ends with an event whose count is 0. */
static inline void hand_interval(struct profile *profile, const struct event *events, uint64_t wall_end_ns)
{
	struct profile_interval interval = { .wall_end_ns = wall_end_ns };

	for (; events->count; events++)
		hand_event(profile, &interval, events);
	vec_push(&profile->intervals, interval);
}
