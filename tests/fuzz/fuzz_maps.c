/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/maps: every name in it is chosen by the process. The table of mappings gets whatever is found. */
#include "core/files/proc_maps.h"
#include "core/spaces/mappings.h"
#include "tests/fuzz/fuzz.h"

static void visit(void *context, const struct proc_mapping *found)
{
	struct mappings **mappings = context;
	struct mapping mapping = {
		.start = found->start,
		.end = found->end,
		.file_offset = found->file_offset,
		.since_ns = found->inode,
		.image = found->kind == MAPPING_ANONYMOUS ? IMAGE_ANONYMOUS : (uint32_t)strlen(found->path),
	};

	mappings_add(mappings, &mapping);
	if (mappings_find(*mappings, found->start, UINT64_MAX)->end <= found->start)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mappings *mappings = mappings_new();
	_cleanup_(closep) int fd = fuzz_file(data, size);

	if (!lseek(fd, 0, SEEK_SET))
		proc_maps_read(fd, visit, &mappings);
	mappings_free(mappings);
	return 0;
}
