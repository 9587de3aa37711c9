/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of code that sljit has made: which are found, and what the symbol worker gets of them. */
#include <elf.h>
#include <sys/mman.h>

#include "core/base/cleanup.h"
#include "core/unwind/code_blocks.h"
#include "symbolize/cfi/unwind_compile.h"
#include "symbolize/elf/elf_file.h"
#include "tests/harness.h"
#include "tests/unwind_rule.h"

enum {
	CHUNK = 4096,
	FIRST = 16, /* where the code of the first block begins */
	FIRST_SIZE = 96, /* of the block, with its header */
	SECOND = FIRST + FIRST_SIZE,
	FREE_SIZE = CHUNK - 16 - 2 * FIRST_SIZE,
	SIZE_END = 1,
};

/* push %rbx; sub $16,%rsp; nop; add $16,%rsp; pop %rbx; ret */
static const uint8_t function[] = { 0x53, 0x48, 0x83, 0xec, 0x10, 0x90, 0x48, 0x83, 0xc4, 0x10, 0x5b, 0xc3 };

static uint8_t area[2 * CHUNK];

static void put_word(size_t at, uint64_t word)
{
	memcpy(area + at, &word, sizeof(word));
}

/* A chunk as sljit has it: two blocks in use, what is free, and the end. */
static void make_chunk(size_t at)
{
	memset(area + at, 0xcc, CHUNK);
	put_word(at, FIRST_SIZE);
	put_word(at + 8, 0);
	put_word(at + FIRST_SIZE, FIRST_SIZE);
	put_word(at + FIRST_SIZE + 8, FIRST_SIZE);
	memcpy(area + at + FIRST, function, sizeof(function));
	memcpy(area + at + SECOND, function, sizeof(function));
	put_word(at + 2 * FIRST_SIZE, 0);
	put_word(at + 2 * FIRST_SIZE + 8, FIRST_SIZE);
	put_word(at + 2 * FIRST_SIZE + 32, FREE_SIZE);
	put_word(at + CHUNK - 16, SIZE_END);
	put_word(at + CHUNK - 8, FREE_SIZE);
}

static size_t nr_found(size_t nr)
{
	struct code_copy copy = { .bytes = area, .nr = nr };
	int err = code_blocks_find(&copy);
	size_t nr_blocks = copy.blocks.nr;

	assert_int_equal(err, nr_blocks ? 0 : -ENODATA);
	for (size_t i = 0; i < nr_blocks; i++) {
		assert_int_equal(copy.blocks.data[i].start, CHUNK * (i / 2) + (i % 2 ? SECOND : FIRST));
		assert_int_equal(copy.blocks.data[i].end, copy.blocks.data[i].start + FIRST_SIZE - 16);
	}
	vec_done(&copy.blocks);
	return nr_blocks;
}

TEST(blocks_of_whole_chunks_are_found)
{
	make_chunk(0);
	memset(area + CHUNK, 0, CHUNK);
	assert_int_equal(nr_found(CHUNK), 2);
	assert_int_equal(nr_found(2 * CHUNK), 2);
	make_chunk(CHUNK);
	assert_int_equal(nr_found(2 * CHUNK), 4);
	assert_int_equal(nr_found(CHUNK - 1), 0);
	memset(area, 0, sizeof(area));
	assert_int_equal(nr_found(2 * CHUNK), 0);
}

/* Any word of a header that is not as it must be; what follows the chunk does not matter. */
TEST(a_chunk_that_does_not_fit_together_has_none)
{
	static const size_t headers[] = { 0, FIRST_SIZE, 2 * FIRST_SIZE, CHUNK - 16 };
	static const uint64_t wrong[] = { 1, 8, 17, 4, CHUNK, UINT64_MAX, UINT64_MAX - 7 };

	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++) {
		for (size_t k = 0; k < sizeof(wrong) / sizeof(*wrong); k++) {
			make_chunk(0);
			if (headers[i] != CHUNK - 16 || wrong[k] != SIZE_END) {
				put_word(headers[i], wrong[k]);
				assert_int_equal(nr_found(CHUNK), 0);
			}
			make_chunk(0);
			put_word(headers[i] + 8, wrong[k]);
			assert_int_equal(nr_found(CHUNK), 0);
		}
	}
	make_chunk(0);
	put_word(2 * FIRST_SIZE + 32, FREE_SIZE + 8);
	assert_int_equal(nr_found(CHUNK), 0);
}

