/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/unwind/code_blocks.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/files/foreign_memory.h"

/* Before each block: its size with this header, and that of the block before it, 0 before the first one. */
struct header {
	uint64_t size, before;
};

enum {
	SIZE_FREE = 0, /* a block that is not in use has its size after the header and two pointers */
	SIZE_END = 1, /* the last header of a chunk */
	SIZE_AT = 32,
	SIZE_MIN = 2 * sizeof(struct header),
	PAGE = 4096,
};

static size_t nr_kept; /* bytes of all copies */

void code_copy_done(struct code_copy *copy)
{
	if (copy->is_counted)
		nr_kept -= copy->nr;
	free(copy->bytes);
	vec_done(&copy->blocks);
	*copy = (struct code_copy){};
}

/* Reads the header at `at` of `nr` bytes; *ret_size has the size of its block. False if no block can be there. */
static bool read_header(const uint8_t *bytes, size_t nr, size_t at, struct header *ret_header, uint64_t *ret_size)
{
	if (nr - at < sizeof(*ret_header))
		return false;
	memcpy(ret_header, bytes + at, sizeof(*ret_header));
	*ret_size = ret_header->size;
	if (ret_header->size == SIZE_END)
		return true;
	if (ret_header->size == SIZE_FREE && nr - at >= SIZE_AT + sizeof(*ret_size))
		memcpy(ret_size, bytes + at + SIZE_AT, sizeof(*ret_size));
	return *ret_size >= SIZE_MIN && !(*ret_size & 7);
}

/* The end of the chunk at `at`, whose blocks are added. 0 if none is there, or it is being changed. */
static size_t find_chunk(struct code_copy *copy, size_t at, int *ret_err)
{
	uint64_t before = 0, size;
	struct header header;

	while (read_header(copy->bytes, copy->nr, at, &header, &size) && header.before == before) {
		if (header.size == SIZE_END)
			return before && !((at + sizeof(header)) % PAGE) ? at + sizeof(header) : 0;
		if (size > copy->nr - at)
			return 0;
		if (header.size != SIZE_FREE)
			*ret_err = *ret_err
					   ?: vec_try_push(&copy->blocks,
							   (struct code_block){ at + sizeof(header), at + size });
		before = size;
		at += size;
	}
	return 0;
}

int code_blocks_find(struct code_copy *copy)
{
	size_t at = 0, end, nr = 0;
	int err = 0;

	copy->blocks.nr = 0;
	while (!err && (end = find_chunk(copy, at, &err))) {
		nr = copy->blocks.nr;
		at = end;
	}
	copy->blocks.nr = nr; /* without those of a chunk that is not whole */
	return err ?: at ? 0 : -ENODATA;
}

_Static_assert(CODE_BLOCKS_BEGIN_BYTES == SIZE_AT + sizeof(uint64_t),
	       "the first header, and the size of a block not in use");

bool code_blocks_may_begin(const uint8_t begin[CODE_BLOCKS_BEGIN_BYTES], size_t nr)
{
	struct header header;
	uint64_t size;

	return read_header(begin, CODE_BLOCKS_BEGIN_BYTES, 0, &header, &size) && !header.before &&
	       header.size != SIZE_END && size < nr;
}

int code_blocks_read(uint32_t tgid, uint64_t start, uint64_t end, struct code_copy *ret_copy)
{
	_cleanup_(code_copy_done) struct code_copy copy = { .nr = (size_t)(end - start) };
	uint8_t begin[CODE_BLOCKS_BEGIN_BYTES];
	int err;

	if (end <= start || copy.nr < sizeof(begin))
		return -ENODATA;
	err = foreign_memory_read(tgid, start, begin, sizeof(begin));
	if (err || !code_blocks_may_begin(begin, copy.nr))
		return err ?: -ENODATA;
	if (copy.nr > CODE_BLOCKS_BYTES_MAX || copy.nr > CODE_COPIES_BYTES_MAX - nr_kept)
		return -E2BIG;
	copy.bytes = malloc(copy.nr);
	if (!copy.bytes)
		return -ENOMEM;
	copy.is_counted = true;
	nr_kept += copy.nr;
	err = foreign_memory_read(tgid, start, copy.bytes, copy.nr);
	err = err ?: code_blocks_find(&copy);
	if (err)
		return err;
	*ret_copy = copy;
	copy = (struct code_copy){};
	return 0;
}

