/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the symbolizer answers, with a real worker. */
#include "tests/unit/symbolizer_fixture.h"

#include <dlfcn.h>
#include <lzma.h>
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/match.h"
#include "symbolize/elf/elf_file.h"
#include "tests/harness.h"

/* ---- answers ---- */

SYMBOLIZER_TEST(return_address_is_looked_up_one_byte_before)
{
	struct symbol_answer answer;

	fixture_add(fixture, 0);
	answer = fixture_name(fixture, 0, OFFSET + 0x10, true);
	assert_string_equal(answer.name, "second");
	assert_int_equal(answer.offset, 0);
	answer = fixture_name(fixture, 0, OFFSET + 0x10, false);
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
	assert_int_equal(elf_file_offset_of_address(&elf, (uintptr_t)address - (uintptr_t)info.dli_fbase, ret_offset),
			 0);
	elf_file_done(&elf);
	return fd;
}

SYMBOLIZER_TEST(functions_of_our_own_libc_have_their_names)
{
	uint64_t offset;

	assert_int_equal(symbolizer_add_file(fixture->symbolizer, 5,
					     open_file_of(dlsym(RTLD_DEFAULT, "getppid"), &offset), 0),
			 0);
	fixture_expect(fixture, 5, offset + 1, "getppid");
	assert_true(strlen(symbolizer_build_id(fixture->symbolizer, 5)) >= 6);
}

SYMBOLIZER_TEST(numbers_of_files_are_the_callers_choice)
{
	fixture_add(fixture, SYMBOL_KERNEL - 1);
	fixture_add(fixture, 7);
	fixture_expect(fixture, SYMBOL_KERNEL - 1, OFFSET, "first");
	fixture_expect(fixture, 7, OFFSET, "first");
	assert_int_equal(symbolizer_add_file(fixture->symbolizer, 7, elf_writer_fd(&fixture->writer), 0), -EEXIST);
}

SYMBOLIZER_TEST(a_file_can_have_several_numbers)
{
	fixture_add(fixture, 7);
	assert_int_equal(symbolizer_add_same(fixture->symbolizer, 8, 7), 0);
	assert_int_equal(symbolizer_add_same(fixture->symbolizer, 9, 7), 0);
	fixture_expect(fixture, 9, OFFSET, "first");
	fixture_expect(fixture, 8, OFFSET, "first");
	assert_string_equal(symbolizer_build_id(fixture->symbolizer, 8), symbolizer_build_id(fixture->symbolizer, 7));
	assert_int_equal(symbolizer_add_same(fixture->symbolizer, 8, 7), -EEXIST);
	assert_int_equal(symbolizer_add_same(fixture->symbolizer, 7, 8), -EEXIST);
	assert_int_equal(symbolizer_add_file(fixture->symbolizer, 9, elf_writer_fd(&fixture->writer), 0), -EEXIST);
}

