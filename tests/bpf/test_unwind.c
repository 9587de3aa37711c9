/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwinder by itself: bpf_prog_test_run() takes the stack of this very process, which is built without frame pointers,
 * and the C library's own unwinder (libgcc, by backtrace()) says what it should be.
 */
#pragma GCC optimize("omit-frame-pointer")

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "tests/bpf/unwind_stage.h"

/* ---- other rules than the tables have ---- */

/* As the rules of Go's functions that change stacks: every rule by rbp leads to any stack. */
static void allow_other_stacks(struct unwind_table *table)
{
	for (size_t i = 0; i < table->rules.nr; i++)
		if (table->rules.data[i].kind == ST_UNWIND_BP)
			table->rules.data[i].how |= ST_UNWIND_HOW(0, ST_UNWIND_RA_ELSEWHERE, 0);
}

static void make_unsupported(struct unwind_table *table)
{
	for (size_t i = 1; i < table->rules.nr; i++)
		table->rules.data[i].kind = ST_UNWIND_UNSUPPORTED;
}

/* Everything above fire() is the same, frame by frame, to the root. */
static void agrees(void)
{
	const struct st_stack *record = last_record();
	int ours = record->head.nr_user, theirs = stage.nr_expected, common = theirs;

	assert_int_equal(record->head.user_end, ST_END_ROOT);
	assert_int_equal(record->head.user_status, STACK_OK);
	assert_true(common > 3 && ours > common);
	for (int i = 1; i <= common; i++)
		assert_int_equal(record->frames[ours - i], (uint64_t)stage.expected[theirs - i]);
}

/* ---- paths ---- */

__attribute__((noinline, noclone)) static int through_alloca(size_t nr)
{
	volatile char *memory = __builtin_alloca(nr);

	memory[0] = 1;
	fire();
	return memory[0];
}

