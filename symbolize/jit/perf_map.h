/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A perf map: the file in which a JIT compiler lists its functions. It appends a line "START SIZE NAME" for each, with hexadecimal numbers
 * (Linux, tools/perf/Documentation/jit-interface.txt). Compilers reuse memory: where entries overlap, the later line counts.
 *
 * The file grows while it is read, and anyone may have written it. A last line without newline is left for the next update, invalid lines
 * are skipped. Names stay in the file. At most 256 MB (jitdump: 4 GB) and 3 M entries are read; a larger map is cut, and then has no
 * entries.
 *
 * A file that begins like a jitdump is read as one (Linux, tools/perf/Documentation/jitdump-specification.txt), by the same rules. Two of
 * its records are used: "code was loaded", with the name and a copy of the code, and "code was moved".
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"
#include "symbolize/elf/names.h"

struct perf_map_entry {
	uint64_t start;
	uint32_t size;
	uint32_t name; /* file offset */
};

/* A "code was loaded" record of a jitdump. */
struct perf_map_code {
	uint64_t code;  /* the compiler's number */
	uint32_t entry; /* index into perf_map.entries */
};

#define PERF_MAP_LISTED_AGAIN (1u << 31)

struct perf_map {
	int fd; /* a duplicate */
	bool is_dump; /* a jitdump */
	bool is_cut; /* the unread rest may replace any entry, so there are none */
	bool in_long_line; /* `done` is inside an overlong line */
	uint64_t done; /* bytes read: complete lines, or records */
	VEC(struct perf_map_entry) entries; /* in file order */
	VEC(struct perf_map_code) codes; /* by ascending code */
	VEC(uint64_t) bounds; /* addresses where the owner changes, ascending */
	/*
	 * 1 + index of the entry that owns [bounds[i], bounds[i + 1]), with PERF_MAP_LISTED_AGAIN if another entry covers it too; 0: none.
	 */
	VEC(uint32_t) owners;
};

/* Reads the map, and duplicates the descriptor. Returns 0, or -ENOMEM or -EMFILE with the map not open. */
int perf_map_open(struct perf_map *map, int fd);
void perf_map_done(struct perf_map *map);

/* Reads what was appended; everything, if the file has become shorter. Returns 0 or -ENOMEM. */
int perf_map_update(struct perf_map *map);

/* The entry that owns an address, or NULL; valid until the next update. */
const struct perf_map_entry *perf_map_lookup(const struct perf_map *map, uint64_t address);
/*
 * Whether several entries cover an address, so that it may have been another function before. An entry that repeats range and name of the
 * one before it does not count.
 */
bool perf_map_is_listed_again(const struct perf_map *map, uint64_t address);
/* Reads the name of an entry into `scratch`; empty if that fails. */
struct name perf_map_name(const struct perf_map *map, const struct perf_map_entry *entry, char scratch[NAME_MAX_BYTES]);