static long kilobytes_of(int pid)
{
	long nr_pages = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	file = fopen(path, "r");
	assert_true(file && fscanf(file, "%*s %ld", &nr_pages) == 1);
	fclose(file);
	return nr_pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Neither the worker nor we keep anything of a file that was taken back. */
SYMBOLIZER_TEST(files_that_are_taken_back_take_no_room)
{
	enum {
		WARM_UP = 200,
		NR = 2000,
		LIVING = 10
	};
	long before = 0, after;
	uint64_t offset;

	for (uint32_t i = 0; i < NR; i++) {
		uint32_t number = i % LIVING;

		if (i == WARM_UP)
			before = kilobytes_of(symbolizer_worker_pid(fixture->symbolizer));
		symbolizer_drop(fixture->symbolizer, number + LIVING);
		symbolizer_drop(fixture->symbolizer, number);
		assert_int_equal(symbolizer_add_file(fixture->symbolizer, number,
						     open_file_of(dlsym(RTLD_DEFAULT, "getppid"), &offset), i / 7 % 3),
				 0);
		assert_int_equal(symbolizer_add_same(fixture->symbolizer, number + LIVING, number), 0);
		if (i % 100 == 0)
			fixture_expect(fixture, number + LIVING, offset + 1, "getppid");
	}
	after = kilobytes_of(symbolizer_worker_pid(fixture->symbolizer));
	print_message("worker: %ld kB, then %ld kB\n", before, after);
#ifndef __SANITIZE_ADDRESS__ /* which keeps what is freed */
	assert_true(after < before + before / 5);
#endif
	symbolizer_drop(fixture->symbolizer, 3);
	fixture_expect_status(fixture, 3, SYMBOL_NO_FILE);
}

SYMBOLIZER_TEST(unnamed_places_have_a_reason)
{
	struct elf_writer bare;

	fixture_add(fixture, 0);
	symbolizer_add_file(fixture->symbolizer, 1, memory_file("#!/bin/sh\n", 10), 0);
	symbolizer_add_file(fixture->symbolizer, 2, memory_file(fixture->writer.image.data, 1000), 0);
	elf_writer_init(&bare, ET_DYN);
	elf_writer_code(&bare, ADDRESS, OFFSET, SIZE);
	elf_writer_finish(&bare);
	symbolizer_add_file(fixture->symbolizer, 3, elf_writer_fd(&bare), 0);
	elf_writer_done(&bare);
	symbolizer_add_file(fixture->symbolizer, 4, -1, 0);
	assert_int_equal(fixture_name(fixture, 0, OFFSET + 0x20, true).status, SYMBOL_NOT_FOUND);
	assert_int_equal(fixture_name(fixture, 0, UINT64_MAX, true).status, SYMBOL_NOT_FOUND);
	assert_int_equal(fixture_name(fixture, 0, 0, false).status, SYMBOL_NOT_FOUND);
	fixture_expect_status(fixture, 1, SYMBOL_NOT_ELF);
	fixture_expect_status(fixture, 2, SYMBOL_MALFORMED);
	fixture_expect_status(fixture, 3, SYMBOL_NO_TABLE);
	fixture_expect_status(fixture, 4, SYMBOL_NO_FILE);
	fixture_expect_status(fixture, 99, SYMBOL_NO_FILE);
	fixture_expect(fixture, 0, OFFSET, "first");
}

SYMBOLIZER_TEST(fifos_and_devices_are_not_touched)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	symbolizer_add_file(fixture->symbolizer, 1, ends[0], 0);
	symbolizer_add_file(fixture->symbolizer, 2, open("/dev/zero", O_RDONLY | O_CLOEXEC), 0);
	symbolizer_add_file(fixture->symbolizer, 3, open("/", O_RDONLY | O_CLOEXEC), 0);
	for (uint32_t file = 1; file <= 3; file++)
		fixture_expect_status(fixture, file, SYMBOL_NOT_ELF);
	close(ends[1]);
}

SYMBOLIZER_TEST(names_are_demangled_unless_asked_otherwise)
{
	elf_writer_function(&fixture->writer, "_Z3foov", ADDRESS + 0x20, 0x10);
	fixture_add(fixture, 0);
	fixture_expect(fixture, 0, OFFSET + 0x20, "foo()");
	fixture_start(fixture, &(struct symbolizer_options){ .no_demangle = true });
	fixture_add(fixture, 0);
	fixture_expect(fixture, 0, OFFSET + 0x20, "_Z3foov");
}

/* The list costs the kernel 30 ms: a profile of user code does without. */
SYMBOLIZER_TEST(the_kernels_list_is_read_at_the_first_question_about_the_kernel)
{
	static const char early[] = "ffffffff81000000 T early\n", later[] = "ffffffff81000000 T later\n";
	struct symbol_query query = { 0xffffffff81000004, true };
	int list = memory_file(early, sizeof(early) - 1), ours = dup(list);
	struct symbol_answer answer;

	symbolizer_add_kernel(fixture->symbolizer, list);
	fixture_add(fixture, 0);
	fixture_expect(fixture, 0, OFFSET, "first");
	assert_int_equal(pwrite(ours, later, sizeof(later) - 1, 0), sizeof(later) - 1);
	symbolizer_name_kernel(fixture->symbolizer, &query, 1, &answer);
	assert_string_equal(answer.name, "later");
	close(ours);
}

SYMBOLIZER_TEST(a_batch_larger_than_a_message_is_answered_in_order)
{
	enum {
		NR = 5000
	};
	_cleanup_(freep) struct symbol_query *queries = calloc(NR, sizeof(*queries));
	_cleanup_(freep) struct symbol_answer *answers = calloc(NR, sizeof(*answers));

	fixture_add(fixture, 0);
	for (int i = 0; i < NR; i++)
		queries[i] = (struct symbol_query){ OFFSET + (unsigned)i % 0x20, true };
	assert_int_equal(symbolizer_name_file(fixture->symbolizer, 0, queries, NR, answers), 0);
	for (int i = 0; i < NR; i++) {
		assert_string_equal(answers[i].name, i % 0x20 < 0x10 ? "first" : "second");
		assert_int_equal(answers[i].offset, i % 0x10);
	}
	assert_ptr_equal(answers[0].name, answers[NR - NR % 0x20 - 0x20].name); /* one string per name */
}

