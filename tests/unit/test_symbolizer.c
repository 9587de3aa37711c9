/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The symbolizer with a real worker: what it answers, what it may do, and what happens when it dies or hangs. */
#include "symbolize/symbolize.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "symbolize/elf_file.h"
#include "tests/unit/elf_writer.h"

enum { ADDRESS = 0x2000, OFFSET = 0x1000, SIZE = 0x3000 };

struct fixture {
	struct symbolizer *symbolizer;
	struct elf_writer writer;
	int debug_fd;         /* what open_debug gives */
	int nr_debug_asked;
	char debug_asked[BUILD_ID_HEX_SIZE];
	uint32_t again_failed; /* a file that cannot be opened again */
};

static int open_debug(void *context, uint32_t file, const char *build_id)
{
	struct fixture *fixture = context;

	(void)file;
	fixture->nr_debug_asked++;
	snprintf(fixture->debug_asked, sizeof(fixture->debug_asked), "%s", build_id);
	return fixture->debug_fd >= 0 ? dup(fixture->debug_fd) : -ENOENT;
}

static int open_again(void *context, uint32_t file)
{
	struct fixture *fixture = context;

	return file == fixture->again_failed ? -ENOENT : elf_writer_fd(&fixture->writer);
}

static void start(struct fixture *fixture, const struct symbolizer_options *options)
{
	symbolizer_free(fixture->symbolizer);
	assert_int_equal(symbolizer_new(options, &fixture->symbolizer), 0);
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->debug_fd = -1;
	start(fixture, &(struct symbolizer_options){});
	elf_writer_init(&fixture->writer, ET_DYN);
	elf_writer_code(&fixture->writer, ADDRESS, OFFSET, SIZE);
	elf_writer_function(&fixture->writer, "first", ADDRESS, 0x10);
	elf_writer_function(&fixture->writer, "second", ADDRESS + 0x10, 0x10);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	symbolizer_free(fixture->symbolizer);
	elf_writer_done(&fixture->writer);
	closep(&fixture->debug_fd);
	free(fixture);
	return 0;
}

static void add(struct fixture *fixture, uint32_t number)
{
	if (!fixture->writer.image.nr)
		elf_writer_finish(&fixture->writer);
	assert_int_equal(symbolizer_add_file(fixture->symbolizer, number, elf_writer_fd(&fixture->writer)), 0);
}

static struct symbol_answer name(struct fixture *fixture, uint32_t file, uint64_t where, bool exact)
{
	struct symbol_query query = { where, exact };
	struct symbol_answer answer = {};

	symbolizer_name_file(fixture->symbolizer, file, &query, 1, &answer);
	assert_true(!answer.name == (answer.status != SYMBOL_OK));
	return answer;
}

static void expect(struct fixture *fixture, uint32_t file, uint64_t where, const char *expected)
{
	struct symbol_answer answer = name(fixture, file, where, true);

	assert_int_equal(answer.status, SYMBOL_OK);
	assert_string_equal(answer.name, expected);
}

static void expect_status(struct fixture *fixture, uint32_t file, enum symbol_status status)
{
	assert_int_equal(name(fixture, file, OFFSET, true).status, status);
}

/* ---- answers ---- */

static void return_address_is_looked_up_one_byte_before(void **state)
{
	struct fixture *fixture = *state;
	struct symbol_answer answer;

	add(fixture, 0);
	answer = name(fixture, 0, OFFSET + 0x10, true);
	assert_string_equal(answer.name, "second");
	assert_int_equal(answer.offset, 0);
	answer = name(fixture, 0, OFFSET + 0x10, false);
	assert_string_equal(answer.name, "first");
	assert_int_equal(answer.offset, 0x10);
}

