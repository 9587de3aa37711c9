/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The JSON document: schema version 1, docs/reference/profile.schema.json. Streamed, ASCII only. Numbers that do
 * not fit into 53 bits (addresses, clocks in nanoseconds) are strings or seconds.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "core/base/cleanup.h"
#include "core/base/escape.h"
#include "core/render/container.h"
#include "core/render/documents.h"
#include "core/render/merge.h"

struct writer {
	const struct profile *profile;
	unsigned int apart; /* enum merge_apart */
	struct buf *out;
};

/* `"key":` with what goes before it: nothing behind an opening bracket. */
static void add_key(struct writer *writer, const char *key)
{
	char last = writer->out->nr ? writer->out->data[writer->out->nr - 1] : '{';

	buf_adds(writer->out, last == '{' ? "\"" : ",\"");
	buf_adds(writer->out, key);
	buf_adds(writer->out, "\":");
}

static void add_text(struct writer *writer, const char *key, const char *text)
{
	add_key(writer, key);
	json_add_string(writer->out, text);
}

static void add_string(struct writer *writer, const char *key, string_id string)
{
	if (string)
		add_text(writer, key, profile_string(writer->profile, string));
}

static void add_number(struct writer *writer, const char *key, uint64_t number)
{
	add_key(writer, key);
	buf_addu(writer->out, number);
}

static void add_hex(struct writer *writer, const char *key, uint64_t number)
{
	add_key(writer, key);
	buf_addf(writer->out, "\"0x%" PRIx64 "\"", number);
}

static void add_seconds(struct writer *writer, const char *key, uint64_t ns)
{
	add_key(writer, key);
	buf_addf(writer->out, "%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
}

/* Elements of an array are separated by commas and lines. */
static void begin_element(struct writer *writer)
{
	if (writer->out->data[writer->out->nr - 1] != '[')
		buf_addc(writer->out, ',');
	buf_addc(writer->out, '\n');
	buf_addc(writer->out, '{');
}

/* ---- tables ---- */

static void add_files(struct writer *writer)
{
	const struct profile *profile = writer->profile;

	add_key(writer, "files");
	buf_addc(writer->out, '[');
	for (size_t i = 0; i < profile->files.nr; i++) {
		const struct profile_file *file = &profile->files.data[i];

		begin_element(writer);
		add_text(writer, "path", profile_string(profile, file->path));
		add_string(writer, "build_id", file->build_id);
		if (file->deleted) {
			add_key(writer, "deleted");
			buf_adds(writer->out, "true");
		}
		buf_addc(writer->out, '}');
	}
	buf_addc(writer->out, ']');
}

static void add_source(struct writer *writer, const struct profile_frame *frame)
{
	const struct profile_view *view = &writer->profile->view;

	if (frame->source) {
		add_string(writer, "source", frame->source);
		if (frame->line)
			add_number(writer, "line", frame->line);
	} else if ((view->lines || view->inlines) && frame->kind != FRAME_TEXT && frame->line_reason != LINES_FOUND) {
		add_text(writer, "no_source", line_reason_text((enum line_reason)frame->line_reason));
	}
}

static void add_frame(struct writer *writer, const struct profile_frame *frame)
{
	static const char *const kinds[] = {
		[FRAME_KERNEL] = "kernel",
		[FRAME_USER_FILE] = "file",
		[FRAME_USER_RAW] = "unmapped",
		[FRAME_TEXT] = "text",
	};

	begin_element(writer);
	add_text(writer, "kind", frame->kind <= FRAME_TEXT ? kinds[frame->kind] : "text");
	if (frame->name) {
		add_string(writer, "name", frame->name);
		if (!frame->level)
			add_number(writer, "offset", frame->offset);
	} else {
		add_text(writer, "unnamed", frame_reason_text(frame->reason));
	}
	if (frame->level) {
		add_key(writer, "inlined");
		buf_adds(writer->out, "true");
	}
	add_source(writer, frame);
	add_string(writer, "module", frame->module);
	if (frame->kind == FRAME_USER_FILE) {
		add_number(writer, "file", frame->file);
		add_hex(writer, "file_offset", frame->where);
	} else if (frame->kind != FRAME_TEXT) {
		add_hex(writer, "address", frame->where);
	}
	buf_addc(writer->out, '}');
}

static void add_frames(struct writer *writer)
{
	add_key(writer, "frames");
	buf_addc(writer->out, '[');
	for (size_t i = 0; i < writer->profile->frames.nr; i++)
		add_frame(writer, &writer->profile->frames.data[i]);
	buf_addc(writer->out, ']');
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
		add_number(writer, "cpus", host->nr_cpus);
}

static void add_clocks(struct writer *writer)
{
	const struct profile_clocks *clocks = &writer->profile->clocks;

	if (clocks->period && clocks->period_is_time)
		add_seconds(writer, "period", clocks->period);
	else if (clocks->period)
		add_number(writer, "period_events", clocks->period);
	if (!clocks->monotonic_ns)
		return;
	add_key(writer, "clocks");
	buf_addc(writer->out, '{');
	add_seconds(writer, "monotonic", clocks->monotonic_ns);
	add_seconds(writer, "boot", clocks->boot_ns);
	add_seconds(writer, "real", clocks->real_ns);
	buf_addc(writer->out, '}');
}

static void add_process(struct writer *writer, const struct profile_life *life)
{
	begin_element(writer);
	add_number(writer, "pid", life->tgid);
	if (life->parent)
		add_number(writer, "parent", life->parent);
	if (life->begin_ns)
		add_seconds(writer, "begin", life->begin_ns);
	if (life->end_ns != UINT64_MAX)
		add_seconds(writer, "end", life->end_ns);
	buf_addc(writer->out, '}');
}

static void add_mapping(struct writer *writer, const struct profile_mapping *mapping)
{
	begin_element(writer);
	add_number(writer, "process", mapping->life);
	if (mapping->file != PROFILE_NONE)
		add_number(writer, "file", mapping->file);
	add_hex(writer, "start", mapping->start);
	add_hex(writer, "end", mapping->end);
	add_hex(writer, "file_offset", mapping->file_offset);
	if (mapping->since_ns)
		add_seconds(writer, "since", mapping->since_ns);
	buf_addc(writer->out, '}');
}

static void add_processes(struct writer *writer)
{
	const struct profile *profile = writer->profile;

	if (!profile->lives.nr)
		return;
	add_key(writer, "processes");
	buf_addc(writer->out, '[');
	for (size_t i = 0; i < profile->lives.nr; i++)
		add_process(writer, &profile->lives.data[i]);
	buf_addc(writer->out, ']');
	add_key(writer, "mappings");
	buf_addc(writer->out, '[');
	for (size_t i = 0; i < profile->mappings.nr; i++)
		add_mapping(writer, &profile->mappings.data[i]);
	buf_addc(writer->out, ']');
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

	add_key(writer, "account");
	buf_addc(writer->out, '{');
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		add_key(writer, numbers[i].key);
		if (numbers[i].number == UINT64_MAX)
			buf_adds(writer->out, "null");
		else
			buf_addu(writer->out, numbers[i].number);
	}
	buf_addc(writer->out, '}');
}