SYMBOLIZER_TEST(very_long_names_come_one_by_one)
{
	enum {
		NR = 20,
		LENGTH = 15000
	};
	struct symbol_query queries[NR];
	struct symbol_answer answers[NR];
	_cleanup_(freep) char *text = malloc(LENGTH + 1);

	for (unsigned int i = 0; i < NR; i++) {
		memset(text, 'a' + (int)i, LENGTH);
		text[LENGTH] = '\0';
		elf_writer_function(&fixture->writer, text, ADDRESS + 0x100 + i * 0x10, 0x10);
		queries[i] = (struct symbol_query){ OFFSET + 0x100 + i * 0x10, true };
	}
	fixture_add(fixture, 0);
	assert_int_equal(symbolizer_name_file(fixture->symbolizer, 0, queries, NR, answers), 0);
	for (unsigned int i = 0; i < NR; i++) {
		memset(text, 'a' + (int)i, LENGTH);
		assert_string_equal(answers[i].name, text);
	}
}

SYMBOLIZER_TEST(the_kernels_list_names_kernel_addresses)
{
	static const char list[] = "ffffffff81000000 T start\nffffffff81000100 T _etext\n"
				   "ffffffffc0000000 t function\t[module]\n";
	struct symbol_query queries[] = { { 0xffffffff81000010, true }, { 0xffffffffc0000010, false }, { 5, true } };
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

SYMBOLIZER_TEST(a_map_of_generated_code_is_read_again_as_it_grows)
{
	_cleanup_(closep) int fd = memory_file("1000 10 first\n", 14);
	struct symbol_function *functions;
	size_t nr;

	assert_int_equal(symbolizer_add_map(fixture->symbolizer, 3, dup(fd), 0), 0);
	fixture_expect(fixture, 3, 0x100f, "first");
	assert_int_equal(fixture_name(fixture, 3, 0x1010, true).status, SYMBOL_NOT_FOUND);
	assert_int_equal(pwrite(fd, "1000 20 _Z6secondv\n", 19, 14), 19);
	fixture_expect(fixture, 3, 0x1010, "second()");
	fixture_expect(fixture, 3, 0x1000, "second()");
	assert_int_equal(symbolizer_find(fixture->symbolizer, 3, "first", &functions, &nr), -ENOEXEC);
}

SYMBOLIZER_TEST(a_hidden_kernel_list_is_a_reason)
{
	static const char list[] = "0000000000000000 T start\n";
	struct symbol_query query = { 0xffffffff81000010, true };
	struct symbol_answer answer;

	symbolizer_add_kernel(fixture->symbolizer, memory_file(list, sizeof(list) - 1));
	symbolizer_name_kernel(fixture->symbolizer, &query, 1, &answer);
	assert_int_equal(answer.status, SYMBOL_HIDDEN);
}

/* ---- without a symbol ---- */

SYMBOLIZER_TEST(a_function_without_symbol_is_told_by_its_unwind_entry)
{
	/* One CIE, and an FDE for 0x40 bytes at ADDRESS + 0x100, both with absolute addresses; both are 20 bytes after
	 * their length. */
	static const uint32_t section[] = { 16,   0, 0x00527a01, 0x01107801, 0x00000003, 16, 24, ADDRESS + 0x100,
					    0x40, 0, 0 };
	struct symbol_answer answer;

	elf_writer_extra(&fixture->writer, ".eh_frame", &(Elf64_Shdr){ .sh_type = SHT_PROGBITS }, section,
			 sizeof(section));
	fixture_add(fixture, 0);
	answer = fixture_name(fixture, 0, OFFSET + 0x13f, true);
	assert_string_equal(answer.name, "fn_0x2100");
	assert_true(answer.nameless);
	assert_int_equal(answer.offset, 0x3f);
	assert_int_equal(fixture_name(fixture, 0, OFFSET + 0x140, true).status, SYMBOL_NOT_FOUND);
	answer = fixture_name(fixture, 0, OFFSET + 0x100, false); /* to which nothing calls */
	assert_string_equal(answer.name, "fn_0x2100");
	assert_int_equal(answer.offset, 0);
	assert_false(fixture_name(fixture, 0, OFFSET, true).nameless);
}

/* ---- debug files ---- */

static void make_stripped_file(struct fixture *fixture)
{
	elf_writer_done(&fixture->writer);
	elf_writer_init(&fixture->writer, ET_DYN);
	elf_writer_code(&fixture->writer, ADDRESS, OFFSET, SIZE);
	elf_writer_symbol(&fixture->writer, DYNSYM, "exported", ADDRESS, 0x10, STT_FUNC, STB_GLOBAL);
	elf_writer_build_id(&fixture->writer, "identity", 8);
}

SYMBOLIZER_TEST(the_packed_symbols_in_the_file_are_used)
{
	static unsigned char packed[65536];
	struct elf_writer mini;
	size_t nr = 0;

	elf_writer_init(&mini, ET_DYN);
	elf_writer_code(&mini, ADDRESS, 0x40, SIZE);
	elf_writer_symbol(&mini, SYMTAB, "internal", ADDRESS + 0x100, 0x10, STT_FUNC, STB_LOCAL);
	elf_writer_finish(&mini);
	assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, (const uint8_t *)mini.image.data,
						 mini.image.nr, packed, &nr, sizeof(packed)),
			 LZMA_OK);
	elf_writer_done(&mini);
	make_stripped_file(fixture);
	elf_writer_extra(&fixture->writer, ".gnu_debugdata", &(Elf64_Shdr){ .sh_type = SHT_PROGBITS }, packed, nr);
	fixture_add(fixture, 0);
	fixture_expect(fixture, 0, OFFSET + 0x105, "internal");
	fixture_expect(fixture, 0, OFFSET, "exported");
}

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
	fixture_start(fixture, &(struct symbolizer_options){ .open_debug = fixture_open_debug, .context = fixture });
}

