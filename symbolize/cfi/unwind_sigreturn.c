/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/cfi/unwind_sigreturn.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"

#define CHUNK_BYTES 16384

static const struct stub {
	uint8_t code[9];
	size_t nr;
} stubs[] = {
	{ { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 }, 9 },
	{ { 0xb8, 15, 0, 0, 0, 0x0f, 0x05 }, 7 },
};

#define NR_STUBS (sizeof(stubs) / sizeof(stubs[0]))
#define STUB_MAX sizeof(stubs[0].code)

struct st_unwind_rule unwind_sigreturn_rule(void)
{
	/* offset of uc_mcontext in struct ucontext */
	return (struct st_unwind_rule){ .kind = ST_UNWIND_SIGNAL, .offset = 40 };
}

/* The first stub in a chunk, or NULL. */
static const uint8_t *find_in_chunk(const uint8_t *chunk, size_t nr, size_t *ret_nr)
{
	const uint8_t *first = NULL;

	for (size_t i = 0; i < NR_STUBS; i++) {
		const uint8_t *found = memmem(chunk, nr, stubs[i].code, stubs[i].nr);

		if (!found || (first && first <= found))
			continue;
		first = found;
		*ret_nr = stubs[i].nr;
	}
	return first;
}

bool unwind_sigreturn_find(const struct elf_file *elf, uint64_t start, uint64_t end, uint64_t *ret_start,
			   uint64_t *ret_end)
{
	const Elf64_Phdr *segment = elf_file_segment_at(elf, start, PF_X);
	_cleanup_(freep) uint8_t *chunk = NULL;
	uint64_t offset;
	size_t nr_found;

	if (start >= end || !segment)
		return false;
	if (end > segment->p_vaddr + segment->p_filesz)
		end = segment->p_vaddr + segment->p_filesz;
	offset = segment->p_offset + (start - segment->p_vaddr);
	chunk = malloc(CHUNK_BYTES);
	while (chunk && start < end && end - start >= stubs[NR_STUBS - 1].nr) {
		size_t nr = end - start < CHUNK_BYTES ? (size_t)(end - start) : CHUNK_BYTES;
		const uint8_t *found = elf_file_read(elf, offset, chunk, nr) ? NULL
									     : find_in_chunk(chunk, nr, &nr_found);

		if (found) {
			*ret_start = start + (uint64_t)(found - chunk);
			*ret_end = *ret_start + nr_found;
			return true;
		}
		if (nr < CHUNK_BYTES)
			break;
		start += nr - STUB_MAX; /* chunks overlap, because a stub may span two */
		offset += nr - STUB_MAX;
	}
	return false;
}