static void add_losses(struct writer *writer, const struct profile_interval *interval)
{
	static const char *const classes[] = {
		[LOSS_EVENT] = "event",
		[LOSS_STACK] = "stack",
		[LOSS_SAMPLE] = "sample",
		[LOSS_NOTE] = "note",
	};

	add_key(writer, "losses");
	buf_addc(writer->out, '[');
	for (size_t i = 0; i < profile_nr_losses(); i++) {
		_cleanup_(buf_done) struct buf sentence = {};

		if (!interval->losses[i])
			continue;
		profile_add_loss_sentence(i, interval->losses[i], &sentence);
		begin_element(writer);
		add_text(writer, "name", profile_loss_name(i));
		add_text(writer, "class", classes[profile_loss_class(i)]);
		add_number(writer, "count", interval->losses[i]);
		add_text(writer, "text", buf_text(&sentence));
		buf_addc(writer->out, '}');
	}
	buf_addc(writer->out, ']');
}

static void add_stack(struct writer *writer, const char *key, const char *status_key, const struct merged_stack *stack)
{
	const uint32_t *frames = writer->profile->stack_frames.data;

	if (stack->cut)
		add_text(writer, status_key, "cut");
	else if (stack->status == STACK_UNREADABLE || stack->status == STACK_TRUNCATED)
		add_text(writer, status_key, stack->status == STACK_UNREADABLE ? "missed" : "truncated");
	if (stack->status == STACK_NOT_ASKED || stack->status == STACK_NONE)
		return;
	add_key(writer, key);
	buf_addc(writer->out, '[');
	for (uint32_t i = 0; i < stack->nr; i++) {
		if (i)
			buf_addc(writer->out, ',');
		buf_addu(writer->out, frames[stack->first + i]);
	}
	buf_addc(writer->out, ']');
}

/* The waker of a sleeper, or why there is none. Its stacks lack the innermost frame, as in text. */
static void add_waker(struct writer *writer, const struct merged_row *row)
{
	static const char *const reasons[WAKER_NR_REASONS] = {
		[WAKER_PREEMPTED] = "preempted",
		[WAKER_BEFORE_SLEEP] = "woken before asleep",
		[WAKER_NOT_SEEN] = "not seen",
		[WAKER_UNFINISHED] = "unfinished",
	};
	static const char *const contexts[] = {
		[CONTEXT_SOFTIRQ] = "softirq",
		[CONTEXT_IRQ] = "irq",
		[CONTEXT_NMI] = "nmi",
	};
	const struct profile_record *waker;

	if (row->waker == PROFILE_NONE) {
		if (reasons[row->reason])
			add_text(writer, "no_waker", reasons[row->reason]);
		return;
	}
	waker = &writer->profile->records.data[row->waker];
	if (contexts[waker->context])
		add_text(writer, "waker_context", contexts[waker->context]);
	else
		add_text(writer, "waker_comm", profile_string(writer->profile, waker->comm));
	if (waker->tid)
		add_number(writer, "waker_tid", waker->tid);
	add_stack(writer, "waker_kernel", "waker_kernel_status", &row->waker_kernel);
	add_stack(writer, "waker_user", "waker_user_status", &row->waker_user);
}