SYMBOLIZER_TEST(the_debug_file_of_a_stripped_file_is_asked_for_once)
{
	make_stripped_file(fixture);
	make_debug_file(fixture, "identity");
	fixture_add(fixture, 0);
	assert_int_equal(fixture->nr_debug_asked, 0); /* nobody has asked for a name yet */
	fixture_expect(fixture, 0, OFFSET + 0x105, "internal");
	fixture_expect(fixture, 0, OFFSET, "exported");
	assert_int_equal(fixture->nr_debug_asked, 1);
	assert_string_equal(fixture->debug_asked, "6964656e74697479");
	assert_string_equal(symbolizer_build_id(fixture->symbolizer, 0), "6964656e74697479");
}

SYMBOLIZER_TEST(a_debug_file_of_another_build_is_not_used)
{
	make_stripped_file(fixture);
	make_debug_file(fixture, "another!");
	fixture_add(fixture, 0);
	assert_int_equal(fixture_name(fixture, 0, OFFSET + 0x105, true).status, SYMBOL_NOT_FOUND);
	fixture_expect(fixture, 0, OFFSET, "exported");
}

SYMBOLIZER_TEST(the_next_debug_file_is_asked_for_when_one_is_anothers)
{
	make_stripped_file(fixture);
	make_debug_file(fixture, "another!");
	fixture->wrong_debug_fd = fixture->debug_fd;
	make_debug_file(fixture, "identity");
	fixture_add(fixture, 0);
	fixture_expect(fixture, 0, OFFSET + 0x105, "internal");
	assert_int_equal(fixture->nr_debug_asked, 2);
}

/* A debug link to a file of this checksum, and no build id. */
static void make_linked_file(struct fixture *fixture, uint32_t checksum, char link[20])
{
	elf_writer_done(&fixture->writer);
	elf_writer_init(&fixture->writer, ET_DYN);
	elf_writer_code(&fixture->writer, ADDRESS, OFFSET, SIZE);
	elf_writer_symbol(&fixture->writer, DYNSYM, "exported", ADDRESS, 0x10, STT_FUNC, STB_GLOBAL);
	memcpy(link, "program.debug\0\0\0", 16);
	memcpy(link + 16, &checksum, 4);
	elf_writer_extra(&fixture->writer, ".gnu_debuglink", &(Elf64_Shdr){ .sh_type = SHT_PROGBITS }, link, 20);
}

