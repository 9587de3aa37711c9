/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines: one pass through .debug_line. */
#include "core/base/radix_sort.h"
#include "symbolize/dwarf/search.h"

enum {
	RECENT = 64, /* size of a cache of paths, by file number, for the current program */
};

struct recent_file {
	bool is_known, is_relative;
	uint32_t number;
	const char *path;
};

struct reader {
	struct search *search;
	struct line_program program;
	struct recent_file recent[RECENT];
	size_t next_file; /* index into search.files */
};

static void name_file(struct reader *reader, uint32_t number, const char **ret_path, bool *ret_is_relative)
{
	struct recent_file *recent = &reader->recent[number % RECENT];

	if (!recent->is_known || recent->number != number) {
		*recent = (struct recent_file){ .is_known = true, .number = number };
		recent->path = line_program_file(&reader->program, reader->search->dwarf, number,
						 &reader->search->batch->texts, &recent->is_relative);
	}
	*ret_path = recent->path;
	*ret_is_relative = recent->is_relative;
}

static void name_files(struct reader *reader, const struct line_hits *hits)
{
	for (size_t i = 0; i < hits->places.nr; i++) {
		struct source_place *place = &reader->search->batch->places.data[hits->places.data[i]];

		name_file(reader, place->file_number, &place->file, &place->is_relative);
	}
}

/* Names the files of calls in this program. search.files is sorted by program. */
static void name_calls(struct reader *reader)
{
	const struct search *search = reader->search;

	for (; reader->next_file < search->files.nr; reader->next_file++) {
		const struct wanted_file *wanted = &search->files.data[reader->next_file];
		struct source_frame *frame = &search->batch->frames.data[wanted->frame];

		if (wanted->program > reader->program.offset)
			return;
		if (wanted->program == reader->program.offset)
			name_file(reader, wanted->number, &frame->file, &frame->is_relative);
	}
}

static int run_program(struct reader *reader)
{
	struct line_hits hits = {};
	int err = line_program_run(&reader->program, reader->search->batch, &hits);

	memset(reader->recent, 0, sizeof(reader->recent));
	if (!err) {
		name_files(reader, &hits);
		name_calls(reader);
	}
	vec_done(&hits.places);
	return err;
}

int search_lines(struct search *search)
{
	struct reader reader = { .search = search };
	uint64_t offset = 0, next = 0;
	int err = radix_sort(search->files.data, search->files.nr, program), late = 0;

	while (err != -ENOMEM && err != -EBADMSG && !late && offset < search->dwarf->line.nr_bytes) {
		err = line_program_open(search->dwarf, offset, &reader.program, &next);
		err = err ?: run_program(&reader);
		offset = next;
		late = source_batch_late(search->batch);
	}
	return err == -ENOMEM ? err : late;
}