static void add_cgroup(struct writer *writer, uint64_t cgroup)
{
	const char *path = profile_cgroup_path(writer->profile, cgroup), *id;
	size_t nr = container_id(path, &id);
	_cleanup_(buf_done) struct buf container = {};

	add_number(writer, "cgroup_id", cgroup);
	if (*path)
		add_text(writer, "cgroup", path);
	if (!nr)
		return;
	buf_add(&container, id, nr);
	add_text(writer, "container_id", buf_text(&container));
}

static void add_range(struct writer *writer, const char *key, struct duration_range range)
{
	add_key(writer, key);
	buf_addc(writer->out, '{');
	add_number(writer, "from", range.first_us);
	add_number(writer, "to", range.last_us);
	buf_addc(writer->out, '}');
}

static void add_durations(struct writer *writer, const struct durations *durations)
{
	if (!durations->nr)
		return;
	add_number(writer, "intervals", durations->nr);
	add_range(writer, "shortest", durations_shortest(durations));
	add_range(writer, "longest", durations_longest(durations));
	add_key(writer, "histogram");
	buf_addc(writer->out, '[');
	for (unsigned int i = 0; i < DURATION_POWERS; i++) {
		if (!durations->powers[i])
			continue;
		buf_adds(writer->out, writer->out->data[writer->out->nr - 1] == '[' ? "{" : ",{");
		add_number(writer, "from", duration_power(i).first_us);
		add_number(writer, "to", duration_power(i).last_us);
		add_number(writer, "count", durations->powers[i]);
		buf_addc(writer->out, '}');
	}
	buf_addc(writer->out, ']');
}

static void add_row(struct writer *writer, const struct profile_view *view, const struct merged *merged,
		    const struct merged_row *row)
{
	const struct profile_record *record = &writer->profile->records.data[row->sleeper];

	begin_element(writer);
	add_number(writer, "count", row_value(view, row));
	if (merged->durations.nr)
		add_durations(writer, &merged->durations.data[row->durations]);
	if (row->lost) {
		add_key(writer, "lost");
		buf_adds(writer->out, "true}");
		return;
	}
	if (view_shows_process(view)) {
		add_text(writer, "comm", profile_string(writer->profile, record->comm));
		if (record->tgid)
			add_number(writer, "pid", record->tgid);
		if ((view_shows_time(view) || writer->apart & APART_THREADS) && record->tid)
			add_number(writer, "tid", record->tid);
	}
	if (record->cgroup_id)
		add_cgroup(writer, record->cgroup_id);
	add_waker(writer, row);
	add_stack(writer, "kernel", "kernel_status", &row->kernel);
	add_stack(writer, "user", "user_status", &row->user);
	buf_addc(writer->out, '}');
}

static void add_rows(struct writer *writer, const struct profile_interval *interval)
{
	_cleanup_(merged_done) struct merged merged = {};
	struct profile_view view = writer->profile->view;
	uint64_t total = 0;

	view.by_name = false;
	merge_interval(writer->profile, interval, &view, writer->apart, &merged);
	for (size_t i = 0; i < merged.rows.nr; i++)
		total += row_value(&view, &merged.rows.data[i]);
	add_number(writer, "total", total);
	add_key(writer, "stacks");
	buf_addc(writer->out, '[');
	for (size_t i = 0; i < merged.rows.nr; i++)
		add_row(writer, &view, &merged, &merged.rows.data[i]);
	buf_addc(writer->out, ']');
}

static void add_interval(struct writer *writer, const struct profile_interval *interval)
{
	begin_element(writer);
	add_seconds(writer, "start", interval->start_ns);
	add_seconds(writer, "end", interval->end_ns);
	add_seconds(writer, "wall_end", interval->wall_end_ns);
	add_account(writer, &interval->account);
	add_losses(writer, interval);
	add_rows(writer, interval);
	buf_addc(writer->out, '}');
}

void document_json(const struct profile *profile, const struct profile_interval *intervals, size_t nr,
		   struct buf *ret_json)
{
	struct writer writer = { profile, merge_apart_of(profile), ret_json };

	buf_addc(ret_json, '{');
	add_text(&writer, "format", "stacktool-profile");
	add_number(&writer, "version", 1);
	add_string(&writer, "tool", profile->tool_version);
	add_text(&writer, "applet", profile_string(profile, profile->applet));
	add_string(&writer, "event", profile->event);
	add_text(&writer, "unit", tree_unit(profile));
	add_string(&writer, "header", profile->header);
	add_host(&writer);
	add_clocks(&writer);
	add_files(&writer);
	add_processes(&writer);
	add_frames(&writer);
	add_key(&writer, "intervals");
	buf_addc(ret_json, '[');
	for (size_t i = 0; i < nr; i++)
		add_interval(&writer, &intervals[i]);
	buf_adds(ret_json, "]}\n");
}
