/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "core/host/empty_uprobe.h"
#include "core/run/breakpoints.h"

/* Places of one file: by one link, or one by one where there are no links or one of the places is refused. */
static size_t heal(int fd, const unsigned long *offsets, size_t nr, int *ret_err)
{
	char path[32];
	size_t nr_refused = 0;
	int probe;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	probe = empty_uprobes_open(path, offsets, nr, getpid());
	empty_uprobe_close(probe);
	for (size_t i = 0; probe < 0 && i < nr; i++) {
		int one = empty_uprobe_open(path, offsets[i], getpid());

		empty_uprobe_close(one);
		*ret_err = one < 0 ? one : *ret_err;
		nr_refused += one < 0;
	}
	return nr_refused;
}

size_t breakpoints_heal(const struct breakpoints *found, int *ret_err)
{
	unsigned long offsets[EMPTY_UPROBES];
	size_t nr_refused = 0;

	for (uint32_t file = 0; file < found->files.nr; file++) {
		size_t nr = 0;

		for (size_t i = 0; i < found->places.nr; i++) {
			const struct broken_place *place = &found->places.data[i];

			if (place->file == file && !place->known)
				offsets[nr++] = place->offset;
			if (nr && (nr == EMPTY_UPROBES || i + 1 == found->places.nr)) {
				nr_refused += heal(found->files.data[file].fd, offsets, nr, ret_err);
				nr = 0;
			}
		}
	}
	return nr_refused;
}
