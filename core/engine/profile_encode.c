/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/profile_file.h"

#include <string.h>
#include <zlib.h>

#include "core/base/cleanup.h"
#include "core/engine/profile_format.h"
#include "core/engine/profile_pack.h"

static void put(struct buf *bytes, uint64_t number, unsigned int nr_bytes)
{
	unsigned char little[8];

	for (unsigned int i = 0; i < nr_bytes; i++)
		little[i] = (unsigned char)(number >> 8 * i);
	buf_add(bytes, little, nr_bytes);
}

static void put8(struct buf *bytes, uint8_t number)
{
	put(bytes, number, 1);
}

static void put16(struct buf *bytes, uint16_t number)
{
	put(bytes, number, 2);
}

static void put32(struct buf *bytes, uint32_t number)
{
	put(bytes, number, 4);
}

static void put64(struct buf *bytes, uint64_t number)
{
	put(bytes, number, 8);
}

static void patch(struct buf *bytes, size_t at, uint64_t number, unsigned int nr_bytes)
{
	for (unsigned int i = 0; i < nr_bytes; i++)
		bytes->data[at + i] = (char)(number >> 8 * i);
}

static uint32_t checksum(const struct buf *bytes, size_t from, size_t to)
{
	return (uint32_t)crc32_z(0, (const unsigned char *)bytes->data + from, to - from);
}

/* ---- payloads ---- */

static uint32_t view_flags(const struct profile_view *view)
{
	uint32_t flags = 0;

#define X(name) flags |= view->name ? 1u << VIEW_FLAG_##name : 0;
	FORMAT_VIEW_FLAGS(X)
#undef X
	return flags;
}

static void put_info(struct buf *bytes, const struct profile *profile)
{
#define X(name) put32(bytes, profile->name);
	FORMAT_INFO_STRINGS(X)
#undef X
	put32(bytes, profile->utc_offset_s);
	put32(bytes, profile->view.style);
	put32(bytes, view_flags(&profile->view));
}

static void put_strings(struct buf *bytes, const struct profile *profile)
{
	for (uint32_t id = 1; id <= profile->strings.offsets.nr; id++) {
		const char *text = profile_string(profile, id);

		buf_add(bytes, text, strlen(text) + 1);
	}
}

static void put_file(struct buf *bytes, const struct profile_file *file)
{
	put32(bytes, file->path);
	put32(bytes, file->build_id);
	put64(bytes, file->device);
	put64(bytes, file->inode);
	put32(bytes, file->deleted ? FILE_DELETED : 0);
	put32(bytes, 0);
}

static void put_frame(struct buf *bytes, const struct profile_frame *frame)
{
	put8(bytes, frame->kind);
	put8(bytes, frame->reason);
	put8(bytes, (uint8_t)((frame->exact ? FRAME_EXACT : 0) | (frame->tracer ? FRAME_TRACER : 0) |
			      (frame->has_inlined ? FRAME_INLINED : 0)));
	put8(bytes, frame->line_reason);
	put32(bytes, frame->file);
	put32(bytes, frame->space);
	put32(bytes, frame->name);
	put32(bytes, frame->module);
	put16(bytes, frame->level);
	put16(bytes, 0);
	put64(bytes, frame->where);
	put64(bytes, frame->offset);
}

static void put_record(struct buf *bytes, const struct profile_record *record)
{
	put64(bytes, record->id.lo);
	put64(bytes, record->id.hi);
	put64(bytes, record->start_time_ns);
	put64(bytes, record->exec_id);
	put64(bytes, record->cgroup_id);
	put64(bytes, record->probe);
	put64(bytes, record->time_ns);
	put32(bytes, record->tgid);
	put32(bytes, record->tid);
	put32(bytes, record->comm);
	put32(bytes, record->cpu);
	put8(bytes, record->program);
	put8(bytes, record->kernel_status);
	put8(bytes, record->user_status);
	put8(bytes, (uint8_t)((record->foreign ? RECORD_FOREIGN : 0) | (record->stack_lost ? RECORD_STACK_LOST : 0) |
			      (record->expanded ? RECORD_EXPANDED : 0) | record->context << RECORD_CONTEXT_SHIFT));
	put16(bytes, record->nr_kernel);
	put16(bytes, record->nr_user);
}

static void put_pairs(struct buf *bytes, const struct profile *profile)
{
	for (size_t i = 0; i < profile->pairs.nr; i++) {
		put32(bytes, profile->pairs.data[i].record);
		put32(bytes, profile->pairs.data[i].sleeper);
		put32(bytes, profile->pairs.data[i].waker);
		put8(bytes, profile->pairs.data[i].reason);
		put(bytes, 0, 3);
	}
}

