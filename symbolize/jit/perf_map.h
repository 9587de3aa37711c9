/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A perf map: the file in which a JIT compiler lists its functions, with lines "START SIZE NAME" in hexadecimal that
 * are appended as code is made (Linux, tools/perf/Documentation/jit-interface.txt). Memory is used again, so of entries
 * that overlap the later one counts.
 *
 * The file grows while it is read, and anyone may have written it: a last line without its newline is left for the next
 * time, what is no entry is skipped, and names stay in the file. At most 256 MB (of a jitdump 4 GB) and 3 M entries are
 * read; a larger map is cut.
 *
 * A file that begins as a jitdump is read as one, with the same rules (Linux,
 * tools/perf/Documentation/jitdump-specification.txt). It has binary records: code was loaded, with its name and a copy
 * of it, or moved. Other records (lines, unwinding information, the end) are skipped.
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

/* Code of a jitdump, by the compiler's number for it. */
struct perf_map_code {
	uint64_t code;
	uint32_t entry; /* its position */
};

struct perf_map {
	int fd; /* ours */
	bool is_dump;
	bool is_cut; /* the file has more than is read, which may replace any entry: no name is certain */
	bool in_long_line; /* what was read last is a part of a line that is too long */
	uint64_t done; /* bytes of whole lines, or records, that were read */
	VEC(struct perf_map_entry) entries; /* in the order of the file */
	VEC(struct perf_map_code) codes; /* in order */
	VEC(uint64_t) bounds; /* where the owner changes, in order */
	VEC(uint32_t) owners; /* 1 + the entry that [bounds[i], bounds[i + 1]) belongs to; 0 none */
};

/* Reads the map; keeps a descriptor of its own. -ENOMEM or -EMFILE. */
int perf_map_open(struct perf_map *map, int fd);
void perf_map_done(struct perf_map *map);

/* Reads what was added since; everything anew when the file is shorter than it was. -ENOMEM. */
int perf_map_update(struct perf_map *map);

/* The entry that an address belongs to, or NULL; and its name, "" when it cannot be read any more. */
const struct perf_map_entry *perf_map_lookup(const struct perf_map *map, uint64_t address);
struct name perf_map_name(const struct perf_map *map, const struct perf_map_entry *entry, char scratch[NAME_MAX_BYTES]);
