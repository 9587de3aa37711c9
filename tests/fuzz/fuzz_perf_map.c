/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perf maps from anyone, read in two parts as they grow: whatever is found covers the address. */
#include "symbolize/jit/perf_map.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(closep) int fd = fuzz_file(data, size / 2);
	char scratch[NAME_MAX_BYTES];
	struct perf_map map;

	if (fd < 0 || perf_map_open(&map, fd))
		return 0;
	if (pwrite(fd, data + size / 2, size - size / 2, (off_t)(size / 2)) < 0 || perf_map_update(&map))
		map.owners.nr = 0;
	for (size_t i = 0; i < map.bounds.nr; i++) {
		const struct perf_map_entry *entry = perf_map_lookup(&map, map.bounds.data[i]);

		if (entry && (map.bounds.data[i] - entry->start >= entry->size ||
			      perf_map_name(&map, entry, scratch).nr_bytes > NAME_MAX_BYTES))
			__builtin_trap();
	}
	perf_map_done(&map);
	return 0;
}
