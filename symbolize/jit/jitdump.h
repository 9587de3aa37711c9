/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A jitdump: the other way in which a JIT compiler names its code (Linux,
 * tools/perf/Documentation/jitdump-specification.txt). Records in binary, appended as code is made: code was loaded,
 * with its name and a copy of it, or it was moved. Everything else (lines, unwinding information, the end) is passed
 * over by its length.
 *
 * What is read becomes entries of a perf map, so that memory that is used again belongs to its newest code here, too.
 */
#pragma once

#include <stdbool.h>

#include "symbolize/jit/perf_map.h"

/* Whether the file begins as a jitdump of this machine's byte order. */
bool jitdump_is(int fd);

/*
 * Reads the records that are complete and were not read before. A record that is shorter than what it must hold ends
 * the reading for good: nothing tells where the next one begins. 0 or -ENOMEM.
 */
int jitdump_read(struct perf_map *map);

/* How many bytes a name may have, by the record that it is in; 0 when that cannot be read any more. */
size_t jitdump_name_room(const struct perf_map *map, const struct perf_map_entry *entry);
