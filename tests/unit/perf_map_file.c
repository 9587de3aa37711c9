// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/perf_map_file.h"

#include "tests/unit/elf_writer.h"
#include "tests/unit/extents.h"
#include "tests/unit/name_text.h"
#include "tests/harness.h"

void map_file_set_up(struct map_file *file)
{
	file->fd = file->map.fd = -1;
}

void map_file_tear_down(struct map_file *file)
{
	perf_map_done(&file->map);
	buf_done(&file->bytes);
	closep(&file->fd);
}

void map_file_open(struct map_file *file, const void *bytes, size_t nr)
{
	file->fd = memory_file(bytes, nr);
	assert_int_equal(perf_map_open(&file->map, file->fd), 0);
}

void map_file_write(struct map_file *file, size_t at, const void *bytes, size_t nr)
{
	assert_int_equal(pwrite(file->fd, bytes, nr, (off_t)at), nr);
	assert_int_equal(perf_map_update(&file->map), 0);
}

static const char *name_of(void *context, uint64_t address)
{
	static char text[NAME_MAX_BYTES + 1];
	const struct perf_map *map = context;
	const struct perf_map_entry *entry = perf_map_lookup(map, address);
	char scratch[NAME_MAX_BYTES];

	return name_text(entry ? perf_map_name(map, entry, scratch) : (struct name){ "", 0 }, text);
}

const char *map_file_name(struct map_file *file, uint64_t address)
{
	return name_of(&file->map, address);
}

void expect_map(struct map_file *file, uint64_t first, uint64_t last, const char *expected)
{
	expect_extents(name_of, &file->map, first, last, expected);
	assert_string_equal(name_of(&file->map, 0), "");
	assert_string_equal(name_of(&file->map, UINT64_MAX), "");
}
