/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/session/look_pages.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

enum {
	PAGE_BYTES = 4096,
	PAGES_MAX = 1024,
	PAGES_BEFORE = 12, /* that are copied with a needed page: the caller's frame is often below */
	PAGES_AROUND = 16,
};

struct page {
	uint64_t at;
	bool is_there;
	uint8_t bytes[PAGE_BYTES];
};

struct look_pages {
	struct look_memory *memory;
	bool (*is_over)(void *context);
	void *context;
	uint32_t tgid, tid;
	struct page *pages; /* array of PAGES_MAX; NULL: none was needed yet */
	size_t nr, next, last; /* number of pages; the next one to replace; the last one found */
	size_t nr_left; /* number that may still be copied */
};

struct look_pages *look_pages_new(struct look_memory *memory, bool (*is_over)(void *context), void *context)
{
	struct look_pages *pages = xcalloc(1, sizeof(*pages));

	pages->memory = memory;
	pages->is_over = is_over;
	pages->context = context;
	return pages;
}

void look_pages_free(struct look_pages *pages)
{
	free(pages->pages);
	free(pages);
}

void look_pages_begin(struct look_pages *pages, const struct st_look *look, size_t max)
{
	pages->tgid = look->tgid;
	pages->tid = look->tid;
	pages->nr = pages->next = 0;
	pages->nr_left = max;
}

static const struct page *find_page(struct look_pages *pages, uint64_t at)
{
	if (pages->last < pages->nr && pages->pages[pages->last].at == at)
		return &pages->pages[pages->last];
	for (size_t i = 0; i < pages->nr; i++) {
		if (pages->pages[i].at != at)
			continue;
		pages->last = i;
		return &pages->pages[i];
	}
	return NULL;
}

static void copy_pages(struct look_pages *pages, struct look_request *requests, size_t nr)
{
	if (pages->nr_left && pages->is_over(pages->context))
		pages->nr_left = 0;
	nr = nr < pages->nr_left ? nr : pages->nr_left;
	if (!nr)
		return;
	pages->nr_left -= nr;
	if (!pages->pages)
		pages->pages = xcalloc(PAGES_MAX, sizeof(*pages->pages));
	look_memory_copy(pages->memory, requests, nr);
	for (size_t i = 0; i < nr; i++) {
		struct page *page = &pages->pages[pages->next];

		page->at = requests[i].at;
		page->is_there = requests[i].got == PAGE_BYTES;
		if (page->is_there)
			memcpy(page->bytes, requests[i].bytes, PAGE_BYTES);
		pages->next = (pages->next + 1) % PAGES_MAX;
		pages->nr += pages->nr < PAGES_MAX;
	}
}

void look_pages_expect(struct look_pages *pages, const uint64_t *addresses, size_t nr)
{
	struct look_request requests[LOOK_REQUESTS_MAX];
	size_t nr_requests = 0;

	for (size_t i = 0; i < nr; i++) {
		uint64_t at = addresses[i] & ~(PAGE_BYTES - 1ULL);
		bool is_known = find_page(pages, at);

		for (size_t k = 0; k < nr_requests; k++)
			is_known |= requests[k].at == at;
		if (is_known)
			continue;
		requests[nr_requests++] = (struct look_request){ pages->tgid, pages->tid, at, PAGE_BYTES, 0, NULL };
		if (nr_requests < LOOK_REQUESTS_MAX)
			continue;
		copy_pages(pages, requests, nr_requests);
		nr_requests = 0;
	}
	copy_pages(pages, requests, nr_requests);
}

/* The page, which is copied if it is not there. NULL: it cannot be read. */
static const struct page *page_at(struct look_pages *pages, uint64_t at)
{
	const struct page *page = find_page(pages, at);
	uint64_t around[PAGES_AROUND] = { at };
	size_t nr = 1;

	if (!page) {
		for (uint64_t i = 0; i < PAGES_AROUND; i++)
			if (i != PAGES_BEFORE)
				around[nr++] = at + (i - PAGES_BEFORE) * PAGE_BYTES;
		look_pages_expect(pages, around, nr);
		page = find_page(pages, at);
	}
	return page && page->is_there ? page : NULL;
}

bool look_pages_read(struct look_pages *pages, uint64_t at, void *to, size_t nr)
{
	uint8_t *bytes = to;

	while (nr) {
		size_t inside = at % PAGE_BYTES, step = PAGE_BYTES - inside < nr ? PAGE_BYTES - inside : nr;
		const struct page *page = page_at(pages, at - inside);

		if (!page)
			return false;
		memcpy(bytes, page->bytes + inside, step);
		bytes += step;
		at += step;
		nr -= step;
	}
	return true;
}