/* The offset of an address of ours in the file that it was loaded from. */
static int open_file_of(const void *address, uint64_t *ret_offset)
{
	struct elf_file elf;
	Dl_info info;
	int fd;

	assert_true(dladdr(address, &info));
	fd = open(info.dli_fname, O_RDONLY | O_CLOEXEC);
	assert_int_equal(elf_file_open(&elf, fd), 0);
	assert_int_equal(elf_file_offset_of_address(&elf, (uintptr_t)address - (uintptr_t)info.dli_fbase, ret_offset), 0);
	elf_file_done(&elf);
	return fd;
}

static void functions_of_our_own_libc_have_their_names(void **state)
{
	struct fixture *fixture = *state;
	uint64_t offset;

	assert_int_equal(symbolizer_add_file(fixture->symbolizer, 5, open_file_of(dlsym(RTLD_DEFAULT, "getppid"), &offset)),
			 0);
	expect(fixture, 5, offset + 1, "getppid");
	assert_true(strlen(symbolizer_build_id(fixture->symbolizer, 5)) >= 6);
}

static void numbers_of_files_are_the_callers_choice(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, UINT32_MAX);
	add(fixture, 7);
	expect(fixture, UINT32_MAX, OFFSET, "first");
	expect(fixture, 7, OFFSET, "first");
	assert_int_equal(symbolizer_add_file(fixture->symbolizer, 7, elf_writer_fd(&fixture->writer)), -EEXIST);
}

static void unnamed_places_have_a_reason(void **state)
{
	struct fixture *fixture = *state;
	struct elf_writer bare;

	add(fixture, 0);
	symbolizer_add_file(fixture->symbolizer, 1, memory_file("#!/bin/sh\n", 10));
	symbolizer_add_file(fixture->symbolizer, 2, memory_file(fixture->writer.image.data, 1000));
	elf_writer_init(&bare, ET_DYN);
	elf_writer_code(&bare, ADDRESS, OFFSET, SIZE);
	elf_writer_finish(&bare);
	symbolizer_add_file(fixture->symbolizer, 3, elf_writer_fd(&bare));
	elf_writer_done(&bare);
	symbolizer_add_file(fixture->symbolizer, 4, -1);
	assert_int_equal(name(fixture, 0, OFFSET + 0x20, true).status, SYMBOL_NOT_FOUND);
	assert_int_equal(name(fixture, 0, UINT64_MAX, true).status, SYMBOL_NOT_FOUND);
	assert_int_equal(name(fixture, 0, 0, false).status, SYMBOL_NOT_FOUND);
	expect_status(fixture, 1, SYMBOL_NOT_ELF);
	expect_status(fixture, 2, SYMBOL_MALFORMED);
	expect_status(fixture, 3, SYMBOL_NO_TABLE);
	expect_status(fixture, 4, SYMBOL_NO_FILE);
	expect_status(fixture, 99, SYMBOL_NO_FILE);
	expect(fixture, 0, OFFSET, "first");
}

static void fifos_and_devices_are_not_touched(void **state)
{
	struct fixture *fixture = *state;
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	symbolizer_add_file(fixture->symbolizer, 1, ends[0]);
	symbolizer_add_file(fixture->symbolizer, 2, open("/dev/zero", O_RDONLY | O_CLOEXEC));
	symbolizer_add_file(fixture->symbolizer, 3, open("/", O_RDONLY | O_CLOEXEC));
	for (uint32_t file = 1; file <= 3; file++)
		expect_status(fixture, file, SYMBOL_NOT_ELF);
	close(ends[1]);
}

static void names_are_demangled_unless_asked_otherwise(void **state)
{
	struct fixture *fixture = *state;

	elf_writer_function(&fixture->writer, "_Z3foov", ADDRESS + 0x20, 0x10);
	add(fixture, 0);
	expect(fixture, 0, OFFSET + 0x20, "foo()");
	start(fixture, &(struct symbolizer_options){ .no_demangle = true });
	add(fixture, 0);
	expect(fixture, 0, OFFSET + 0x20, "_Z3foov");
}

