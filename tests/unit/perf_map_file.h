/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tests of perf maps and of jitdumps have in common: a file in memory, and the map that is read from it. */
#pragma once

#include "core/base/buf.h"
#include "symbolize/jit/perf_map.h"

struct map_file {
	struct perf_map map;
	struct buf bytes; /* of the file, as far as a test makes them itself */
	int fd;
};

void map_file_set_up(struct map_file *file);
void map_file_tear_down(struct map_file *file);

#define MAP_TEST(name) TEST_WITH(struct map_file, file, name, map_file_set_up, map_file_tear_down)

/* Reads a new file with these bytes. */
void map_file_open(struct map_file *file, const void *bytes, size_t nr);

/* Writes these at a place of the file, and reads what is new. */
void map_file_write(struct map_file *file, size_t at, const void *bytes, size_t nr);

/* The names of these addresses: extents.h. And of one. */
void expect_map(struct map_file *file, uint64_t first, uint64_t last, const char *expected);
const char *map_file_name(struct map_file *file, uint64_t address);