bool code_blocks_same(const struct code_copy *before, const struct code_copy *now, size_t place)
{
	size_t i = vec_nr_first(&before->blocks, one, one->start <= place);
	const struct code_block *block = i ? &before->blocks.data[i - 1] : NULL;

	if (!block || place >= block->end)
		return true;
	return block->end <= now->nr &&
	       !memcmp(before->bytes + block->start, now->bytes + block->start, block->end - block->start);
}

/* ---- the file ---- */

enum {
	CODE_AT = PAGE, /* in the file */
	NR_SECTIONS = 3, /* none, symbols, their names */
};

/* The file has its header, that of the code, the code, the symbols, and the headers of sections. */
static int write_image(int fd, const struct code_copy *copy, const Elf64_Sym *symbols, uint8_t *code)
{
	const size_t nr_symbols = copy->blocks.nr + 1, symbols_at = CODE_AT + copy->nr,
		     sections_at = symbols_at + nr_symbols * sizeof(*symbols);
	const struct {
		Elf64_Ehdr file;
		Elf64_Phdr segment;
	} head = {
		.file = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			  .e_type = ET_DYN,
			  .e_machine = EM_X86_64,
			  .e_version = EV_CURRENT,
			  .e_phoff = sizeof(Elf64_Ehdr),
			  .e_shoff = sections_at,
			  .e_ehsize = sizeof(Elf64_Ehdr),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 1,
			  .e_shentsize = sizeof(Elf64_Shdr),
			  .e_shnum = NR_SECTIONS },
		.segment = { .p_type = PT_LOAD,
			     .p_flags = PF_R | PF_X,
			     .p_offset = CODE_AT,
			     .p_filesz = copy->nr,
			     .p_memsz = copy->nr,
			     .p_align = PAGE },
	};
	const Elf64_Shdr sections[NR_SECTIONS] = {
		[1] = { .sh_type = SHT_SYMTAB,
			.sh_offset = symbols_at,
			.sh_size = nr_symbols * sizeof(*symbols),
			.sh_entsize = sizeof(*symbols),
			.sh_link = 2 },
		[2] = { .sh_type = SHT_STRTAB, .sh_offset = symbols_at, .sh_size = 1 }, /* the first symbol is 0 */
	};

	for (size_t i = 0; i < copy->blocks.nr; i++) {
		const struct code_block *block = &copy->blocks.data[i];

		memcpy(code + block->start, copy->bytes + block->start, block->end - block->start);
	}
	if (pwrite(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    pwrite(fd, code, copy->nr, CODE_AT) != (ssize_t)copy->nr ||
	    pwrite(fd, symbols, nr_symbols * sizeof(*symbols), (off_t)symbols_at) !=
		    (ssize_t)(nr_symbols * sizeof(*symbols)) ||
	    pwrite(fd, sections, sizeof(sections), (off_t)sections_at) != sizeof(sections))
		return -errno ?: -EIO;
	return 0;
}

int code_blocks_image(const struct code_copy *copy)
{
	_cleanup_(closep) int fd = memfd_create("code", MFD_CLOEXEC);
	_cleanup_(freep) Elf64_Sym *symbols = calloc(copy->blocks.nr + 1, sizeof(*symbols));
	_cleanup_(freep) uint8_t *code = calloc(1, copy->nr);
	int err;

	if (fd < 0)
		return -errno;
	if (!symbols || !code)
		return -ENOMEM;
	for (size_t i = 0; i < copy->blocks.nr; i++)
		symbols[i + 1] = (Elf64_Sym){ .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
					      .st_shndx = SHN_ABS,
					      .st_value = copy->blocks.data[i].start };
	err = write_image(fd, copy, symbols, code);
	return err ?: take_fd(&fd);
}
