/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jitdumps from anyone, read in two parts as they grow: whatever is found covers the address, and its name is in its
 * record.
 */
#include "symbolize/jit/perf_map.h"
#include "tests/fuzz/fuzz.h"

/* The bytes of a name by the size that its record has, which stands 52 bytes before it and counts 56 that come first. */
static size_t name_room(const struct perf_map *map, const struct perf_map_entry *entry)
{
	uint32_t size = 0;

	if (pread(map->fd, &size, sizeof(size), (off_t)entry->name - 52) != sizeof(size) || size < 56)
		return 0;
	return size - 56;
}

static void look_at(const struct perf_map *map, uint64_t address)
{
	const struct perf_map_entry *entry = perf_map_lookup(map, address);
	char scratch[NAME_MAX_BYTES];

	if (entry && (address - entry->start >= entry->size ||
		      perf_map_name(map, entry, scratch).nr_bytes > name_room(map, entry)))
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char magic[] = { 'D', 'T', 'i', 'J' };
	_cleanup_(closep) int fd = fuzz_file(data, size / 2);
	struct perf_map map;

	if (size / 2 < sizeof(magic) || memcmp(data, magic, sizeof(magic)) || fd < 0 || perf_map_open(&map, fd))
		return 0;
	if (pwrite(fd, data + size / 2, size - size / 2, (off_t)(size / 2)) < 0 || perf_map_update(&map))
		map.owners.nr = 0;
	for (size_t i = 0; i < map.bounds.nr; i++)
		look_at(&map, map.bounds.data[i]);
	perf_map_done(&map);
	return 0;
}