static void a_batch_larger_than_a_message_is_answered_in_order(void **state)
{
	enum { NR = 5000 };
	struct fixture *fixture = *state;
	struct symbol_query *queries = calloc(NR, sizeof(*queries));
	struct symbol_answer *answers = calloc(NR, sizeof(*answers));

	add(fixture, 0);
	for (int i = 0; i < NR; i++)
		queries[i] = (struct symbol_query){ OFFSET + (unsigned)i % 0x20, true };
	assert_int_equal(symbolizer_name_file(fixture->symbolizer, 0, queries, NR, answers), 0);
	for (int i = 0; i < NR; i++) {
		assert_string_equal(answers[i].name, i % 0x20 < 0x10 ? "first" : "second");
		assert_int_equal(answers[i].offset, i % 0x10);
	}
	assert_ptr_equal(answers[0].name, answers[NR - NR % 0x20 - 0x20].name); /* one string per name */
	free(queries);
	free(answers);
}

static void very_long_names_come_one_by_one(void **state)
{
	enum { NR = 20, LENGTH = 15000 };
	struct fixture *fixture = *state;
	struct symbol_query queries[NR];
	struct symbol_answer answers[NR];
	char *text = malloc(LENGTH + 1);

	for (unsigned int i = 0; i < NR; i++) {
		memset(text, 'a' + (int)i, LENGTH);
		text[LENGTH] = '\0';
		elf_writer_function(&fixture->writer, text, ADDRESS + 0x100 + i * 0x10, 0x10);
		queries[i] = (struct symbol_query){ OFFSET + 0x100 + i * 0x10, true };
	}
	add(fixture, 0);
	assert_int_equal(symbolizer_name_file(fixture->symbolizer, 0, queries, NR, answers), 0);
	for (unsigned int i = 0; i < NR; i++) {
		memset(text, 'a' + (int)i, LENGTH);
		assert_string_equal(answers[i].name, text);
	}
	free(text);
}

static void the_kernels_list_names_kernel_addresses(void **state)
{
	static const char list[] = "ffffffff81000000 T start\nffffffff81000100 T _etext\n"
				   "ffffffffc0000000 t function\t[module]\n";
	struct symbol_query queries[] = { { 0xffffffff81000010, true }, { 0xffffffffc0000010, false }, { 5, true } };
	struct fixture *fixture = *state;
	struct symbol_answer answers[3];

	symbolizer_name_kernel(fixture->symbolizer, queries, 1, answers);
	assert_int_equal(answers[0].status, SYMBOL_NO_FILE);
	symbolizer_add_kernel(fixture->symbolizer, memory_file(list, sizeof(list) - 1));
	assert_int_equal(symbolizer_name_kernel(fixture->symbolizer, queries, 3, answers), 0);
	assert_string_equal(answers[0].name, "start");
	assert_string_equal(answers[0].module, "kernel");
	assert_int_equal(answers[0].offset, 0x10);
	assert_string_equal(answers[1].name, "function");
	assert_string_equal(answers[1].module, "module");
	assert_int_equal(answers[2].status, SYMBOL_NOT_FOUND);
}

static void a_hidden_kernel_list_is_a_reason(void **state)
{
	static const char list[] = "0000000000000000 T start\n";
	struct symbol_query query = { 0xffffffff81000010, true };
	struct fixture *fixture = *state;
	struct symbol_answer answer;

	symbolizer_add_kernel(fixture->symbolizer, memory_file(list, sizeof(list) - 1));
	symbolizer_name_kernel(fixture->symbolizer, &query, 1, &answer);
	assert_int_equal(answer.status, SYMBOL_HIDDEN);
}

/* ---- debug files ---- */

