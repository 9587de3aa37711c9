/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of the unwinder by itself: the tables of this process, and an event on this thread. Code must be without frame pointers. */
#pragma once

#include <execinfo.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "bpf/unwind_space.h"
#include "core/files/proc_maps.h"
#include "core/unwind/unwind_store.h"
#include "symbolize/cfi/unwind_compile.h"
#include "symbolize/elf/elf_file.h"
#include "tests/bpf/object.h"
#include "tests/harness.h"

#define LIVE 0
#define USER .want_user = 1, .task_access = TASK_ACCESS_PROBE_READ

static struct stage {
	struct object object;
	struct unwind_store *store;
	struct unwind_process process; /* this one */
	VEC(struct unwind_space_mapping) mappings;
	size_t nr_tables;
	/* what backtrace() said at the event, from the caller of fire() on */
	void *expected[4096];
	int nr_expected;
	unsigned int nr_compared;
	void (*change)(struct unwind_table *table); /* what tables are to be otherwise; NULL: nothing */
	void *top; /* of a stack to go on on */
} stage;

/* ---- tables of this process ---- */

static int open_mapping(const struct proc_mapping *found)
{
	int fd;

	if (found->kind == MAPPING_FILE)
		return open(found->path, O_RDONLY | O_CLOEXEC);
	if (found->kind != MAPPING_VDSO)
		return -1;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	assert_int_equal(write(fd, (void *)found->start, found->end - found->start), found->end - found->start);
	return fd;
}

static void add_mapping(void *context, const struct proc_mapping *found)
{
	struct unwind_space_mapping mapping = { found->start, found->end, found->file_offset, 0, UNWIND_NO_TABLE };
	struct unwind_table table = {};
	struct elf_file elf = {};
	uint64_t address = 0;
	int fd = open_mapping(found);

	if (fd >= 0 && !elf_file_open(&elf, fd) && !unwind_compile(&elf, &table)) {
		assert_int_equal(unwind_table_address_of_offset(&table, found->file_offset, &address), 0);
		mapping.to_address = address - found->file_offset;
		if (stage.change)
			stage.change(&table);
		assert_int_equal(unwind_store_add(stage.store, &table, &mapping.table), 0);
		stage.nr_tables++;
		unwind_table_done(&table);
	}
	elf_file_done(&elf);
	if (fd >= 0)
		close(fd);
	vec_push(&stage.mappings, mapping);
}

static void set_mappings(void)
{
	assert_int_equal(unwind_store_set_process(stage.store, &stage.process, stage.mappings.data, stage.mappings.nr),
			 0);
	assert_int_equal(unwind_store_settle(stage.store), 0);
}

static void tell_mappings_without(bool with_tables, uint32_t no_table)
{
	int fd = open("/proc/self/maps", O_RDONLY);

	stage.mappings.nr = 0;
	assert_true(proc_maps_read(fd, add_mapping, NULL) > 0);
	close(fd);
	for (size_t i = 0; !with_tables && i < stage.mappings.nr; i++)
		stage.mappings.data[i].table = no_table;
	set_mappings();
}

static void tell_mappings(bool with_tables)
{
	tell_mappings_without(with_tables, UNWIND_NO_TABLE);
}

static void begin(enum st_unwind_mode mode)
{
	struct unwind_store_options options = { .max_bytes = 64 << 20, .first_slab = -1 };

	object_load(&stage.object,
		    &(struct object_options){ .program = "on_test", .config = { USER, .unwind = (uint8_t)mode } });
	options.slabs = bpf_map__fd(stage.object.skeleton->maps.st_slabs);
	options.processes = bpf_map__fd(stage.object.skeleton->maps.st_processes);
	stage.store = unwind_store_new(&options);
	stage.process = (struct unwind_process){ .tgid = (uint32_t)getpid() };
	stage.nr_tables = 0;
}

static void end(void)
{
	object_check_identity(&stage.object, LIVE);
	unwind_store_free(stage.store);
	object_done(&stage.object);
	vec_done(&stage.mappings);
}

static const struct st_stack *last_record(void)
{
	object_read_ring(&stage.object);
	assert_true(stage.object.records.nr > 0);
	return &vec_last(&stage.object.records);
}

static uint64_t count_of(enum st_stack_end how)
{
	return object_stats(&stage.object, LIVE).losses[ST_LOSS_OF_END(how)];
}

/* ---- the event ---- */

/* The event's own frames (syscall(), object_run()) are not backtrace()'s, nor its frame here the same place. */
__attribute__((noinline, noclone)) static void fire(void)
{
	int nr = backtrace(stage.expected, 4096), own = 0;

	while (own < nr && stage.expected[own] != __builtin_return_address(0))
		own++; /* this function's frame, and those of a sanitizer's backtrace() */
	stage.nr_expected = nr - own;
	memmove(stage.expected, stage.expected + own, sizeof(*stage.expected) * (size_t)(nr - own));
	object_run(&stage.object);
	__asm__ volatile("");
}

/* ---- a path ---- */

__attribute__((noinline, noclone)) static int recurse(int depth)
{
	volatile char here[24 + 8 * 3];

	here[0] = (char)depth;
	if (depth)
		recurse(depth - 1);
	else
		fire();
	return here[0];
}