/* Each saves the rbp of the one above and follows its own. */
__attribute__((noinline, noclone)) static int through_saved_frame_pointers(int depth)
{
	volatile char *memory = __builtin_alloca((size_t)(64 + 32 * depth));

	memory[0] = 1;
	if (depth)
		through_saved_frame_pointers(depth - 1);
	else
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

/* Calls a function on the stack that ends at `top`. */
void st_on_another_stack(void (*function)(void), void *top);
__asm__(".text\n"
	".type st_on_another_stack, @function\n"
	"st_on_another_stack:\n"
	".cfi_startproc\n"
	"push %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	"mov %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"mov %rsi, %rsp\n"
	"call *%rdi\n"
	"mov %rbp, %rsp\n"
	"pop %rbp\n"
	".cfi_def_cfa %rsp, 8\n"
	"ret\n"
	".cfi_endproc\n"
	".size st_on_another_stack, . - st_on_another_stack\n");

static void on_a_low_stack(void)
{
	st_on_another_stack(fire, stage.top);
	__asm__ volatile("");
}

/* To a stack below this one, with nothing after it, and from there to one above, which is a piece of this one. */
__attribute__((noinline, noclone)) static void through_other_stacks(void)
{
	const size_t nr_bytes = 1 << 18, nr_all = nr_bytes + 4096;
	char *low = mmap(NULL, nr_all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	_Alignas(16) volatile char high[1 << 18];

	assert_true(low != MAP_FAILED && (uintptr_t)low < (uintptr_t)high);
	assert_int_equal(mprotect(low + nr_bytes, 4096, PROT_NONE), 0);
	high[0] = 1;
	stage.top = (void *)(high + sizeof(high));
	st_on_another_stack(on_a_low_stack, low + nr_bytes);
	munmap(low, nr_all);
}

/* Calls a function that changes rbp and does not save it. The caller of this function has saved rbp. */
void st_with_lost_rbp(void (*function)(void));
__asm__(".text\n"
	".type st_with_lost_rbp, @function\n"
	"st_with_lost_rbp:\n"
	".cfi_startproc\n"
	"push %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	"call st_changes_rbp\n"
	"pop %rbp\n"
	".cfi_def_cfa_offset 8\n"
	".cfi_restore %rbp\n"
	"ret\n"
	".cfi_endproc\n"
	".size st_with_lost_rbp, . - st_with_lost_rbp\n"
	".type st_changes_rbp, @function\n"
	"st_changes_rbp:\n"
	".cfi_startproc\n"
	".cfi_undefined %rbp\n"
	"sub $8, %rsp\n"
	".cfi_def_cfa_offset 16\n"
	"mov $1, %ebp\n"
	"call *%rdi\n"
	"add $8, %rsp\n"
	".cfi_def_cfa_offset 8\n"
	"ret\n"
	".cfi_endproc\n"
	".size st_changes_rbp, . - st_changes_rbp\n");

/* The frame above can only be found by its rbp. */
__attribute__((noinline, noclone)) static int through_a_lost_frame_pointer(size_t nr)
{
	volatile char *memory = __builtin_alloca(nr);

	memory[0] = 1;
	st_with_lost_rbp(fire);
	return memory[0];
}

/* Two callers that look alike on the stack: only the return address of their callee tells which one it was. */
__attribute__((noinline, noclone)) static void by_one_way(void (*path)(void))
{
	path();
	__asm__ volatile("");
}

__attribute__((noinline, noclone)) static void by_the_other_way(void (*path)(void))
{
	path();
	__asm__ volatile("");
}

static void one_path(void)
{
	recurse(2);
}

static void deep_path(void)
{
	recurse(40);
}

static void alloca_path(void)
{
	through_alloca(4000);
}

static void large_path(void)
{
	through_a_large_frame();
}

/* ---- what a CPU remembers ---- */

/* Every CPU remembers this of every address that it remembers anything of: `kind` as a rule, or nothing. */
static void replace_remembered(bool forget, enum st_unwind_kind kind)
{
	int map = bpf_map__fd(stage.object.skeleton->maps.st_recent), nr_cpus = libbpf_num_possible_cpus();
	_cleanup_(freep) struct st_recent *recent = calloc((size_t)nr_cpus, sizeof(*recent));
	uint32_t zero = 0;

	assert_int_equal(bpf_map_lookup_elem(map, &zero, recent), 0);
	for (size_t i = 0; i < (size_t)nr_cpus * ST_RECENT_RULES; i++) {
		struct st_recent_rule *rule = &recent[i / ST_RECENT_RULES].rules[i % ST_RECENT_RULES];

		if (forget)
			*rule = (struct st_recent_rule){};
		else if (rule->address)
			rule->rule = kind;
	}
	assert_int_equal(bpf_map_update_elem(map, &zero, recent, BPF_ANY), 0);
}

/* The first slot as if an interrupted program had it. */
static void claim_first_slot(uint32_t claims)
{
	int map = bpf_map__fd(stage.object.skeleton->maps.st_scratch), nr_cpus = libbpf_num_possible_cpus();
	_cleanup_(freep) struct st_slot *slots = calloc((size_t)nr_cpus, sizeof(*slots));
	uint32_t zero = 0;

	for (int cpu = 0; cpu < nr_cpus; cpu++)
		slots[cpu].claims = claims;
	assert_int_equal(bpf_map_update_elem(map, &zero, slots, BPF_ANY), 0);
}

static void stay_on_this_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)sched_getcpu(), &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

static uint64_t space_of_this_process(void)
{
	struct st_unwind_process process = {};
	uint32_t tgid = (uint32_t)getpid();

	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(stage.object.skeleton->maps.st_processes), &tgid, &process),
			 0);
	return process.space;
}

/* ---- tests ---- */

TEST(every_path_reaches_the_root_as_libgcc_walks_it)
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
	through_a_lost_frame_pointer(4000);
	agrees();
	assert_true(count_of(ST_END_ROOT) >= 7);
	end();
}