static void make_debug_file(struct fixture *fixture, const char *build_id)
{
	struct elf_writer debug;

	elf_writer_init(&debug, ET_DYN);
	elf_writer_code(&debug, ADDRESS, 0x40, SIZE);
	elf_writer_symbol(&debug, SYMTAB, "internal", ADDRESS + 0x100, 0x10, STT_FUNC, STB_LOCAL);
	elf_writer_build_id(&debug, build_id, (uint32_t)strlen(build_id));
	elf_writer_finish(&debug);
	fixture->debug_fd = elf_writer_fd(&debug);
	elf_writer_done(&debug);
	start(fixture, &(struct symbolizer_options){ .open_debug = open_debug, .context = fixture });
}

static void make_stripped_file(struct fixture *fixture)
{
	elf_writer_done(&fixture->writer);
	elf_writer_init(&fixture->writer, ET_DYN);
	elf_writer_code(&fixture->writer, ADDRESS, OFFSET, SIZE);
	elf_writer_symbol(&fixture->writer, DYNSYM, "exported", ADDRESS, 0x10, STT_FUNC, STB_GLOBAL);
	elf_writer_build_id(&fixture->writer, "identity", 8);
}

static void the_debug_file_of_a_stripped_file_is_asked_for_once(void **state)
{
	struct fixture *fixture = *state;

	make_stripped_file(fixture);
	make_debug_file(fixture, "identity");
	add(fixture, 0);
	assert_int_equal(fixture->nr_debug_asked, 0); /* nobody has asked for a name yet */
	expect(fixture, 0, OFFSET + 0x105, "internal");
	expect(fixture, 0, OFFSET, "exported");
	assert_int_equal(fixture->nr_debug_asked, 1);
	assert_string_equal(fixture->debug_asked, "6964656e74697479");
	assert_string_equal(symbolizer_build_id(fixture->symbolizer, 0), "6964656e74697479");
}

static void a_debug_file_of_another_build_is_not_used(void **state)
{
	struct fixture *fixture = *state;

	make_stripped_file(fixture);
	make_debug_file(fixture, "another!");
	add(fixture, 0);
	assert_int_equal(name(fixture, 0, OFFSET + 0x105, true).status, SYMBOL_NOT_FOUND);
	expect(fixture, 0, OFFSET, "exported");
}

static void a_missing_debug_file_changes_nothing(void **state)
{
	struct fixture *fixture = *state;

	make_stripped_file(fixture);
	start(fixture, &(struct symbolizer_options){ .open_debug = open_debug, .context = fixture });
	add(fixture, 0);
	expect(fixture, 0, OFFSET, "exported");
	assert_int_equal(fixture->nr_debug_asked, 1);
}

static void a_file_with_a_symtab_needs_no_debug_file(void **state)
{
	struct fixture *fixture = *state;

	elf_writer_build_id(&fixture->writer, "identity", 8);
	make_debug_file(fixture, "identity");
	add(fixture, 0);
	expect(fixture, 0, OFFSET, "first");
	assert_int_equal(fixture->nr_debug_asked, 0);
}

/* ---- functions by name ---- */

static void functions_are_found_by_pattern_in_the_order_of_the_file(void **state)
{
	struct fixture *fixture = *state;
	struct symbol_function *functions;
	size_t nr;

	elf_writer_symbol(&fixture->writer, SYMTAB, "alias", ADDRESS + 0x10, 0x10, STT_FUNC, STB_LOCAL);
	elf_writer_symbol(&fixture->writer, SYMTAB, "chooser", ADDRESS + 0x40, 0x10, STT_GNU_IFUNC, STB_GLOBAL);
	elf_writer_function(&fixture->writer, "_ZN2ns4workEv", ADDRESS + 0x30, 0);
	add(fixture, 0);
	assert_int_equal(symbolizer_find(fixture->symbolizer, 0, "^(second|alias|chooser|first)$", &functions, &nr), 0);
	assert_int_equal(nr, 4);
	assert_string_equal(functions[0].name, "first");
	assert_int_equal(functions[0].file_offset, OFFSET);
	assert_int_equal(functions[0].size, 0x10);
	assert_int_equal(functions[1].file_offset, OFFSET + 0x10);
	assert_int_equal(functions[2].file_offset, OFFSET + 0x10);
	assert_true(functions[3].ifunc);
	free(functions);
	assert_int_equal(symbolizer_find(fixture->symbolizer, 0, "^ns::work\\(\\)$", &functions, &nr), 0);
	assert_int_equal(nr, 1);
	assert_string_equal(functions[0].name, "_ZN2ns4workEv");
	assert_int_equal(functions[0].size, 0);
	free(functions);
	assert_int_equal(symbolizer_find(fixture->symbolizer, 0, "^nothing$", &functions, &nr), 0);
	assert_int_equal(nr, 0);
	free(functions);
}

