// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where unwind tables are kept for programs, when the kernel does not go along.
 */

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

/* A slab that programs cannot be shown is no room: who asks for some next is told. */
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
