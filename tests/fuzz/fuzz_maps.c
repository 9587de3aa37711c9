/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/maps: every name in it is chosen by the process. The table of mappings gets whatever is found. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/files/proc_maps.h"
#include "core/spaces/mappings.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mappings *mappings = mappings_new();
	int fd = memfd_create("maps", 0);

	if (fd >= 0 && write(fd, data, size) == (ssize_t)size) {
		lseek(fd, 0, SEEK_SET);
		proc_maps_read(fd, visit, &mappings);
	}
	close(fd);
	mappings_free(mappings);
	return 0;
}
