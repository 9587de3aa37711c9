/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwind tables through the symbol worker: what it makes, and what is made of one that dies, hangs or lies. */
#include <dwarf.h>
#include <elf.h>
#include <signal.h>
#include <sys/socket.h>

#include "symbolize/cfi/unwind_compile.h"
#include "symbolize/client/worker_link.h"
#include "tests/unit/cfi_writer.h"
#include "tests/unit/symbolizer_fixture.h"
#include "tests/harness.h"
#include "tests/unwind_rule.h"

enum {
	WAIT_MS = 10000,
};

/* A file with two rules besides none; its rows are 8 bytes above rsp, then `cfa`. */
static int some_file(uint8_t cfa)
{
	struct cfi_writer writer = {};
	int fd;

	cfi_writer_cie(&writer, "", INSTRUCTIONS(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
	cfi_writer_fde(&writer, CFI_CODE, 0x100, INSTRUCTIONS(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, cfa));
	fd = cfi_writer_fd(&writer, ".eh_frame", SHF_ALLOC);
	cfi_writer_done(&writer);
	return fd;
}

static void want(struct fixture *fixture, uint32_t number, int fd)
{
	assert_int_equal(symbolizer_want_unwind(fixture->symbolizer, number, fd, 0), 0);
}

static void expect_status(struct fixture *fixture, uint32_t number, enum symbol_status status)
{
	struct symbol_unwind unwind;

	assert_true(symbolizer_next_unwind(fixture->symbolizer, WAIT_MS, &unwind));
	assert_int_equal(unwind.number, number);
	assert_int_equal(unwind.status, status);
	assert_int_equal(unwind.table.rows.nr, 0);
	unwind_table_done(&unwind.table);
}

static void expect_table(struct fixture *fixture, uint32_t number, uint8_t cfa)
{
	struct symbol_unwind unwind;

	assert_true(symbolizer_next_unwind(fixture->symbolizer, WAIT_MS, &unwind));
	assert_int_equal(unwind.number, number);
	assert_int_equal(unwind.status, SYMBOL_OK);
	assert_int_equal(unwind.table.facts.nr_functions, 1);
	assert_int_equal(unwind_table_rule(&unwind.table, CFI_CODE).offset, 8);
	assert_int_equal(unwind_table_rule(&unwind.table, CFI_CODE + 1).offset, cfa);
	unwind_table_done(&unwind.table);
}

static void expect_nothing(struct fixture *fixture)
{
	struct symbol_unwind unwind;

	assert_false(symbolizer_next_unwind(fixture->symbolizer, 0, &unwind));
}

SYMBOLIZER_TEST(tables_come_in_the_order_of_asking)
{
	expect_nothing(fixture);
	for (uint8_t i = 0; i < 40; i++)
		want(fixture, 100u - i, some_file((uint8_t)(16 + i)));
	for (uint8_t i = 0; i < 40; i++)
		expect_table(fixture, 100u - i, (uint8_t)(16 + i));
	expect_nothing(fixture);
}

SYMBOLIZER_TEST(a_file_without_a_table_has_a_reason)
{
	want(fixture, 1, memory_file("#!/bin/sh\n", 10));
	elf_writer_finish(&fixture->writer);
	want(fixture, 2, elf_writer_fd(&fixture->writer));
	want(fixture, 3, open("/proc/self", O_RDONLY | O_CLOEXEC));
	want(fixture, 4, -1);
	want(fixture, 5, some_file(16));
	expect_status(fixture, 1, SYMBOL_NOT_ELF);
	expect_status(fixture, 2, SYMBOL_NO_TABLE);
	expect_status(fixture, 3, SYMBOL_NO_FILE);
	expect_status(fixture, 4, SYMBOL_NO_FILE);
	expect_table(fixture, 5, 16);
}

static bool same(const void *left, size_t nr_left, const void *right, size_t nr_right)
{
	return nr_left == nr_right && !memcmp(left, right, nr_left);
}

/* Its libraries may have one. */
SYMBOLIZER_TEST(a_file_without_a_table_has_needs)
{
	static const Elf64_Shdr section = { .sh_type = SHT_PROGBITS };
	struct elf_writer *writer = &fixture->writer;
	size_t number = writer->segments.nr;
	struct symbol_unwind unwind;
	Elf64_Phdr *loader;
	Elf64_Shdr *text;

	elf_writer_segment(writer, &(Elf64_Phdr){ .p_type = PT_INTERP });
	elf_writer_extra(writer, ".interp", &section, "/lib/ld.so", 11);
	elf_writer_finish(writer);
	text = elf_writer_section(writer, SECTION_NR);
	loader = elf_writer_segment_header(writer, number);
	loader->p_offset = text->sh_offset;
	loader->p_filesz = text->sh_size;
	want(fixture, 1, elf_writer_fd(writer));
	assert_true(symbolizer_next_unwind(fixture->symbolizer, WAIT_MS, &unwind));
	assert_int_equal(unwind.status, SYMBOL_NO_TABLE);
	assert_int_equal(unwind.table.needs.nr, 13);
	assert_memory_equal(unwind.table.needs.data, "\0l/lib/ld.so", 13);
	unwind_table_done(&unwind.table);
}

/* libc: in many parts. */
SYMBOLIZER_TEST(a_large_table_arrives_whole)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct symbol_unwind unwind;
	_cleanup_(unwind_table_done) struct unwind_table table;
	_cleanup_(elf_file_done) struct elf_file elf;

	for (size_t i = 0; i < 2; i++) { /* a larger one where it is */
		int other =
			open(i ? "/usr/lib64/libc.so.6" : "/usr/lib/x86_64-linux-gnu/libc.so.6", O_RDONLY | O_CLOEXEC);

		if (other >= 0) {
			close(fd);
			fd = other;
		}
	}
	assert_int_equal(elf_file_open(&elf, fd), 0);
	assert_int_equal(unwind_compile(&elf, &table), 0);
	want(fixture, 1, fd);
	assert_true(symbolizer_next_unwind(fixture->symbolizer, WAIT_MS, &unwind));
	assert_int_equal(unwind.status, SYMBOL_OK);
	assert_int_equal(unwind.table.first_page, table.first_page);
	assert_true(unwind.table.needs.nr); /* the loader, if it is libc */
	assert_int_equal(vec_last(&unwind.table.needs), '\0');
	assert_int_equal(unwind.table.nr_segments, table.nr_segments);
	assert_memory_equal(unwind.table.segments, table.segments, sizeof(table.segments));
	assert_true(same(unwind.table.pages.data, 8 * unwind.table.pages.nr, table.pages.data, 8 * table.pages.nr));
	assert_true(same(unwind.table.rows.data, 4 * unwind.table.rows.nr, table.rows.data, 4 * table.rows.nr));
	assert_true(same(unwind.table.rules.data, 8 * unwind.table.rules.nr, table.rules.data, 8 * table.rules.nr));
	unwind_table_done(&unwind.table);
}

SYMBOLIZER_TEST(names_are_answered_while_tables_are_made)
{
	for (uint8_t i = 0; i < 20; i++)
		want(fixture, i, some_file((uint8_t)(16 + i)));
	fixture_add(fixture, 0);
	fixture_expect(fixture, 0, OFFSET, "first");
	for (uint8_t i = 0; i < 20; i++)
		expect_table(fixture, i, (uint8_t)(16 + i));
	fixture_expect(fixture, 0, OFFSET + 0x10, "second");
}

SYMBOLIZER_TEST(looking_often_does_not_give_a_starting_worker_up)
{
	struct symbol_unwind unwind;

	want(fixture, 1, some_file(16));
	while (!symbolizer_next_unwind(fixture->symbolizer, 1, &unwind))
		;
	assert_int_equal(unwind.status, SYMBOL_OK);
	unwind_table_done(&unwind.table);
}

SYMBOLIZER_TEST(too_many_at_once_are_refused)
{
	for (uint32_t i = 0; i < UNWIND_REQUESTS_MAX; i++)
		want(fixture, i, some_file(16));
	assert_int_equal(symbolizer_want_unwind(fixture->symbolizer, 1, some_file(16), 0), -EAGAIN);
	expect_table(fixture, 0, 16);
	want(fixture, UNWIND_REQUESTS_MAX, some_file(32));
	for (uint32_t i = 1; i < UNWIND_REQUESTS_MAX; i++)
		expect_table(fixture, i, 16);
	expect_table(fixture, UNWIND_REQUESTS_MAX, 32);
}

/* ---- a worker that dies, hangs or lies ---- */

SYMBOLIZER_TEST(what_a_dead_worker_had_is_made_by_the_next)
{
	int pid = symbolizer_worker_pid(fixture->symbolizer);

	kill(pid, SIGSTOP);
	for (uint8_t i = 0; i < 20; i++)
		want(fixture, i, some_file((uint8_t)(16 + i)));
	fixture_add(fixture, 0);
	kill(pid, SIGKILL);
	expect_status(fixture, 0, SYMBOL_WORKER_DIED); /* the first is to blame */
	for (uint8_t i = 1; i < 20; i++)
		expect_table(fixture, i, (uint8_t)(16 + i));
	fixture_expect(fixture, 0, OFFSET, "first");
}

SYMBOLIZER_TEST(a_file_before_it_is_to_blame_and_the_table_is_not)
{
	int pid = symbolizer_worker_pid(fixture->symbolizer);

	kill(pid, SIGSTOP);
	fixture_add(fixture, 0);
	want(fixture, 1, some_file(16));
	kill(pid, SIGKILL);
	expect_table(fixture, 1, 16);
	fixture_expect_status(fixture, 0, SYMBOL_WORKER_DIED);
}

SYMBOLIZER_TEST(a_hanging_worker_costs_the_table_it_hangs_on)
{
	struct symbol_unwind unwind;

	fixture_start(fixture, &(struct symbolizer_options){ .timeout_ms = 1000 });
	kill(symbolizer_worker_pid(fixture->symbolizer), SIGSTOP);
	want(fixture, 1, some_file(16));
	want(fixture, 2, some_file(24));
	assert_false(symbolizer_next_unwind(fixture->symbolizer, 10, &unwind));
	expect_status(fixture, 1, SYMBOL_TIMEOUT);
	expect_table(fixture, 2, 24);
}

SYMBOLIZER_TEST(in_a_pause_every_table_has_a_reason)
{
	for (uint32_t i = 0; i < 4; i++) {
		int pid = symbolizer_worker_pid(fixture->symbolizer);

		kill(pid, SIGSTOP);
		want(fixture, i, some_file(16));
		kill(pid, SIGKILL);
		if (i == 3)
			want(fixture, 4, some_file(16)); /* it would be sent again */
		expect_status(fixture, i, SYMBOL_WORKER_DIED);
	}
	expect_status(fixture, 4, SYMBOL_PAUSED);
	want(fixture, 5, some_file(16));
	expect_status(fixture, 5, SYMBOL_PAUSED);
	(*(struct worker_link **)fixture->symbolizer)->paused_until_ms = 0;
	want(fixture, 6, some_file(16));
	expect_table(fixture, 6, 16);
}

/* Puts a worker of our own in the place of the real one; its end of the socket. */
static int replace_worker(struct fixture *fixture)
{
	struct worker_link *link = *(struct worker_link **)fixture->symbolizer;
	int pair[2];

	symbolizer_worker_pid(fixture->symbolizer); /* it has started */
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	close(link->socket);
	link->socket = pair[0];
	return pair[1];
}

static void say_head(int socket, uint32_t number, const struct wire_unwind *wire)
{
	static struct draft draft;

	draft_start(&draft, MESSAGE_UNWIND_TABLE, number);
	draft_element(&draft, wire, sizeof(*wire));
	draft_send(&draft, socket, true, -1);
}

/* Whatever a liar says, its table is refused, and the next one comes from an honest worker. */
static void expect_distrust(struct fixture *fixture, uint32_t number, const struct wire_unwind *wire, const void *words,
			    uint32_t nr_words)
{
	_cleanup_(closep) int socket;

	fixture_start(fixture, &(struct symbolizer_options){});
	socket = replace_worker(fixture);
	want(fixture, 1, some_file(16));
	want(fixture, 2, some_file(24));
	if (wire)
		say_head(socket, number, wire);
	if (words)
		message_send_words(socket, MESSAGE_UNWIND_PART, number, words, nr_words);
	expect_status(fixture, 1, SYMBOL_WORKER_DIED);
	expect_table(fixture, 2, 24);
}

SYMBOLIZER_TEST(lies_are_refused)
{
	const struct wire_unwind small = { .nr_pages = 1, .nr_rows = 1, .nr_rules = 1 };
	const struct wire_unwind many_rules = { .nr_rules = UINT32_MAX };
	const struct wire_unwind many_rows = { .nr_rules = 1, .nr_rows = UNWIND_ROWS_MAX + 1 };
	const struct wire_unwind many_pages = { .nr_rules = 1, .nr_pages = UNWIND_PAGES_MAX + 1 };
	const struct wire_unwind many_segments = { .nr_rules = 1, .nr_segments = UNWIND_SEGMENTS_MAX + 1 };
	const struct wire_unwind no_rule = { .nr_rows = 1 };
	const uint32_t bad_row[] = { 0, 1, 1 /* rule 1 */, 0, 0 };
	const uint32_t bad_page[] = { 0, 2 /* rows */, 0, 0, 0 };
	const uint32_t too_long[6] = {};

	expect_distrust(fixture, 7, &small, NULL, 0); /* a table that nobody asked for */
	expect_distrust(fixture, 1, &many_rules, NULL, 0);
	expect_distrust(fixture, 1, &many_rows, NULL, 0);
	expect_distrust(fixture, 1, &many_pages, NULL, 0);
	expect_distrust(fixture, 1, &no_rule, NULL, 0);
	expect_distrust(fixture, 1, &many_segments, too_long, 2);
	expect_distrust(fixture, 1, &small, bad_row, 5);
	expect_distrust(fixture, 1, &small, bad_page, 5);
	expect_distrust(fixture, 1, &small, too_long, 6);
	expect_distrust(fixture, 1, NULL, too_long, 6); /* a part without a head */
}

SYMBOLIZER_TEST(a_second_head_is_refused)
{
	const struct wire_unwind small = { .nr_pages = 1, .nr_rows = 1, .nr_rules = 1 };
	_cleanup_(closep) int socket = replace_worker(fixture);

	want(fixture, 1, some_file(16));
	say_head(socket, 1, &small);
	say_head(socket, 1, &small);
	expect_status(fixture, 1, SYMBOL_WORKER_DIED);
}
