/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwinder by itself: bpf_prog_test_run() takes the stack of this very process, which is built without frame pointers,
 * and the C library's own unwinder (libgcc, by backtrace()) says what it should be.
 */
#pragma GCC optimize("omit-frame-pointer")

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/engine/proc_maps.h"
#include "core/engine/unwind_store.h"
#include "symbolize/elf_file.h"
#include "symbolize/unwind_compile.h"
#include "tests/bpf/object.h"

#define LIVE 0
#define USER .want_user = 1, .task_access = ST_TASK_PROBE_READ

struct stage {
	struct object object;
	struct unwind_store *store;
	VEC(struct unwind_space_mapping) mappings;
	size_t nr_tables;
	/* what backtrace() said at the event, from the caller of fire() on */
	void *expected[256];
	int nr_expected;
	unsigned int nr_compared;
};

static struct stage stage;

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
		assert_int_equal(unwind_store_add(stage.store, &table, &mapping.table), 0);
		stage.nr_tables++;
		unwind_table_done(&table);
	}
	elf_file_done(&elf);
	if (fd >= 0)
		close(fd);
	vec_push(&stage.mappings, mapping);
}

static void tell_mappings_without(bool with_tables, uint32_t no_table)
{
	const struct unwind_process_key key = { .tgid = (uint32_t)getpid() };
	int fd = open("/proc/self/maps", O_RDONLY);

	stage.mappings.nr = 0;
	assert_true(proc_maps_read(fd, add_mapping, NULL) > 0);
	close(fd);
	for (size_t i = 0; !with_tables && i < stage.mappings.nr; i++)
		stage.mappings.data[i].table = no_table;
	assert_int_equal(unwind_store_set_process(stage.store, &key, stage.mappings.data, stage.mappings.nr), 0);
	assert_int_equal(unwind_store_settle(stage.store), 0);
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
	int nr = backtrace(stage.expected, 256), own = 0;

	while (own < nr && stage.expected[own] != __builtin_return_address(0))
		own++; /* this function's frame, and those of a sanitizer's backtrace() */
	stage.nr_expected = nr - own;
	memmove(stage.expected, stage.expected + own, sizeof(*stage.expected) * (size_t)(nr - own));
	object_run(&stage.object);
	__asm__ volatile("");
}

/* Everything above fire() is the same, frame by frame, to the root. */
static void agrees(void)
{
	const struct st_stack *record = last_record();
	int ours = record->head.nr_user, theirs = stage.nr_expected, common = theirs;

	assert_int_equal(record->head.user_end, ST_END_ROOT);
	assert_int_equal(record->head.user_status, ST_STACK_OK);
	assert_true(common > 3 && ours > common);
	for (int i = 1; i <= common; i++)
		assert_int_equal(record->frames[ours - i], (uint64_t)stage.expected[theirs - i]);
}

/* ---- paths ---- */

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

__attribute__((noinline, noclone)) static int through_alloca(size_t nr)
{
	volatile char *memory = __builtin_alloca(nr);

	memory[0] = 1;
	fire();
	return memory[0];
}

__attribute__((noinline, noclone)) static int through_a_large_frame(void)
{
	volatile char memory[100000];

	memory[0] = 1;
	fire();
	return memory[0];
}

static int compare(const void *a, const void *b)
{
	if (!stage.nr_compared++) /* once: a stack that comes again sends no record */
		fire();
	return *(const int *)a - *(const int *)b;
}

static void through_the_c_library(void)
{
	int numbers[] = { 1, 2 };

	stage.nr_compared = 0;
	qsort(numbers, 2, sizeof(numbers[0]), compare);
}

static void on_signal(int number)
{
	fire();
}

static void through_a_signal(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };

	assert_int_equal(sigaltstack(&stack, NULL), 0);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	free(stack.ss_sp);
}

/* ---- tests ---- */

static void every_path_reaches_the_root_as_libgcc_walks_it(void **state)
{
	begin(ST_UNWIND_TABLES);
	tell_mappings(true);
	assert_true(stage.nr_tables > 2);
	recurse(0);
	agrees();
	recurse(40);
	agrees();
	through_alloca(4000);
	agrees();
	through_a_large_frame();
	agrees();
	through_the_c_library();
	agrees();
	through_a_signal();
	agrees();
	assert_true(count_of(ST_END_ROOT) >= 6);
	end();
}

static void a_stack_that_is_too_deep_is_cut(void **state)
{
	begin(ST_UNWIND_AUTO);
	tell_mappings(true);
	recurse(200);
	assert_int_equal(last_record()->head.nr_user, ST_MAX_FRAMES);
	assert_int_equal(last_record()->head.user_status, ST_STACK_TRUNCATED);
	assert_int_equal(count_of(ST_END_TRUNCATED), 1);
	end();
}

static void without_a_word_about_the_process_the_kernel_walks(void **state)
{
	begin(ST_UNWIND_AUTO);
	recurse(3);
	assert_int_equal(last_record()->head.user_end, ST_END_NO_PROCESS);
	assert_true(last_record()->head.nr_user > 0);
	assert_int_equal(count_of(ST_END_NO_PROCESS), 1);
	end();
}