static void thousands_of_functions_come_in_several_messages(void **state)
{
	enum { NR = 10000 };
	struct fixture *fixture = *state;
	struct symbol_function *functions;
	char text[64];
	size_t nr;

	for (unsigned int i = 0; i < NR; i++) {
		snprintf(text, sizeof(text), "function_number_%05u", i);
		elf_writer_function(&fixture->writer, text, ADDRESS + 0x100 + i, 1);
	}
	add(fixture, 0);
	assert_int_equal(symbolizer_find(fixture->symbolizer, 0, "^function_", &functions, &nr), 0);
	assert_int_equal(nr, NR);
	for (unsigned int i = 0; i < NR; i++) {
		snprintf(text, sizeof(text), "function_number_%05u", i);
		assert_string_equal(functions[i].name, text);
	}
	free(functions);
}

static void what_cannot_be_searched_says_why(void **state)
{
	struct fixture *fixture = *state;
	struct symbol_function *functions;
	size_t nr;

	add(fixture, 0);
	symbolizer_add_file(fixture->symbolizer, 1, memory_file("not elf", 7));
	assert_int_equal(symbolizer_find(fixture->symbolizer, 0, "(", &functions, &nr), -EINVAL);
	assert_int_equal(symbolizer_find(fixture->symbolizer, 1, "a", &functions, &nr), -ENOEXEC);
	assert_int_equal(symbolizer_find(fixture->symbolizer, 2, "a", &functions, &nr), -ENOENT);
}

static void near_names_are_suggested_best_first(void **state)
{
	struct fixture *fixture = *state;
	const char *names[4];

	elf_writer_function(&fixture->writer, "first_of_all", ADDRESS + 0x20, 0x10);
	add(fixture, 0);
	assert_int_equal(symbolizer_suggest(fixture->symbolizer, 0, "frist", names, 4), 1);
	assert_string_equal(names[0], "first");
	assert_int_equal(symbolizer_suggest(fixture->symbolizer, 0, "first_of_lal", names, 4), 1);
	assert_string_equal(names[0], "first_of_all");
	assert_int_equal(symbolizer_suggest(fixture->symbolizer, 0, "something_else", names, 4), 0);
	assert_int_equal(symbolizer_suggest(fixture->symbolizer, 0, "frist", names, 0), 0);
}

/* ---- confinement ---- */

/* The value of a line of /proc/PID/status. */
static const char *status_of(int pid, const char *key)
{
	static char line[256];
	char path[64];
	_cleanup_(fclosep) FILE *file = NULL;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		size_t length = strlen(key);

		if (!strncmp(line, key, length) && line[length] == ':') {
			line[strcspn(line, "\n")] = '\0';
			return line + length + 1 + strspn(line + length + 1, " \t");
		}
	}
	return "";
}