/* A stack that leads down is broken, unless the rule says that it is another one. */
TEST(a_rule_may_lead_to_a_stack_below)
{
	begin(ST_UNWIND_TABLES);
	tell_mappings(true);
	through_other_stacks();
	assert_int_equal(last_record()->head.user_end, ST_END_BAD_CFA);
	stage.change = allow_other_stacks;
	tell_mappings(true);
	through_other_stacks();
	stage.change = NULL;
	agrees();
	end();
}

/*
 * Three times each, from the same place: with nothing remembered, with what the first walk has left, and in the second slot,
 * which remembers nothing. One stack, one id.
 */
TEST(what_is_remembered_changes_no_stack)
{
	void (*const paths[])(void) = { one_path,        deep_path, alloca_path, large_path, through_the_c_library,
					through_a_signal };
	const size_t nr_paths = sizeof(paths) / sizeof(paths[0]);
	size_t nr_ids;

	begin(ST_UNWIND_AUTO);
	tell_mappings(true);
	for (size_t path = 0; path < nr_paths; path++) {
		replace_remembered(true, 0);
		for (volatile int i = 0; i < 3; i++) { /* not unrolled: that would be three return addresses */
			claim_first_slot(i == 2);
			paths[path]();
		}
		claim_first_slot(0);
		agrees();
	}
	assert_int_equal(object_sum(&stage.object, LIVE, &nr_ids), 3 * nr_paths);
	assert_int_equal(nr_ids, nr_paths);
	end();
}

/* What would otherwise be two empty tests: it is remembered, and who interrupted the owner of the first slot leaves it alone. */
TEST(what_is_remembered_is_for_the_first_slot)
{
	size_t nr_ids;

	begin(ST_UNWIND_TABLES);
	tell_mappings(true);
	for (volatile int i = 0; i < 3; i++) {
		claim_first_slot(i == 1);
		one_path();
		if (!i)
			replace_remembered(false, ST_UNWIND_STOP);
	}
	assert_int_equal(last_record()->head.nr_user, 1);
	assert_int_equal(object_sum(&stage.object, LIVE, &nr_ids), 3);
	assert_int_equal(nr_ids, 2);
	claim_first_slot(0);
	end();
}

/* The same code at the same place of the stack, which has something else on it. */
TEST(the_stack_is_read_whatever_is_remembered)
{
	void (*const ways[])(void (*path)(void)) = { by_one_way, by_the_other_way };

	begin(ST_UNWIND_TABLES);
	tell_mappings(true);
	for (volatile size_t i = 0; i < 2; i++) {
		ways[i](alloca_path);
		agrees();
	}
	for (volatile int depth = 0; depth < 4; depth++) {
		through_saved_frame_pointers(depth);
		agrees();
	}
	assert_int_equal(count_of(ST_END_ROOT), 6);
	end();
}

/* The mappings of the process are replaced until they lie where they lay before, only without tables. */
TEST(nothing_is_remembered_of_mappings_that_are_gone)
{
	uint64_t before, now;
	int nr = 0;

	begin(ST_UNWIND_TABLES);
	tell_mappings(true);
	one_path();
	assert_int_equal(last_record()->head.user_end, ST_END_ROOT);
	before = space_of_this_process();
	for (size_t i = 0; i < stage.mappings.nr; i++)
		stage.mappings.data[i].table = UNWIND_NO_TABLE;
	do {
		set_mappings();
		now = space_of_this_process();
		assert_int_equal(ST_SPACE_NR(now), ST_SPACE_NR(before));
	} while (ST_SPACE_PLACE(now) != ST_SPACE_PLACE(before) && ++nr < 100000);
	assert_int_equal(ST_SPACE_PLACE(now), ST_SPACE_PLACE(before));
	one_path();
	assert_int_equal(last_record()->head.user_end, ST_END_NO_ROW);
	assert_int_equal(last_record()->head.nr_user, 1);
	end();
}