static void without_tables_the_reason_is_named(void **state)
{
	begin(ST_UNWIND_TABLES);
	tell_mappings(false);
	recurse(3);
	assert_int_equal(last_record()->head.user_end, ST_END_NO_ROW);
	assert_int_equal(last_record()->head.nr_user, 1);
	assert_int_equal(count_of(ST_END_NO_ROW), 1);
	end();
}

static void a_table_to_come_is_another_reason(void **state)
{
	begin(ST_UNWIND_TABLES); /* whatever the frame pointer is */
	tell_mappings_without(false, UNWIND_TABLE_TO_COME);
	recurse(3);
	assert_int_equal(last_record()->head.user_end, ST_END_NO_TABLE);
	object_run_from(&stage.object, 1ULL << 63);
	assert_int_equal(last_record()->head.user_end, ST_END_NO_TABLE);
	assert_int_equal(count_of(ST_END_NO_TABLE), 2);
	end();
}

/* A thread can put any number there. What was read of another stack is not part of this one. */
static void a_frame_pointer_that_leads_nowhere_ends_the_walk(void **state)
{
	begin(ST_UNWIND_AUTO);
	tell_mappings(false);
	recurse(3);
	object_run_from(&stage.object, 1ULL << 63);
	assert_int_equal(last_record()->head.user_end, ST_END_NO_ROW);
	assert_int_equal(last_record()->head.nr_user, 1);
	end();
}

/* What was told of another run of this process is not believed: the record says which one it is. */
static void another_program_under_the_same_number_is_not_known(void **state)
{
	struct unwind_process_key key = { .tgid = (uint32_t)getpid(), .exec_id = UINT64_MAX };

	begin(ST_UNWIND_AUTO);
	tell_mappings(true);
	assert_int_equal(unwind_store_set_process(stage.store, &key, stage.mappings.data, stage.mappings.nr), 0);
	recurse(3);
	assert_int_equal(last_record()->head.user_end, ST_END_NO_PROCESS);
	end();
}

static void a_child_has_what_its_parent_had(void **state)
{
	int status;
	pid_t child;

	begin(ST_UNWIND_TABLES);
	tell_mappings(true);
	recurse(2); /* the parent's exec id is known from now on */
	child = fork();
	if (!child) {
		recurse(5);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(last_record()->head.tgid, child);
	assert_int_equal(last_record()->head.user_end, ST_END_ROOT);
	end();
}

static void a_process_that_is_taken_away_is_not_known(void **state)
{
	begin(ST_UNWIND_AUTO);
	tell_mappings(true);
	unwind_store_remove_process(stage.store, (uint32_t)getpid());
	recurse(3);
	assert_int_equal(last_record()->head.user_end, ST_END_NO_PROCESS);
	end();
}

/* Within one slab: what does not fit is refused, and room that was given back is used again. */
static void room_that_was_given_back_is_used_again(void **state)
{
	struct unwind_store_options options = { .max_bytes = 1 << 20, .first_slab = -1 };
	struct unwind_table table = {};
	struct elf_file elf = {};
	uint32_t numbers[4096];
	size_t nr = 0, again = 0;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), err = 0;

	begin(ST_UNWIND_AUTO);
	options.slabs = bpf_map__fd(stage.object.skeleton->maps.st_slabs);
	options.processes = bpf_map__fd(stage.object.skeleton->maps.st_processes);
	unwind_store_free(stage.store);
	stage.store = unwind_store_new(&options);
	assert_int_equal(elf_file_open(&elf, fd), 0);
	assert_int_equal(unwind_compile(&elf, &table), 0);
	while (nr < 4096 && !(err = unwind_store_add(stage.store, &table, &numbers[nr])))
		nr++;
	assert_int_equal(err, -ENOSPC);
	assert_true(nr > 0);
	for (size_t i = 0; i < nr; i++)
		unwind_store_remove(stage.store, numbers[i]);
	while (again < 4096 && !unwind_store_add(stage.store, &table, &numbers[again]))
		again++;
	assert_int_equal(again, nr);
	unwind_table_done(&table);
	elf_file_done(&elf);
	close(fd);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_path_reaches_the_root_as_libgcc_walks_it),
		cmocka_unit_test(a_stack_that_is_too_deep_is_cut),
		cmocka_unit_test(without_a_word_about_the_process_the_kernel_walks),
		cmocka_unit_test(without_tables_the_reason_is_named),
		cmocka_unit_test(a_table_to_come_is_another_reason),
		cmocka_unit_test(a_frame_pointer_that_leads_nowhere_ends_the_walk),
		cmocka_unit_test(another_program_under_the_same_number_is_not_known),
		cmocka_unit_test(a_child_has_what_its_parent_had),
		cmocka_unit_test(a_process_that_is_taken_away_is_not_known),
		cmocka_unit_test(room_that_was_given_back_is_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