static void the_worker_has_no_privileges(void **state)
{
	struct fixture *fixture = *state;
	int pid = symbolizer_worker_pid(fixture->symbolizer);

	add(fixture, 0);
	expect(fixture, 0, OFFSET, "first"); /* it is past its own preparations */
	assert_string_equal(status_of(pid, "Name"), "stacktool-sym");
	assert_string_equal(status_of(pid, "CapInh"), "0000000000000000");
	assert_string_equal(status_of(pid, "CapPrm"), "0000000000000000");
	assert_string_equal(status_of(pid, "CapEff"), "0000000000000000");
	assert_string_equal(status_of(pid, "CapAmb"), "0000000000000000");
	assert_string_equal(status_of(pid, "NoNewPrivs"), "1");
	assert_string_equal(status_of(pid, "Seccomp"), "2");
	if (geteuid() == 0) {
		assert_string_equal(status_of(pid, "CapBnd"), "0000000000000000");
		assert_string_equal(status_of(pid, "Uid"), "65534\t65534\t65534\t65534");
		assert_string_equal(status_of(pid, "Gid"), "65534\t65534\t65534\t65534");
		assert_string_equal(status_of(pid, "Groups"), "");
	}
}

static void the_keeper_has_no_privileges(void **state)
{
	struct fixture *fixture = *state;
	int keeper = atoi(status_of(symbolizer_worker_pid(fixture->symbolizer), "PPid"));

	assert_string_equal(status_of(keeper, "Name"), "stacktool-keep");
	assert_string_equal(status_of(keeper, "CapEff"), "0000000000000000");
	assert_string_equal(status_of(keeper, "CapPrm"), "0000000000000000");
	assert_string_equal(status_of(keeper, "NoNewPrivs"), "1");
}

static unsigned int nr_descriptors(int pid)
{
	unsigned int nr = 0;
	char path[64];
	DIR *directory;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	directory = opendir(path);
	if (!directory)
		skip(); /* not root: the worker is not dumpable */
	for (struct dirent *entry; (entry = readdir(directory));)
		nr += entry->d_name[0] != '.';
	closedir(directory);
	return nr;
}

static void the_worker_inherits_no_descriptors_and_keeps_none(void **state)
{
	_cleanup_(closep) int inheritable = open("/dev/null", O_RDONLY);
	struct fixture *fixture = *state;
	int pid;

	start(fixture, &(struct symbolizer_options){});
	pid = symbolizer_worker_pid(fixture->symbolizer);
	for (uint32_t file = 0; file < 20; file++)
		add(fixture, file);
	for (uint32_t file = 0; file < 20; file++)
		expect(fixture, file, OFFSET, "first");
	assert_int_equal(nr_descriptors(pid), 4); /* /dev/null three times and its socket */
}

static void signals_for_the_terminal_do_not_reach_the_worker(void **state)
{
	static const int signals[] = { SIGINT, SIGHUP, SIGTERM, SIGQUIT };
	struct fixture *fixture = *state;

	add(fixture, 0);
	expect(fixture, 0, OFFSET, "first");
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		kill(symbolizer_worker_pid(fixture->symbolizer), signals[i]);
	expect(fixture, 0, OFFSET + 0x10, "second");
}

/* ---- death and delay ---- */

static void wait_gone(int pidfd)
{
	struct pollfd wanted = { .fd = pidfd, .events = POLLIN };

	assert_int_equal(poll(&wanted, 1, 10000), 1);
	close(pidfd);
}

static void kill_worker(struct fixture *fixture)
{
	int pid = symbolizer_worker_pid(fixture->symbolizer);
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);

	assert_true(pidfd >= 0);
	kill(pid, SIGKILL);
	wait_gone(pidfd);
}

static void after_the_workers_death_its_files_have_a_reason_and_the_next_works(void **state)
{
	struct fixture *fixture = *state;
	struct symbol_query query = { OFFSET, true };
	struct symbol_answer answer;

	add(fixture, 0);
	add(fixture, 1);
	expect(fixture, 0, OFFSET, "first");
	expect(fixture, 1, OFFSET, "first");
	kill_worker(fixture);
	assert_int_equal(symbolizer_name_file(fixture->symbolizer, 0, &query, 1, &answer), -EPIPE);
	assert_int_equal(answer.status, SYMBOL_WORKER_DIED);
	expect_status(fixture, 1, SYMBOL_WORKER_DIED);
	add(fixture, 2);
	expect(fixture, 2, OFFSET, "first");
}