static uint32_t checksum_of(int fd)
{
	unsigned char bytes[65536];
	ssize_t nr = pread(fd, bytes, sizeof(bytes), 0);

	return (uint32_t)crc32(0, bytes, (unsigned int)nr);
}

SYMBOLIZER_TEST(without_a_build_id_the_checksum_of_the_debug_file_decides)
{
	char link[20];

	make_debug_file(fixture, "whatever");
	make_linked_file(fixture, checksum_of(fixture->debug_fd), link);
	fixture_add(fixture, 0);
	fixture_expect(fixture, 0, OFFSET + 0x105, "internal");
	assert_string_equal(fixture->link_asked, "program.debug");
	assert_string_equal(fixture->debug_asked, "");
	make_linked_file(fixture, 1 + checksum_of(fixture->debug_fd), link);
	fixture_add(fixture, 1);
	assert_int_equal(fixture_name(fixture, 1, OFFSET + 0x105, true).status, SYMBOL_NOT_FOUND);
}

SYMBOLIZER_TEST(a_debug_link_that_leads_elsewhere_is_none)
{
	static char link[24] = "../../etc/shadow";

	make_debug_file(fixture, "whatever");
	make_linked_file(fixture, 0, (char[20]){});
	fixture->writer.extras.data[0].bytes = link;
	fixture->writer.extras.data[0].header.sh_size = sizeof(link);
	fixture_add(fixture, 0);
	fixture_expect(fixture, 0, OFFSET, "exported");
	assert_int_equal(fixture->nr_debug_asked, 0);
}

SYMBOLIZER_TEST(a_missing_debug_file_changes_nothing)
{
	make_stripped_file(fixture);
	fixture_start(fixture, &(struct symbolizer_options){ .open_debug = fixture_open_debug, .context = fixture });
	fixture_add(fixture, 0);
	fixture_expect(fixture, 0, OFFSET, "exported");
	assert_int_equal(fixture->nr_debug_asked, 1);
}

SYMBOLIZER_TEST(a_file_with_a_symtab_needs_no_debug_file)
{
	elf_writer_build_id(&fixture->writer, "identity", 8);
	make_debug_file(fixture, "identity");
	fixture_add(fixture, 0);
	fixture_expect(fixture, 0, OFFSET, "first");
	assert_int_equal(fixture->nr_debug_asked, 0);
}

/* ---- functions by name ---- */

SYMBOLIZER_TEST(functions_are_found_by_pattern_in_the_order_of_the_file)
{
	_cleanup_(freep) struct symbol_function *functions;
	size_t nr;

	elf_writer_symbol(&fixture->writer, SYMTAB, "alias", ADDRESS + 0x10, 0x10, STT_FUNC, STB_LOCAL);
	elf_writer_symbol(&fixture->writer, SYMTAB, "chooser", ADDRESS + 0x40, 0x10, STT_GNU_IFUNC, STB_GLOBAL);
	elf_writer_function(&fixture->writer, "_ZN2ns4workEv", ADDRESS + 0x30, 0);
	fixture_add(fixture, 0);
	assert_int_equal(symbolizer_find(fixture->symbolizer, 0, "^(second|alias|chooser|first)$", &functions, &nr), 0);
	assert_int_equal(nr, 4);
	assert_string_equal(functions[0].name, "first");
	assert_int_equal(functions[0].file_offset, OFFSET);
	assert_int_equal(functions[0].size, 0x10);
	assert_int_equal(functions[1].file_offset, OFFSET + 0x10);
	assert_int_equal(functions[2].file_offset, OFFSET + 0x10);
	assert_int_equal(functions[3].kind, FUNCTION_RESOLVER);
	free(functions);
	assert_int_equal(symbolizer_find(fixture->symbolizer, 0, "^ns::work\\(\\)$", &functions, &nr), 0);
	assert_int_equal(nr, 1);
	assert_string_equal(functions[0].name, "_ZN2ns4workEv");
	assert_int_equal(functions[0].size, 0);
	free(functions);
	assert_int_equal(symbolizer_find(fixture->symbolizer, 0, "^nothing$", &functions, &nr), 0);
	assert_int_equal(nr, 0);
}

