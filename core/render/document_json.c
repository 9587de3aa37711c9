/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The JSON document (docs/reference/profile.schema.json), streamed, in ASCII. Addresses are strings: many readers keep only 53 bits. */
#include <inttypes.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/render/container.h"
#include "core/render/documents.h"
#include "core/render/merge.h"
#include "core/render/rows.h"

struct writer {
	const struct profile *profile;
	unsigned int apart; /* enum merge_apart */
	struct stream *stream;
	struct json json;
	struct merged merged; /* of the current interval */
};

static void add_string(struct writer *writer, const char *key, string_id string)
{
	if (string)
		json_text(&writer->json, key, profile_string(writer->profile, string));
}

static void add_hex(struct writer *writer, const char *key, uint64_t number)
{
	json_key(&writer->json, key);
	buf_addf(writer->json.text, "\"0x%" PRIx64 "\"", number);
}

static void add_seconds(struct writer *writer, const char *key, uint64_t ns)
{
	json_key(&writer->json, key);
	buf_addf(writer->json.text, "%" PRIu64 ".%09" PRIu64, ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
}

static void end_object(struct writer *writer)
{
	json_end(&writer->json, '}');
}

/* An array with an object for each element of a table; `add` writes its members. */
#define ADD_TABLE(writer, key, elements, nr_elements, add)      \
	do {                                                    \
		json_begin(&(writer)->json, key, '[');          \
		for (size_t i_ = 0; i_ < (nr_elements); i_++) { \
			stream_turn((writer)->stream);          \
			json_begin(&(writer)->json, NULL, '{'); \
			add(writer, &(elements)[i_]);           \
			end_object(writer);                     \
		}                                               \
		json_end(&(writer)->json, ']');                 \
	} while (0)

/* ---- tables ---- */

static void add_file(struct writer *writer, const struct profile_file *file)
{
	json_text(&writer->json, "path", profile_string(writer->profile, file->path));
	add_string(writer, "build_id", file->build_id);
	if (file->deleted)
		json_bool(&writer->json, "deleted", true);
}

static void add_source(struct writer *writer, const struct profile_frame *frame)
{
	const struct profile_view *view = &writer->profile->view;

	if (frame->source) {
		add_string(writer, "source", frame->source);
		if (frame->line)
			json_number(&writer->json, "line", frame->line);
	} else if ((view->lines || view->inlines) && frame->kind != FRAME_TEXT && frame->line_reason != LINES_FOUND) {
		json_text(&writer->json, "no_source", line_reason_text((enum line_reason)frame->line_reason));
	}
}

static void add_frame(struct writer *writer, const struct profile_frame *frame)
{
	static const char *const kinds[] = {
		[FRAME_KERNEL] = "kernel", [FRAME_USER_FILE] = "file",          [FRAME_USER_RAW] = "unmapped",
		[FRAME_TEXT] = "text",     [FRAME_INTERPRETER] = "interpreter",
	};

	json_text(&writer->json, "kind", frame->kind <= FRAME_INTERPRETER ? kinds[frame->kind] : "text");
	if (frame->name) {
		add_string(writer, "name", frame->name);
		if (!frame->level && frame->kind != FRAME_INTERPRETER)
			json_number(&writer->json, "offset", frame->offset);
	} else {
		json_text(&writer->json, "unnamed", frame_reason_text(frame->reason));
	}
	if (frame->level)
		json_bool(&writer->json, "inlined", true);
	else if (frame->guessed)
		json_bool(&writer->json, "guessed", true);
	add_source(writer, frame);
	add_string(writer, "module", frame->module);
	if (frame->kind == FRAME_USER_FILE) {
		json_number(&writer->json, "file", frame->file);
		add_hex(writer, "file_offset", frame->where);
	} else if (frame->kind == FRAME_KERNEL || frame->kind == FRAME_USER_RAW) {
		add_hex(writer, "address", frame->where);
	}
}

/* ---- the host and its processes ---- */

static void add_host(struct writer *writer)
{
	const struct profile_host *host = &writer->profile->host;

	add_string(writer, "host", writer->profile->hostname);
	add_string(writer, "kernel", writer->profile->kernel_release);
	add_string(writer, "kernel_version", host->kernel_version);
	add_string(writer, "kernel_build_id", host->kernel_build_id);
	add_string(writer, "machine", host->machine);
	if (host->nr_cpus)
		json_number(&writer->json, "cpus", host->nr_cpus);
}

static void add_clocks(struct writer *writer)
{
	const struct profile_clocks *clocks = &writer->profile->clocks;

	if (clocks->period && clocks->period_is_time)
		add_seconds(writer, "period", clocks->period);
	else if (clocks->period)
		json_number(&writer->json, "period_events", clocks->period);
	if (!clocks->monotonic_ns)
		return;
	json_begin(&writer->json, "clocks", '{');
	add_seconds(writer, "monotonic", clocks->monotonic_ns);
	add_seconds(writer, "boot", clocks->boot_ns);
	add_seconds(writer, "real", clocks->real_ns);
	end_object(writer);
}

static void add_process(struct writer *writer, const struct profile_life *life)
{
	json_number(&writer->json, "pid", life->tgid);
	if (life->parent)
		json_number(&writer->json, "parent", life->parent);
	if (life->begin_ns)
		add_seconds(writer, "begin", life->begin_ns);
	if (life->end_ns != UINT64_MAX)
		add_seconds(writer, "end", life->end_ns);
}

static void add_mapping(struct writer *writer, const struct profile_mapping *mapping)
{
	json_number(&writer->json, "process", mapping->life);
	if (mapping->file != PROFILE_NONE)
		json_number(&writer->json, "file", mapping->file);
	add_hex(writer, "start", mapping->start);
	add_hex(writer, "end", mapping->end);
	add_hex(writer, "file_offset", mapping->file_offset);
	if (mapping->since_ns)
		add_seconds(writer, "since", mapping->since_ns);
}

/* ---- intervals ---- */

static void add_account(struct writer *writer, const struct profile_account *account)
{
	const struct {
		const char *key;
		uint64_t number;
	} numbers[] = {
		{ "seen", account->seen },         { "filtered", account->filtered }, { "counted", account->counted },
		{ "expected", account->expected }, { "taken", account->taken },       { "missed", account->missed },
	};

	json_begin(&writer->json, "account", '{');
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (numbers[i].number == UINT64_MAX)
			json_text(&writer->json, numbers[i].key, NULL);
		else
			json_number(&writer->json, numbers[i].key, numbers[i].number);
	}
	end_object(writer);
}

