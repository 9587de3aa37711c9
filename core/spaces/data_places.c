/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/spaces/data_places.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/files/proc_maps.h"
#include "core/profile/lock.h"

#define PROCESSES_MAX 256
#define MAPPINGS_MAX 65536 /* of one process */

struct piece {
	uint64_t start, end, file_offset, device, inode;
	bool executable;
	char name[24]; /* of other memory than a file's, or the last part of a path, perhaps cut */
};

/* Of all processes; a vector may have twice the room. */
#define PIECES_MAX ((32UL << 20) / sizeof(struct piece))

/* Between two reads of a process's mappings; doubled after each read that took too long. */
#define PAUSE_MIN_NS (100 * NSEC_PER_MSEC)
#define PAUSE_MAX_NS (60 * NSEC_PER_SEC)

struct process {
	uint32_t tgid;
	uint64_t start_time_ns, exec_id;
	uint64_t read_ns, pause_ns; /* when the mappings were last read; 0: never */
	VEC(struct piece) pieces; /* by address */
};

struct data_places {
	VEC(struct process) processes;
	VEC(uint32_t)
	texts; /* by frame of a file, for memory without a file that may be its .bss: the frame if it is not; 0: none */
};

static void forget(struct data_places *places)
{
	for (size_t i = 0; i < places->processes.nr; i++)
		vec_done(&places->processes.data[i].pieces);
	places->processes.nr = 0;
}

struct data_places *data_places_new(void)
{
	return xcalloc(1, sizeof(struct data_places));
}

void data_places_free(struct data_places *places)
{
	if (!places)
		return;
	forget(places);
	vec_done(&places->processes);
	vec_done(&places->texts);
	free(places);
}

static void keep(void *context, const struct proc_mapping *mapping)
{
	struct process *process = context;
	struct piece piece = { mapping->start,  mapping->end,   mapping->file_offset,
			       mapping->device, mapping->inode, mapping->executable };
	const char *slash = mapping->kind == MAPPING_FILE ? strrchr(mapping->path, '/') : NULL;

	snprintf(piece.name, sizeof(piece.name), "%s", slash ? slash + 1 : mapping->path);
	if (process->pieces.nr < MAPPINGS_MAX)
		vec_push(&process->pieces, piece);
}

/* Reads the mappings of the process, unless it was done a moment ago: the drain waits meanwhile. */
static void read_pieces(struct data_places *places, struct process *process)
{
	size_t nr = 0;
	int err;

	if (process->pause_ns && clock_monotonic_ns() - process->read_ns < process->pause_ns)
		return;
	process->pieces.nr = 0;
	for (size_t i = 0; i < places->processes.nr; i++)
		nr += places->processes.data[i].pieces.nr;
	for (size_t i = 0; nr > PIECES_MAX - MAPPINGS_MAX && i < places->processes.nr; i++)
		vec_done(&places->processes.data[i].pieces);
	err = proc_maps_read_all_of(process->tgid, keep, process);
	process->read_ns = clock_monotonic_ns();
	if (err != -ETIMEDOUT)
		process->pause_ns = PAUSE_MIN_NS;
	else if (process->pause_ns < PAUSE_MAX_NS)
		process->pause_ns = process->pause_ns ? 2 * process->pause_ns : PAUSE_MIN_NS;
}

static struct process *process_of(struct data_places *places, const struct profile_record *record)
{
	for (size_t i = 0; i < places->processes.nr; i++) {
		struct process *process = &places->processes.data[i];

		if (process->tgid == record->tgid && process->start_time_ns == record->start_time_ns &&
		    process->exec_id == record->exec_id)
			return process;
	}
	if (places->processes.nr == PROCESSES_MAX)
		forget(places);
	vec_push(&places->processes, (struct process){ .tgid = record->tgid,
						       .start_time_ns = record->start_time_ns,
						       .exec_id = record->exec_id });
	return &vec_last(&places->processes);
}

static const struct piece *find(const struct process *process, uint64_t address)
{
	size_t low = 0, high = process->pieces.nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (process->pieces.data[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < process->pieces.nr && process->pieces.data[low].start <= address ? &process->pieces.data[low]
										      : NULL;
}

/*
 * The code of the file that the piece, or the one that ends where it begins, belongs to: .bss is memory without a file. The kernel merges
 * it with other such memory behind it, so the address may be outside of the file's data.
 */
static const struct piece *code_of(const struct process *process, const struct piece *piece)
{
	const struct piece *first = process->pieces.data, *file = piece, *code;

	if (!piece->inode && !piece->name[0] && piece > first && piece[-1].end == piece->start)
		file = piece - 1;
	for (code = file; file->inode; code--) {
		if (code->executable && code->inode == file->inode && code->device == file->device)
			return code;
		if (code == first)
			break;
	}
	return NULL;
}

static uint32_t add_text(struct profile *profile, const struct piece *piece, uint64_t address)
{
	struct profile_frame frame = { .kind = FRAME_TEXT, .where = address };
	char text[64];

	if (piece)
		snprintf(text, sizeof(text), "%s+0x%" PRIx64, piece->name[0] ? piece->name : "[anon]",
			 address - piece->start + piece->file_offset);
	else
		snprintf(text, sizeof(text), "0x%" PRIx64, address);
	frame.name = profile_add_string(profile, text);
	return profile_add_frame(profile, &frame);
}

static void note_text(struct data_places *places, uint32_t frame, uint32_t text)
{
	while (places->texts.nr <= frame)
		vec_push(&places->texts, 0);
	places->texts.data[frame] = text;
}

uint32_t data_places_frame(struct data_places *places, struct spaces *spaces, struct profile *profile,
			   const struct profile_record *record, uint64_t address)
{
	struct process *process = record->tgid && !record->foreign ? process_of(places, record) : NULL;
	const struct piece *piece = process ? find(process, address) : NULL, *code;
	struct profile_frame frame;
	uint32_t place;

	if (process && !piece) {
		read_pieces(places, process);
		piece = find(process, address);
	}
	code = piece ? code_of(process, piece) : NULL;
	if (!code)
		return add_text(profile, piece, address);
	spaces_add_frames(spaces, record, &code->start, 1, true, &place);
	frame = profile->frames.data[place];
	if (frame.kind != FRAME_USER_FILE)
		return add_text(profile, piece, address);
	frame.where += address - code->start;
	place = profile_add_frame(profile, &frame);
	if (!piece->inode)
		note_text(places, place, add_text(profile, piece, address));
	return place;
}

static bool is_in_file(const struct profile_frame *frame)
{
	return frame->name || frame->reason == REASON_NO_SYMBOL || frame->reason == REASON_NO_SYMBOLS;
}

void data_places_settle(const struct data_places *places, struct profile *profile)
{
	for (size_t i = 0; i < profile->records.nr; i++) {
		const struct profile_record *record = &profile->records.data[i];
		uint32_t *place = &profile->stack_frames.data[record->first + record->nr_kernel];

		if (lock_is_waiter(profile, record) && *place < places->texts.nr && places->texts.data[*place] &&
		    !is_in_file(&profile->frames.data[*place]))
			*place = places->texts.data[*place];
	}
}
