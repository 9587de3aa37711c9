/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A perf map: the file in which a JIT compiler lists its functions. It appends a line "START SIZE NAME" for each, with
 * hexadecimal numbers (Linux, tools/perf/Documentation/jit-interface.txt). Compilers use memory again: where entries
 * overlap, the later line counts.
 *
 * The file grows while it is read, and anyone may have written it. A last line without a newline is left for the next
 * update, and invalid lines are skipped. Names stay in the file. At most 256 MB (of a jitdump 4 GB) and 3 M entries are
 * read. A larger map is truncated, and then has no entries.
 *
 * A file that begins like a jitdump is read as one (Linux, tools/perf/Documentation/jitdump-specification.txt), by the same
 * rules. Two of its binary records are used: "code was loaded", with the name and a copy of the code, and "code was moved".
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/vec.h"
#include "symbolize/elf/names.h"

struct perf_map_entry {
	uint64_t start;
	uint32_t size;
	uint32_t name; /* position in the file */
};

/* A "code was loaded" record of a jitdump. */
struct perf_map_code {
	uint64_t code;  /* the compiler's number for it */
	uint32_t entry; /* index into perf_map.entries */
};

#define PERF_MAP_LISTED_AGAIN (1u << 31)

struct perf_map {
	int fd; /* a duplicate, closed by perf_map_done() */
	bool is_dump; /* a jitdump */
	bool is_cut; /* truncated: the rest may replace any entry, so there are none */
	bool in_long_line; /* `done` is inside a line that is too long */
	uint64_t done; /* bytes read so far: complete lines, or records */
	VEC(struct perf_map_entry) entries; /* in the order of the file */
	VEC(struct perf_map_code) codes; /* by ascending code */
	VEC(uint64_t) bounds; /* addresses where the owner changes, ascending */
	/*
	 * 1 + the index of the entry that [bounds[i], bounds[i + 1]) belongs to, and PERF_MAP_LISTED_AGAIN if another one covers it too; 0:
	 * none
	 */
	VEC(uint32_t) owners;
};

/* Reads the map, and duplicates the descriptor. 0, -ENOMEM or -EMFILE: then the map is not open. */
int perf_map_open(struct perf_map *map, int fd);
void perf_map_done(struct perf_map *map);

/* Reads what was appended since; reads everything again if the file has become shorter. 0 or -ENOMEM. */
int perf_map_update(struct perf_map *map);

/* The entry that an address belongs to, or NULL; valid until the next update. */
const struct perf_map_entry *perf_map_lookup(const struct perf_map *map, uint64_t address);
/*
 * Whether several entries cover an address: it may have belonged to another function before. An entry that follows one of the same range
 * and name does not count.
 */
bool perf_map_is_listed_again(const struct perf_map *map, uint64_t address);
/* Reads the name of an entry from the file into `scratch`; it is empty if it cannot be read any more. */
struct name perf_map_name(const struct perf_map *map, const struct perf_map_entry *entry, char scratch[NAME_MAX_BYTES]);