static void add_losses(struct writer *writer, const struct profile_interval *interval)
{
	static const char *const classes[] = {
		[LOSS_EVENT] = "event",
		[LOSS_STACK] = "stack",
		[LOSS_SAMPLE] = "sample",
		[LOSS_NOTE] = "note",
	};

	json_begin(&writer->json, "losses", '[');
	for (size_t i = 0; i < ST_NR_LOSSES; i++) {
		_cleanup_(buf_done) struct buf sentence = {};

		if (!interval->losses[i])
			continue;
		buf_add_counted(&sentence, interval->losses[i], profile_losses[i].sentence);
		json_begin(&writer->json, NULL, '{');
		json_text(&writer->json, "name", profile_losses[i].name);
		json_text(&writer->json, "class", classes[profile_losses[i].class]);
		json_number(&writer->json, "count", interval->losses[i]);
		json_text(&writer->json, "text", buf_text(&sentence));
		end_object(writer);
	}
	json_end(&writer->json, ']');
}

static void add_stack(struct writer *writer, const char *key, const char *status_key, const char *elided_key,
		      const struct merged_stack *stack)
{
	const uint32_t *frames = writer->profile->stack_frames.data;

	if (stack->cut)
		json_text(&writer->json, status_key, "cut");
	else if (stack->status == STACK_UNREADABLE || stack->status == STACK_TRUNCATED)
		json_text(&writer->json, status_key, stack->status == STACK_UNREADABLE ? "missed" : "truncated");
	if (stack->status == STACK_NOT_ASKED || stack->status == STACK_NONE)
		return;
	json_begin(&writer->json, key, '[');
	for (uint32_t i = 0; i < stack->nr; i++)
		json_number(&writer->json, NULL, frames[stack->first + i]);
	json_end(&writer->json, ']');
	if (!stack->elided_most)
		return;
	json_begin(&writer->json, elided_key, '{');
	json_number(&writer->json, "least", stack->elided_least);
	json_number(&writer->json, "most", stack->elided_most);
	end_object(writer);
}