static void put_cgroups(struct buf *bytes, const struct profile *profile)
{
	for (size_t i = 0; i < profile->cgroups.nr; i++) {
		put64(bytes, profile->cgroups.data[i].id);
		put32(bytes, profile->cgroups.data[i].path);
		put32(bytes, 0);
	}
}

static void put_host(struct buf *bytes, const struct profile *profile)
{
	put32(bytes, profile->host.machine);
	put32(bytes, profile->host.kernel_version);
	put32(bytes, profile->host.kernel_build_id);
	put32(bytes, profile->host.nr_cpus);
}

static void put_clocks(struct buf *bytes, const struct profile *profile)
{
	put64(bytes, profile->clocks.monotonic_ns);
	put64(bytes, profile->clocks.boot_ns);
	put64(bytes, profile->clocks.real_ns);
	put64(bytes, profile->clocks.period);
	put64(bytes, profile->clocks.period_is_time ? CLOCKS_PERIOD_IS_TIME : 0);
}

static void put_lives(struct buf *bytes, const struct profile *profile)
{
	for (size_t i = 0; i < profile->lives.nr; i++) {
		put32(bytes, profile->lives.data[i].tgid);
		put32(bytes, profile->lives.data[i].parent);
		put64(bytes, profile->lives.data[i].begin_ns);
		put64(bytes, profile->lives.data[i].end_ns);
	}
}

static void put_mappings(struct buf *bytes, const struct profile *profile)
{
	for (size_t i = 0; i < profile->mappings.nr; i++) {
		const struct profile_mapping *mapping = &profile->mappings.data[i];

		put32(bytes, mapping->life);
		put32(bytes, mapping->file);
		put64(bytes, mapping->start);
		put64(bytes, mapping->end);
		put64(bytes, mapping->file_offset);
		put64(bytes, mapping->since_ns);
	}
}

/* Losses by name, so that the list may change between versions; the numbers of the intervals are in this order. */
static void put_loss_names(struct buf *bytes, const struct profile *profile)
{
	(void)profile;
	for (size_t i = 0; i < profile_nr_losses(); i++)
		buf_add(bytes, profile_loss_name(i), strlen(profile_loss_name(i)) + 1);
}

static void put_interval(struct buf *bytes, const struct profile_interval *interval)
{
	put64(bytes, interval->start_ns);
	put64(bytes, interval->end_ns);
	put64(bytes, interval->wall_end_ns);
#define X(name) put64(bytes, interval->account.name);
	FORMAT_ACCOUNT(X)
#undef X
	put32(bytes, interval->account.nr_cpus);
	put32(bytes, 0);
	for (size_t i = 0; i < profile_nr_losses(); i++)
		put64(bytes, interval->losses[i]);
	for (size_t i = 0; i < interval->rows.nr; i++) {
		put32(bytes, interval->rows.data[i].record);
		put32(bytes, 0);
		put64(bytes, interval->rows.data[i].count);
		put64(bytes, interval->rows.data[i].sum);
	}
}

static void put_files(struct buf *bytes, const struct profile *profile)
{
	for (size_t i = 0; i < profile->files.nr; i++)
		put_file(bytes, &profile->files.data[i]);
}

static void put_frames(struct buf *bytes, const struct profile *profile)
{
	for (size_t i = 0; i < profile->frames.nr; i++)
		put_frame(bytes, &profile->frames.data[i]);
}

static void put_lines(struct buf *bytes, const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->frames.nr; i++) {
		if (!profile->frames.data[i].source)
			continue;
		put32(bytes, i);
		put32(bytes, profile->frames.data[i].source);
		put32(bytes, profile->frames.data[i].line);
	}
}

static void put_records(struct buf *bytes, const struct profile *profile)
{
	for (size_t i = 0; i < profile->records.nr; i++)
		put_record(bytes, &profile->records.data[i]);
}

static size_t nr_frames(const struct profile_record *record)
{
	return (size_t)record->nr_kernel + record->nr_user;
}

/* Stacks in the order of the records, so that the file needs no positions. */
static void put_stack_frames(struct buf *bytes, const struct profile *profile)
{
	for (size_t i = 0; i < profile->records.nr; i++) {
		const struct profile_record *record = &profile->records.data[i];

		for (size_t j = 0; j < nr_frames(record); j++)
			put32(bytes, profile->stack_frames.data[record->first + j]);
	}
}

/* As distances from the place of the frame: 0 in the kernel, where a file was mapped in user space. That packs well. */
static void put_stack_addresses(struct buf *bytes, const struct profile *profile)
{
	for (size_t i = 0; i < profile->records.nr; i++) {
		const struct profile_record *record = &profile->records.data[i];

		for (size_t j = 0; j < nr_frames(record); j++) {
			size_t at = record->first + j;

			put64(bytes, profile->stack_addresses.data[at] -
					     profile->frames.data[profile->stack_frames.data[at]].where);
		}
	}
}

