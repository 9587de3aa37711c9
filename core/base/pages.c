/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/pages.h"

#include <stdlib.h>
#include <string.h>

enum {
	PAGED_MIN = 64, /* elements from which on pages are made */
	USUAL = 4, /* elements on a page, if they lie evenly */
};

static uint32_t start_at(const void *elements, size_t i, size_t element_bytes)
{
	uint32_t start;

	memcpy(&start, (const char *)elements + i * element_bytes, sizeof(start));
	return start;
}

void pages_make(struct pages *pages, const void *elements, size_t nr, size_t element_bytes)
{
	uint32_t last = nr ? start_at(elements, nr - 1, element_bytes) : 0;
	size_t page = 0;

	pages_done(pages);
	if (nr < PAGED_MIN)
		return;
	while (last >> pages->shift > nr / USUAL)
		pages->shift++;
	pages->nr = (last >> pages->shift) + 2;
	pages->before = reallocarray(NULL, pages->nr, sizeof(*pages->before));
	for (size_t i = 0; pages->before && i < nr; i++)
		while (page <= start_at(elements, i, element_bytes) >> pages->shift)
			pages->before[page++] = (uint32_t)i;
	if (pages->before)
		pages->before[page] = (uint32_t)nr;
}

void pages_done(struct pages *pages)
{
	free(pages->before);
	*pages = (struct pages){};
}

void pages_narrow(const struct pages *pages, uint64_t place, size_t *first, size_t *nr)
{
	uint64_t page = place >> pages->shift;

	if (!pages->before)
		return;
	*first = page < pages->nr ? pages->before[page] : *nr;
	if (page < pages->nr - 1)
		*nr = pages->before[page + 1];
	*nr -= *first;
}
