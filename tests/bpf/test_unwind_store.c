// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where unwind tables are kept for programs: when the kernel does not go along, and when there is less to keep.
 */

#include <bpf/bpf.h>

#include "bpf/unwind_space.h"
#include "core/base/alloc.h"
#include "core/unwind/unwind_store.h"
#include "symbolize/cfi/unwind_compile.h"
#include "symbolize/elf/elf_file.h"
#include "tests/harness.h"

static void make_own_table(struct unwind_table *table)
{
	_cleanup_(closep) int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct elf_file elf = {};

	assert_int_equal(elf_file_open(&elf, fd), 0);
	assert_int_equal(unwind_compile(&elf, table), 0);
	elf_file_done(&elf);
}

/* If a slab cannot be put into the map of the programs, it is not used, and the caller gets the error. */
TEST(a_slab_that_cannot_be_put_is_told)
{
	struct unwind_store_options options = { .max_bytes = 64 << 20, .first_slab = -1, .slabs = -1, .processes = -1 };
	struct unwind_store *store = unwind_store_new(&options);
	_cleanup_(unwind_table_done) struct unwind_table table = {};
	uint32_t number;
	int err = 0;

	make_own_table(&table);
	while (!err)
		err = unwind_store_add(store, &table, &number);
	assert_int_equal(err, -EBADF);
	assert_int_equal(unwind_store_settle(store), -EBADF);
	unwind_store_free(store);
}

/* ---- with maps of the kernel ---- */

enum {
	NR_SLABS = 8,
	MAX_TABLES = 8192,
};

struct stage {
	struct unwind_store_options options;
	struct unwind_store *store;
	struct unwind_table table;
	uint32_t numbers[MAX_TABLES];
	size_t nr;
};

static void set_up(struct stage *stage)
{
	LIBBPF_OPTS(bpf_map_create_opts, inner, .map_flags = BPF_F_MMAPABLE);
	LIBBPF_OPTS(bpf_map_create_opts, outer);
	_cleanup_(closep) int like =
		bpf_map_create(BPF_MAP_TYPE_ARRAY, "st_like", sizeof(uint32_t), ST_SLAB_BYTES, 1, &inner);

	outer.inner_map_fd = (uint32_t)like;
	stage->options = (struct unwind_store_options){
		.max_bytes = NR_SLABS * ST_SLAB_BYTES,
		.first_slab = -1,
		.slabs = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "st_slabs", sizeof(uint32_t), sizeof(uint32_t),
					ST_MAX_SLABS, &outer),
		.processes = bpf_map_create(BPF_MAP_TYPE_HASH, "st_processes", sizeof(uint32_t),
					    sizeof(struct st_unwind_process), 16, NULL),
	};
	assert_true(stage->options.slabs >= 0 && stage->options.processes >= 0);
	stage->store = unwind_store_new(&stage->options);
	make_own_table(&stage->table);
}

static void tear_down(struct stage *stage)
{
	unwind_store_free(stage->store);
	unwind_table_done(&stage->table);
	close(stage->options.slabs);
	close(stage->options.processes);
}

static int open_slab(const struct stage *stage, uint32_t slot)
{
	uint32_t id;

	return bpf_map_lookup_elem(stage->options.slabs, &slot, &id) ? -errno : bpf_map_get_fd_by_id(id);
}

/* How many slabs programs find. */
static size_t nr_slabs(struct stage *stage)
{
	size_t nr = 0;

	assert_int_equal(unwind_store_settle(stage->store), 0);
	for (uint32_t slot = 0; slot < 64; slot++) {
		_cleanup_(closep) int fd = open_slab(stage, slot);

		nr += fd >= 0;
	}
	return nr;
}

static void fill(struct stage *stage)
{
	int err = 0;

	while (!err && stage->nr < MAX_TABLES) {
		err = unwind_store_add(stage->store, &stage->table, &stage->numbers[stage->nr]);
		stage->nr += !err;
	}
	assert_int_equal(err, -ENOSPC);
}

static void remove_from(struct stage *stage, size_t first)
{
	for (size_t i = first; i < stage->nr; i++)
		unwind_store_remove(stage->store, stage->numbers[i]);
	stage->nr = first;
}