/* ---- the container ---- */

/* Appends a section with its payload, packed where that is shorter. */
static void add_section(struct buf *bytes, const char *tag, uint32_t flags, const struct buf *payload)
{
	size_t head = bytes->nr, start = head + FORMAT_SECTION_BYTES, length;

	buf_add(bytes, tag, 4);
	put32(bytes, flags);
	put64(bytes, 0); /* length */
	put32(bytes, 0); /* checksum */
	put32(bytes, 0);
	if (payload->nr && section_pack(payload->data, payload->nr, bytes))
		patch(bytes, head + 4, flags | SECTION_PACKED, 4);
	else
		buf_add(bytes, payload->data, payload->nr);
	length = bytes->nr - start;
	patch(bytes, head + 8, length, 8);
	patch(bytes, head + 16, checksum(bytes, start, bytes->nr), 4);
	put(bytes, 0, (unsigned int)format_padding(length));
}

static void put_section(struct buf *bytes, const char *tag, uint32_t flags,
			void (*write)(struct buf *payload, const struct profile *profile),
			const struct profile *profile)
{
	_cleanup_(buf_done) struct buf payload = {};

	write(&payload, profile);
	add_section(bytes, tag, flags, &payload);
}

static void put_intervals(struct buf *bytes, const struct profile *profile)
{
	_cleanup_(buf_done) struct buf payload = {};

	for (size_t i = 0; i < profile->intervals.nr; i++) {
		buf_clear(&payload);
		put_interval(&payload, &profile->intervals.data[i]);
		add_section(bytes, "INTV", SECTION_REQUIRED, &payload);
	}
}

static bool knows_host(const struct profile *profile)
{
	const struct profile_host *host = &profile->host;

	return host->machine || host->kernel_version || host->kernel_build_id || host->nr_cpus;
}

static bool knows_clocks(const struct profile *profile)
{
	return profile->clocks.monotonic_ns || profile->clocks.period;
}

static void put_sections(struct buf *bytes, const struct profile *profile)
{
	put_section(bytes, "INFO", SECTION_REQUIRED, put_info, profile);
	put_section(bytes, "STRS", SECTION_REQUIRED, put_strings, profile);
	put_section(bytes, "FILE", SECTION_REQUIRED, put_files, profile);
	put_section(bytes, "FRAM", SECTION_REQUIRED, put_frames, profile);
	put_section(bytes, "RECS", SECTION_REQUIRED, put_records, profile);
	put_section(bytes, "STKF", SECTION_REQUIRED, put_stack_frames, profile);
	put_section(bytes, "STKA", SECTION_REQUIRED, put_stack_addresses, profile);
	put_section(bytes, "LOSS", SECTION_REQUIRED, put_loss_names, profile);
	put_intervals(bytes, profile);
	if (profile->pairs.nr)
		put_section(bytes, "PAIR", SECTION_REQUIRED, put_pairs, profile);
	if (profile->cgroups.nr)
		put_section(bytes, "CGRP", 0, put_cgroups, profile);
	if (profile->view.lines)
		put_section(bytes, "LINE", 0, put_lines, profile);
	if (knows_host(profile))
		put_section(bytes, "HOST", 0, put_host, profile);
	if (knows_clocks(profile))
		put_section(bytes, "CLKS", 0, put_clocks, profile);
	if (profile->mappings.nr) {
		put_section(bytes, "LIFE", 0, put_lives, profile);
		put_section(bytes, "MAPS", 0, put_mappings, profile);
	}
}

static uint32_t nr_sections(const struct profile *profile)
{
	return (uint32_t)(SECTION_INTV + profile->intervals.nr + (profile->pairs.nr > 0) + (profile->cgroups.nr > 0) +
			  knows_host(profile) + knows_clocks(profile) + (profile->mappings.nr ? 2 : 0) +
			  profile->view.lines);
}

void profile_encode(const struct profile *profile, struct buf *ret_bytes)
{
	buf_clear(ret_bytes);
	buf_add(ret_bytes, FORMAT_MAGIC, FORMAT_MAGIC_BYTES);
	put32(ret_bytes, FORMAT_VERSION);
	put32(ret_bytes, 0); /* flags */
	put64(ret_bytes, 0); /* file length */
	put32(ret_bytes, nr_sections(profile));
	put32(ret_bytes, 0); /* checksum */
	put_sections(ret_bytes, profile);
	patch(ret_bytes, 16, ret_bytes->nr, 8);
	patch(ret_bytes, 28, checksum(ret_bytes, 0, 28), 4);
}
