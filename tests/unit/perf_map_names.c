// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/perf_map_names.h"

#include <string.h>

const char *perf_map_text_at(const struct perf_map *map, uint64_t address, char *text)
{
	const struct perf_map_entry *entry = perf_map_lookup(map, address);
	char scratch[NAME_MAX_BYTES];
	struct name name = { "", 0 };

	if (entry)
		name = perf_map_name(map, entry, scratch);
	memcpy(text, name.text, name.nr_bytes);
	text[name.nr_bytes] = '\0';
	return text;
}
