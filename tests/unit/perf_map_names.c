// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/perf_map_names.h"

#include "tests/unit/name_text.h"

const char *perf_map_text_at(const struct perf_map *map, uint64_t address, char *text)
{
	const struct perf_map_entry *entry = perf_map_lookup(map, address);
	char scratch[NAME_MAX_BYTES];

	return name_text(entry ? perf_map_name(map, entry, scratch) : (struct name){ "", 0 }, text);
}