/* The waker of a sleeper, or why there is none. Its stacks are as in the text report. */
static void add_waker(struct writer *writer, const struct merged_row *row)
{
	static const char *const reasons[WAKER_NR_REASONS] = {
		[WAKER_PREEMPTED] = "preempted",       [WAKER_BEFORE_SLEEP] = "woken before asleep",
		[WAKER_NOT_SEEN] = "not seen",         [WAKER_UNFINISHED] = "unfinished",
		[WAKER_OWNER] = "owner without stack",
	};
	static const char *const contexts[] = {
		[CONTEXT_SOFTIRQ] = "softirq",
		[CONTEXT_IRQ] = "irq",
		[CONTEXT_NMI] = "nmi",
	};
	const struct profile_record *waker;

	if (row->waker == PROFILE_NONE) {
		if (reasons[row->reason])
			json_text(&writer->json, "no_waker", reasons[row->reason]);
		return;
	}
	waker = &writer->profile->records.data[row->waker];
	if (contexts[waker->context])
		json_text(&writer->json, "waker_context", contexts[waker->context]);
	else
		json_text(&writer->json, "waker_comm", profile_string(writer->profile, waker->comm));
	if (waker->tid)
		json_number(&writer->json, "waker_tid", waker->tid);
	add_stack(writer, "waker_kernel", "waker_kernel_status", NULL, &row->waker_kernel);
	add_stack(writer, "waker_user", "waker_user_status", "waker_user_elided", &row->waker_user);
}

static void add_cgroup(struct writer *writer, uint64_t cgroup)
{
	const char *path = profile_cgroup_path(writer->profile, cgroup), *id;
	size_t nr = container_id(path, &id);
	_cleanup_(buf_done) struct buf container = {};

	json_number(&writer->json, "cgroup_id", cgroup);
	if (*path)
		json_text(&writer->json, "cgroup", path);
	if (!nr)
		return;
	buf_add(&container, id, nr);
	json_text(&writer->json, "container_id", buf_text(&container));
}

static void add_range(struct writer *writer, const char *key, struct duration_range range, uint64_t count)
{
	json_begin(&writer->json, key, '{');
	json_number(&writer->json, "from", range.first_us);
	json_number(&writer->json, "to", range.last_us);
	if (count)
		json_number(&writer->json, "count", count);
	end_object(writer);
}

static void add_durations(struct writer *writer, const struct durations *durations)
{
	if (!durations->nr)
		return;
	json_number(&writer->json, "intervals", durations->nr);
	add_range(writer, "shortest", durations_shortest(durations), 0);
	add_range(writer, "longest", durations_longest(durations), 0);
	json_begin(&writer->json, "histogram", '[');
	for (unsigned int i = 0; i < DURATION_POWERS; i++)
		if (durations->powers[i])
			add_range(writer, NULL, duration_power(i), durations->powers[i]);
	json_end(&writer->json, ']');
}

/* A row has the calls of one class of lengths. */
static void add_length(struct writer *writer, uint64_t count, uint64_t sum_ns)
{
	const struct profile_view *view = &writer->profile->view;
	const struct duration_range range = latency_range(view, count, sum_ns);

	json_begin(&writer->json, "length_ns", '{');
	json_number(&writer->json, "from", range.first_us * view_unit_ns(view));
	json_number(&writer->json, "to", (range.last_us + 1) * view_unit_ns(view) - 1);
	end_object(writer);
	json_number(&writer->json, "sum_ns", sum_ns);
}