/* Each step waits for one grace period: one for what was removed, one for each slab. */
static void tidy(struct stage *stage)
{
	for (int i = 0; i < 64; i++) {
		assert_int_equal(unwind_store_tidy(stage->store), 0);
		assert_int_equal(unwind_store_settle(stage->store), 0);
	}
}

/* The first rows that a program finds by this process are those of the table. */
static void assert_table_is_found(struct stage *stage, uint32_t number)
{
	const struct unwind_space_mapping mapping = { .start = 1ull << 30, .end = 1ull << 31, .table = number };
	_cleanup_(freep) struct st_slab *slab = xcalloc(1, sizeof(*slab));
	struct unwind_process process = { .tgid = 7 };
	struct st_unwind_process entry;
	struct st_space_mapping found;
	uint32_t zero = 0, page = 0, place;
	int fd;

	assert_int_equal(unwind_store_set_process(stage->store, &process, &mapping, 1), 0);
	assert_int_equal(unwind_store_settle(stage->store), 0);
	assert_int_equal(bpf_map_lookup_elem(stage->options.processes, &process.tgid, &entry), 0);
	place = ST_SPACE_PLACE(entry.space);
	fd = open_slab(stage, place / ST_SLAB_LONGS);
	assert_int_equal(bpf_map_lookup_elem(fd, &zero, slab), 0);
	close(fd);
	memcpy(&found, slab->longs + place % ST_SLAB_LONGS, sizeof(found));
	assert_true(found.nr_pages);
	fd = open_slab(stage, found.head / ST_SLAB_LONGS);
	assert_int_equal(bpf_map_lookup_elem(fd, &zero, slab), 0);
	close(fd);
	while (!ST_UNWIND_PAGE_NR(stage->table.pages.data[page]))
		page++;
	place = ST_UNWIND_PAGE_FIRST(((st_unwind_page *)(slab->longs + found.head % ST_SLAB_LONGS))[page]);
	fd = open_slab(stage, place / ST_SLAB_WORDS);
	assert_int_equal(bpf_map_lookup_elem(fd, &zero, slab), 0);
	close(fd);
	assert_memory_equal(slab->words + place % ST_SLAB_WORDS,
			    stage->table.rows.data + ST_UNWIND_PAGE_FIRST(stage->table.pages.data[page]),
			    ST_UNWIND_PAGE_NR(stage->table.pages.data[page]) * sizeof(uint32_t));
	unwind_store_remove_process(stage->store, &process);
}

/* What no process needs goes back to the kernel, but for one slab beside the first, and slots are used again. */
TEST_WITH(struct stage, stage, slabs_that_hold_nothing_are_given_back, set_up, tear_down)
{
	size_t nr;

	for (int round = 0; round < 3; round++) {
		fill(stage);
		nr = stage->nr;
		assert_int_equal(nr_slabs(stage), NR_SLABS);
		remove_from(stage, 1);
		tidy(stage);
		assert_true(nr_slabs(stage) <= 3);
		assert_table_is_found(stage, stage->numbers[0]);
		remove_from(stage, 0);
		assert_int_equal(unwind_store_bytes(stage->store), 0);
	}
	fill(stage);
	assert_true(stage->nr >= nr - 1);
}

/* A slab that is on its way out is not room yet; who needs it waits for it. */
TEST_WITH(struct stage, stage, room_is_found_while_slabs_are_given_back, set_up, tear_down)
{
	size_t nr;

	fill(stage);
	nr = stage->nr;
	remove_from(stage, 0);
	assert_int_equal(unwind_store_settle(stage->store), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(unwind_store_tidy(stage->store), 0);
		assert_int_equal(unwind_store_settle(stage->store), 0);
	}
	assert_int_equal(unwind_store_tidy(stage->store), 0);
	fill(stage);
	assert_true(stage->nr >= nr - 1); /* a hole that a directory filled may be too small for the other pieces */
	remove_from(stage, stage->nr - 1);
	assert_table_is_found(stage, stage->numbers[stage->nr - 1]);
}