static void lost_files_are_opened_again_where_the_caller_can(void **state)
{
	struct fixture *fixture = *state;

	start(fixture, &(struct symbolizer_options){ .open_again = open_again, .context = fixture });
	fixture->again_failed = 2;
	for (uint32_t file = 0; file < 4; file++) {
		add(fixture, file);
		expect(fixture, file, OFFSET, "first");
	}
	kill_worker(fixture);
	expect(fixture, 0, OFFSET + 0x10, "second");
	expect_status(fixture, 2, SYMBOL_WORKER_DIED);
	expect(fixture, 3, OFFSET + 0x10, "second");
}

static void the_kernel_is_named_by_the_next_worker(void **state)
{
	static const char list[] = "ffffffff81000000 T start\n";
	struct symbol_query query = { 0xffffffff81000010, true };
	struct fixture *fixture = *state;
	struct symbol_answer answer;

	symbolizer_add_kernel(fixture->symbolizer, memory_file(list, sizeof(list) - 1));
	symbolizer_name_kernel(fixture->symbolizer, &query, 1, &answer);
	assert_int_equal(answer.status, SYMBOL_OK);
	kill_worker(fixture);
	symbolizer_name_kernel(fixture->symbolizer, &query, 1, &answer);
	assert_int_equal(answer.status, SYMBOL_OK);
}

static void after_three_replacements_there_is_none(void **state)
{
	struct fixture *fixture = *state;

	for (uint32_t file = 0; file < 4; file++) {
		add(fixture, file);
		expect(fixture, file, OFFSET, "first");
		kill_worker(fixture);
		expect_status(fixture, file, SYMBOL_WORKER_DIED);
	}
	assert_int_equal(symbolizer_worker_pid(fixture->symbolizer), -1);
	add(fixture, 4);
	expect_status(fixture, 4, SYMBOL_WORKER_DIED);
	expect_status(fixture, 0, SYMBOL_WORKER_DIED);
}

static void a_hanging_worker_costs_the_file_it_hangs_on_and_no_other(void **state)
{
	struct fixture *fixture = *state;
	int pid, pidfd;

	start(fixture, &(struct symbolizer_options){ .timeout_ms = 200 });
	pid = symbolizer_worker_pid(fixture->symbolizer);
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	kill(pid, SIGSTOP);
	for (uint32_t file = 0; file < 3; file++)
		add(fixture, file);
	expect(fixture, 2, OFFSET, "first"); /* by the second worker */
	expect(fixture, 1, OFFSET, "first");
	expect_status(fixture, 0, SYMBOL_TIMEOUT);
	wait_gone(pidfd); /* the keeper has killed it */
}