/* ---- reasons ---- */

TEST(without_a_word_about_the_process_the_kernel_walks)
{
	begin(ST_UNWIND_AUTO);
	recurse(3);
	assert_int_equal(last_record()->head.user_end, ST_END_NO_PROCESS);
	assert_true(last_record()->head.nr_user > 0);
	assert_int_equal(count_of(ST_END_NO_PROCESS), 1);
	end();
}

static void expect_the_leaf_alone(uint8_t reason)
{
	recurse(3);
	assert_int_equal(last_record()->head.user_end, reason);
	assert_int_equal(last_record()->head.nr_user, 1);
	assert_int_equal(count_of(reason), 1);
	end();
}

TEST(without_rules_that_are_supported_the_reason_is_named)
{
	begin(ST_UNWIND_TABLES);
	tell_mappings(false);
	expect_the_leaf_alone(ST_END_NO_ROW);
	begin(ST_UNWIND_TABLES);
	stage.change = make_unsupported;
	tell_mappings(true);
	stage.change = NULL;
	expect_the_leaf_alone(ST_END_UNSUPPORTED);
}

TEST(a_table_to_come_is_another_reason)
{
	begin(ST_UNWIND_TABLES); /* whatever the frame pointer is */
	recurse(3); /* of a process that is not known yet */
	assert_int_equal(last_record()->head.nr_user, 1);
	tell_mappings_without(false, UNWIND_TABLE_TO_COME);
	recurse(3);
	object_run_from(&stage.object, 1ULL << 63);
	assert_int_equal(count_of(ST_END_NO_TABLE), 3);
	end();
}

/* A thread can put any number there. What was read of another stack is not part of this one. */
TEST(a_frame_pointer_that_leads_nowhere_ends_the_walk)
{
	begin(ST_UNWIND_AUTO);
	tell_mappings(false);
	recurse(3);
	object_run_from(&stage.object, 1ULL << 63);
	assert_int_equal(last_record()->head.user_end, ST_END_NO_ROW);
	assert_int_equal(last_record()->head.nr_user, 1);
	end();
}

/* Code that keeps something else in the register may have it point to a zero up the stack: that is not a root. */
TEST(a_frame_pointer_that_leads_to_a_zero_is_no_root)
{
	volatile uint64_t words[2] = { 0, 0 };

	begin(ST_UNWIND_AUTO);
	tell_mappings(false);
	object_run_from(&stage.object, (uint64_t)(uintptr_t)words);
	assert_int_equal(last_record()->head.user_end, ST_END_NO_ROW);
	assert_int_equal(last_record()->head.nr_user, 1);
	end();
}

/* What was told of another run of this process is not believed: the record says which one it is. */
TEST(another_program_under_the_same_number_is_not_known)
{
	struct unwind_process other = { .tgid = (uint32_t)getpid(), .exec_id = UINT64_MAX };

	begin(ST_UNWIND_AUTO);
	tell_mappings(true);
	assert_int_equal(unwind_store_set_process(stage.store, &other, stage.mappings.data, stage.mappings.nr), 0);
	recurse(3);
	assert_int_equal(last_record()->head.user_end, ST_END_NO_PROCESS);
	end();
}

TEST(a_child_has_what_its_parent_had)
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

TEST(a_process_that_is_taken_away_is_not_known)
{
	begin(ST_UNWIND_AUTO);
	tell_mappings(true);
	unwind_store_remove_process(stage.store, &stage.process);
	recurse(3);
	assert_int_equal(last_record()->head.user_end, ST_END_NO_PROCESS);
	end();
}

/* Within one slab: what does not fit is refused, and room that was given back is used again. */
TEST(room_that_was_given_back_is_used_again)
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
#ifdef ST_WITHOUT_UNWINDER
	print_message("SKIP: built without the unwinder\n");
	return 77;
#endif
	stay_on_this_cpu();
	return run_all_tests();
}