SYMBOLIZER_TEST(functions_are_found_by_their_readable_name_without_parameters)
{
	_cleanup_(freep) struct symbol_function *functions;
	size_t nr;

	elf_writer_function(&fixture->writer, "_ZN2ns4workEi", ADDRESS + 0x30, 4);
	elf_writer_function(&fixture->writer, "_ZN2ns4workEc", ADDRESS + 0x40, 4);
	elf_writer_function(&fixture->writer, "_ZN2ns6workerEc", ADDRESS + 0x50, 4);
	fixture_add(fixture, 0);
	assert_int_equal(symbolizer_find(fixture->symbolizer, 0, "^ns::work$", &functions, &nr), 0);
	assert_int_equal(nr, 2);
	free(functions);
	assert_int_equal(symbolizer_find(fixture->symbolizer, 0, "^ns::work\\(int\\)$", &functions, &nr), 0);
	assert_int_equal(nr, 1);
	assert_string_equal(functions[0].name, "_ZN2ns4workEi");
	assert_null(functions[0].readable);
	free(functions);
	assert_int_equal(symbolizer_find_readable(fixture->symbolizer, 0, "^(first|_ZN2ns4workEi)$", &functions, &nr),
			 0);
	assert_int_equal(nr, 2);
	assert_null(functions[0].readable);
	assert_string_equal(functions[1].name, "_ZN2ns4workEi");
	assert_string_equal(functions[1].readable, "ns::work(int)");
}

/* Nothing but the asterisk means anything in a wildcard. */
SYMBOLIZER_TEST(names_of_go_are_no_expressions)
{
	static const char *const patterns[] = { "main.(*T).f", "main.(*).f", "main.*" };

	elf_writer_function(&fixture->writer, "main.(*T).f", ADDRESS + 0x30, 4);
	elf_writer_function(&fixture->writer, "mainly", ADDRESS + 0x40, 4);
	fixture_add(fixture, 0);
	for (size_t i = 0; i < 3; i++) {
		struct symbol_function *functions;
		char *pattern = match_wildcard(patterns[i]);
		size_t nr;

		assert_int_equal(symbolizer_find(fixture->symbolizer, 0, pattern, &functions, &nr), 0);
		assert_int_equal(nr, 1);
		assert_string_equal(functions[0].name, "main.(*T).f");
		free(functions);
		free(pattern);
	}
}

SYMBOLIZER_TEST(thousands_of_functions_come_in_several_messages)
{
	enum {
		NR = 10000
	};
	_cleanup_(freep) struct symbol_function *functions;
	char text[64];
	size_t nr;

	for (unsigned int i = 0; i < NR; i++) {
		snprintf(text, sizeof(text), "function_number_%05u", i);
		elf_writer_function(&fixture->writer, text, ADDRESS + 0x100 + i, 1);
	}
	fixture_add(fixture, 0);
	assert_int_equal(symbolizer_find(fixture->symbolizer, 0, "^function_", &functions, &nr), 0);
	assert_int_equal(nr, NR);
	for (unsigned int i = 0; i < NR; i++) {
		snprintf(text, sizeof(text), "function_number_%05u", i);
		assert_string_equal(functions[i].name, text);
	}
}

SYMBOLIZER_TEST(what_cannot_be_searched_says_why)
{
	struct symbol_function *functions;
	size_t nr;

	fixture_add(fixture, 0);
	symbolizer_add_file(fixture->symbolizer, 1, memory_file("not elf", 7), 0);
	assert_int_equal(symbolizer_find(fixture->symbolizer, 0, "(", &functions, &nr), -EINVAL);
	assert_int_equal(symbolizer_find(fixture->symbolizer, 1, "a", &functions, &nr), -ENOEXEC);
	assert_int_equal(symbolizer_find(fixture->symbolizer, 2, "a", &functions, &nr), -ENOENT);
}

SYMBOLIZER_TEST(lines_that_cannot_be_told_say_why)
{
	const size_t too_many = (1 << 20) + 1;
	_cleanup_(freep) struct symbol_query *queries = calloc(too_many, sizeof(*queries));
	struct symbolizer *symbolizer;
	struct symbol_lines lines;

	fixture_start(fixture, &(struct symbolizer_options){ .lines = true });
	symbolizer = fixture->symbolizer;
	fixture_add(fixture, 0);
	symbolizer_add_file(symbolizer, 1, memory_file("not elf", 7), 0);
	symbolizer_add_file(symbolizer, 2, memory_file(fixture->writer.image.data, 1000), 0);
	assert_int_equal(symbolizer_lines(symbolizer, 0, queries, 1, true, 0, &lines), -ENODATA);
	assert_int_equal(symbolizer_lines(symbolizer, 0, queries, too_many - 1, true, 0, &lines), -ENODATA);
	assert_int_equal(symbolizer_lines(symbolizer, 0, queries, too_many, true, 0, &lines), -E2BIG);
	assert_int_equal(symbolizer_lines(symbolizer, 1, queries, 1, true, 0, &lines), -ENOEXEC);
	assert_int_equal(symbolizer_lines(symbolizer, 2, queries, 1, true, 0, &lines), -ENOEXEC);
	assert_int_equal(symbolizer_lines(symbolizer, 3, queries, 1, true, 0, &lines), -ENOENT);
	fixture_expect(fixture, 0, OFFSET, "first");
}