TEST(a_block_is_compared_and_not_what_is_around_it)
{
	uint8_t before_bytes[CHUNK];
	struct code_copy before = { .bytes = before_bytes, .nr = CHUNK }, now = { .bytes = area, .nr = CHUNK };

	make_chunk(0);
	memcpy(before_bytes, area, CHUNK);
	assert_int_equal(code_blocks_find(&before), 0);
	area[SECOND + 3] ^= 1;
	assert_true(code_blocks_same(&before, &now, FIRST));
	assert_true(code_blocks_same(&before, &now, FIRST + FIRST_SIZE - 17));
	assert_false(code_blocks_same(&before, &now, SECOND));
	assert_false(code_blocks_same(&before, &now, SECOND + FIRST_SIZE - 17));
	assert_true(code_blocks_same(&before, &now, SECOND + FIRST_SIZE)); /* it is in none */
	now.nr = SECOND;
	assert_false(code_blocks_same(&before, &now, SECOND));
	vec_done(&before.blocks);
}

/* Each block has the rules of its instructions; what is free has none, whatever bytes are there. */
TEST(the_worker_makes_rows_of_the_blocks)
{
	struct code_copy copy = { .bytes = area, .nr = CHUNK };
	struct unwind_table table;
	struct elf_file elf;
	_cleanup_(closep) int fd = -1;

	make_chunk(0);
	memcpy(area + 2 * FIRST_SIZE + 64, function, sizeof(function));
	assert_int_equal(code_blocks_find(&copy), 0);
	fd = code_blocks_image(&copy);
	assert_true(fd >= 0);
	assert_int_equal(elf_file_open(&elf, fd), 0);
	assert_int_equal(unwind_compile(&elf, &table), 0);
	assert_true(unwind_table_is_valid(&table));
	for (size_t start = FIRST; start <= SECOND; start += FIRST_SIZE) {
		assert_int_equal(unwind_table_rule(&table, start).offset, 8);
		assert_int_equal(unwind_table_rule(&table, start + 1).offset, 16);
		assert_int_equal(unwind_table_rule(&table, start + 5).offset, 32);
		assert_int_equal(unwind_table_rule(&table, start + 11).offset, 8);
		assert_int_equal(unwind_table_rule(&table, start + 11).kind, ST_UNWIND_SP);
		assert_int_equal(unwind_table_rule(&table, start + sizeof(function)).kind, ST_UNWIND_INVALID);
	}
	assert_int_equal(unwind_table_rule(&table, 2 * FIRST_SIZE + 64).kind, ST_UNWIND_INVALID);
	unwind_table_done(&table);
	elf_file_done(&elf);
	vec_done(&copy.blocks);
}

TEST(they_are_read_from_a_process)
{
	const size_t nr = 2 * CODE_BLOCKS_BYTES_MAX;
	uint8_t *memory = mmap(NULL, nr, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t start = (uint64_t)(uintptr_t)memory;
	uint32_t tgid = (uint32_t)getpid();
	struct code_copy copy = {};

	assert_true(memory != MAP_FAILED);
	assert_int_equal(code_blocks_read(tgid, start, start + CHUNK, &copy), -ENODATA);
	make_chunk(0);
	memcpy(memory, area, CHUNK);
	assert_int_equal(code_blocks_read(tgid, start, start + 2 * CHUNK, &copy), 0);
	assert_int_equal(copy.blocks.nr, 2);
	assert_memory_equal(copy.bytes, area, CHUNK);
	code_copy_done(&copy);
	assert_int_equal(code_blocks_read(tgid, start, start + nr, &copy), -E2BIG);
	assert_int_equal(code_blocks_read(tgid, start, start, &copy), -ENODATA);
	munmap(memory, nr);
	assert_int_equal(code_blocks_read(tgid, start, start + CHUNK, &copy), -EFAULT);
	assert_null(copy.bytes);
}