static void a_question_that_hangs_is_answered_with_a_timeout(void **state)
{
	struct fixture *fixture = *state;
	struct symbol_query query = { OFFSET, true };
	struct symbol_answer answer;

	start(fixture, &(struct symbolizer_options){ .timeout_ms = 200 });
	add(fixture, 0);
	expect(fixture, 0, OFFSET, "first");
	kill(symbolizer_worker_pid(fixture->symbolizer), SIGSTOP);
	assert_int_equal(symbolizer_name_file(fixture->symbolizer, 0, &query, 1, &answer), -ETIMEDOUT);
	assert_int_equal(answer.status, SYMBOL_TIMEOUT);
	add(fixture, 1);
	expect(fixture, 1, OFFSET, "first");
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void handing_files_over_never_waits(void **state)
{
	struct fixture *fixture = *state;
	int64_t start_ms;
	int pid;

	elf_writer_finish(&fixture->writer);
	pid = symbolizer_worker_pid(fixture->symbolizer);
	kill(pid, SIGSTOP);
	start_ms = now_ms();
	for (uint32_t file = 0; file < 400; file++)
		add(fixture, file);
	assert_true(now_ms() - start_ms < 2000);
	kill(pid, SIGCONT);
	expect(fixture, 0, OFFSET, "first");
	expect(fixture, 255, OFFSET, "first");
	expect_status(fixture, 399, SYMBOL_NO_FILE); /* too many at once */
	symbolizer_add_file(fixture->symbolizer, 400, elf_writer_fd(&fixture->writer));
	expect(fixture, 400, OFFSET, "first");
}

static void keeper_and_worker_end_with_their_caller(void **state)
{
	int pids[2], ends[2], child, pidfds[2];
	struct fixture *fixture = *state;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		struct symbolizer *symbolizer;

		symbolizer_new(&(struct symbolizer_options){}, &symbolizer);
		pids[0] = symbolizer_worker_pid(symbolizer);
		pids[1] = atoi(status_of(pids[0], "PPid"));
		if (write(ends[1], pids, sizeof(pids)) != sizeof(pids))
			_exit(1);
		pause();
	}
	assert_int_equal(read(ends[0], pids, sizeof(pids)), sizeof(pids));
	for (int i = 0; i < 2; i++)
		pidfds[i] = (int)syscall(SYS_pidfd_open, pids[i], 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	wait_gone(pidfds[0]);
	wait_gone(pidfds[1]);
	close(ends[0]);
	close(ends[1]);
	add(fixture, 0); /* ours is still there */
	expect(fixture, 0, OFFSET, "first");
}

static void nothing_is_left_behind(void **state)
{
	struct fixture *fixture = *state;
	unsigned int before = nr_descriptors(getpid());

	for (int i = 0; i < 5; i++) {
		start(fixture, &(struct symbolizer_options){});
		add(fixture, 0);
		symbolizer_add_kernel(fixture->symbolizer, memory_file("a", 1));
		expect(fixture, 0, OFFSET, "first");
	}
	symbolizer_free(fixture->symbolizer);
	fixture->symbolizer = NULL;
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_true(nr_descriptors(getpid()) <= before);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(return_address_is_looked_up_one_byte_before),
		TEST(functions_of_our_own_libc_have_their_names),
		TEST(numbers_of_files_are_the_callers_choice),
		TEST(unnamed_places_have_a_reason),
		TEST(fifos_and_devices_are_not_touched),
		TEST(names_are_demangled_unless_asked_otherwise),
		TEST(a_batch_larger_than_a_message_is_answered_in_order),
		TEST(very_long_names_come_one_by_one),
		TEST(the_kernels_list_names_kernel_addresses),
		TEST(a_hidden_kernel_list_is_a_reason),
		TEST(the_debug_file_of_a_stripped_file_is_asked_for_once),
		TEST(a_debug_file_of_another_build_is_not_used),
		TEST(a_missing_debug_file_changes_nothing),
		TEST(a_file_with_a_symtab_needs_no_debug_file),
		TEST(functions_are_found_by_pattern_in_the_order_of_the_file),
		TEST(thousands_of_functions_come_in_several_messages),
		TEST(what_cannot_be_searched_says_why),
		TEST(near_names_are_suggested_best_first),
		TEST(the_worker_has_no_privileges),
		TEST(the_keeper_has_no_privileges),
		TEST(the_worker_inherits_no_descriptors_and_keeps_none),
		TEST(signals_for_the_terminal_do_not_reach_the_worker),
		TEST(after_the_workers_death_its_files_have_a_reason_and_the_next_works),
		TEST(lost_files_are_opened_again_where_the_caller_can),
		TEST(the_kernel_is_named_by_the_next_worker),
		TEST(after_three_replacements_there_is_none),
		TEST(a_hanging_worker_costs_the_file_it_hangs_on_and_no_other),
		TEST(a_question_that_hangs_is_answered_with_a_timeout),
		TEST(handing_files_over_never_waits),
		TEST(keeper_and_worker_end_with_their_caller),
		TEST(nothing_is_left_behind),
	};

	return cmocka_run_group_tests_name("symbolizer", tests, NULL, NULL);
}