/* So many places that sorting them alone takes longer than the question may; the file is this program. */
SYMBOLIZER_TEST(a_question_about_lines_ends_in_time_and_the_worker_lives)
{
	const size_t nr = 1 << 20;
	_cleanup_(freep) struct symbol_query *queries = calloc(nr, sizeof(*queries));
	struct symbolizer *symbolizer;
	struct symbol_lines lines;
	int pid;

	fixture_start(fixture, &(struct symbolizer_options){ .lines = true });
	symbolizer = fixture->symbolizer;
	fixture_add(fixture, 0);
	symbolizer_add_file(symbolizer, 1, open("/proc/self/exe", O_RDONLY | O_CLOEXEC), 0);
	pid = symbolizer_worker_pid(symbolizer);
	for (size_t i = 0; i < nr; i++) /* in no order, all of them within the code */
		queries[i] = (struct symbol_query){ .where = 0x4000 + i * 7919 % 0x2000, .exact = true };
	assert_int_equal(symbolizer_lines(symbolizer, 1, queries, nr, true, 1, &lines), -ETIME);
	assert_null(lines.lines);
	assert_int_equal(symbolizer_lines(symbolizer, 1, queries, 1, true, 10000, &lines), 0);
	symbol_lines_done(&lines);
	assert_int_equal(symbolizer_worker_pid(symbolizer), pid);
	fixture_expect(fixture, 0, OFFSET, "first");
}

SYMBOLIZER_TEST(near_names_are_suggested_best_first)
{
	const char *names[4];

	elf_writer_function(&fixture->writer, "first_of_all", ADDRESS + 0x20, 0x10);
	fixture_add(fixture, 0);
	assert_int_equal(symbolizer_suggest(fixture->symbolizer, 0, "frist", names, 4), 1);
	assert_string_equal(names[0], "first");
	assert_int_equal(symbolizer_suggest(fixture->symbolizer, 0, "first_of_lal", names, 4), 1);
	assert_string_equal(names[0], "first_of_all");
	assert_int_equal(symbolizer_suggest(fixture->symbolizer, 0, "something_else", names, 4), 0);
	assert_int_equal(symbolizer_suggest(fixture->symbolizer, 0, "frist", names, 0), 0);
}

static bool is_told(const char *const *sentences, size_t nr, const char *wanted)
{
	for (size_t i = 0; i < nr; i++)
		if (strstr(sentences[i], wanted))
			return true;
	return false;
}

SYMBOLIZER_TEST(decisions_are_explained)
{
	struct symbol_query query = { .where = ADDRESS + 0x20, .exact = true, .linked = true };
	const char *sentences[64];
	size_t nr;

	elf_writer_function(&fixture->writer, "alias", ADDRESS + 0x20, 0x10);
	elf_writer_function(&fixture->writer, "__libc_alias", ADDRESS + 0x20, 0x10);
	elf_writer_symbol(&fixture->writer, SYMTAB, "hidden", ADDRESS + 0x20, 0x10, STT_FUNC, STB_LOCAL);
	fixture_add(fixture, 0);
	nr = symbolizer_explain(fixture->symbolizer, 0, &query, sentences, 64);
	assert_true(is_told(sentences, nr, "symbol alias: from"));
	assert_true(is_told(sentences, nr, "__libc_alias: it is a name for the library's own use"));
	assert_true(is_told(sentences, nr, "hidden: it is local"));
	query.where = 1;
	nr = symbolizer_explain(fixture->symbolizer, 0, &query, sentences, 64);
	assert_true(is_told(sentences, nr, "no executable segment"));
	assert_int_equal(symbolizer_explain(fixture->symbolizer, 9, &query, sentences, 64), 0);
}