static void add_row(struct writer *writer, const struct merged_row *row)
{
	const struct profile_view *view = &writer->profile->view;
	const struct profile_record *record = &writer->profile->records.data[row->sleeper];

	json_number(&writer->json, "count", row_value(view, row));
	if (writer->merged.durations.nr)
		add_durations(writer, &writer->merged.durations.data[row->durations]);
	if (view->style == VIEW_FUNCLATENCY)
		add_length(writer, row->count, row->sum);
	if (row->lost) {
		json_bool(&writer->json, "lost", true);
		return;
	}
	if (view_shows_process(view)) {
		json_text(&writer->json, "comm", profile_string(writer->profile, record->comm));
		if (record->tgid)
			json_number(&writer->json, "pid", record->tgid);
		if ((view_separates_threads(view) || writer->apart & APART_THREADS) && record->tid)
			json_number(&writer->json, "tid", record->tid);
	}
	if (record->cgroup_id)
		add_cgroup(writer, record->cgroup_id);
	add_waker(writer, row);
	add_stack(writer, "kernel", "kernel_status", NULL, &row->kernel);
	add_stack(writer, "user", "user_status", "user_elided", &row->user);
}

/* `slow`: all calls, by length. */
static void add_calls(struct writer *writer, const struct profile_interval *interval)
{
	const struct profile_view *view = &writer->profile->view;

	json_begin(&writer->json, "calls", '[');
	for (size_t i = 0; i < interval->rows.nr; i++) {
		const struct profile_row *row = &interval->rows.data[i];

		if (!row->count || !view_row_is_of_calls(view, &writer->profile->records.data[row->record]))
			continue;
		json_begin(&writer->json, NULL, '{');
		json_number(&writer->json, "count", row->count);
		json_bool(&writer->json, "slow", row->sum / row->count >= view->limit_ns);
		add_length(writer, row->count, row->sum);
		end_object(writer);
	}
	json_end(&writer->json, ']');
}

static void add_interval(struct writer *writer, const struct profile_interval *interval)
{
	struct profile_view view = writer->profile->view;
	unsigned int apart = writer->apart;
	uint64_t total = 0;

	add_seconds(writer, "start", interval->start_ns);
	add_seconds(writer, "end", interval->end_ns);
	add_seconds(writer, "wall_end", interval->wall_end_ns);
	add_account(writer, &interval->account);
	add_losses(writer, interval);
	if (view.slow)
		add_calls(writer, interval);
	view.by_name = false;
	if (view.style == VIEW_FUNCLATENCY)
		apart |= APART_RECORDS;
	merge_interval(writer->profile, interval, &view, apart, &writer->merged);
	for (size_t i = 0; i < writer->merged.rows.nr; i++)
		total += row_value(&view, &writer->merged.rows.data[i]);
	json_number(&writer->json, "total", total);
	ADD_TABLE(writer, "stacks", writer->merged.rows.data, writer->merged.rows.nr, add_row);
	merged_done(&writer->merged);
}

void document_json(const struct profile *profile, const struct profile_interval *intervals, size_t nr,
		   struct stream *stream)
{
	struct writer writer = {
		.profile = profile,
		.apart = merge_apart_of(profile),
		.stream = stream,
		.json = { .text = &stream->text },
	};

	json_begin(&writer.json, NULL, '{');
	json_text(&writer.json, "format", "stacktool-profile");
	json_number(&writer.json, "version", 1);
	add_string(&writer, "tool", profile->tool_version);
	json_text(&writer.json, "applet", profile_string(profile, profile->applet));
	add_string(&writer, "event", profile->event);
	json_text(&writer.json, "unit", tree_unit(profile));
	add_string(&writer, "header", profile->header);
	if (profile->reason) {
		json_number(&writer.json, "own_status", profile->own_status);
		json_text(&writer.json, "reason", profile->reason);
	}
	add_host(&writer);
	add_clocks(&writer);
	ADD_TABLE(&writer, "files", profile->files.data, profile->files.nr, add_file);
	if (profile->lives.nr) {
		ADD_TABLE(&writer, "processes", profile->lives.data, profile->lives.nr, add_process);
		ADD_TABLE(&writer, "mappings", profile->mappings.data, profile->mappings.nr, add_mapping);
	}
	ADD_TABLE(&writer, "frames", profile->frames.data, profile->frames.nr, add_frame);
	ADD_TABLE(&writer, "intervals", intervals, nr, add_interval);
	end_object(&writer);
	buf_addc(&stream->text, '\n');
}
