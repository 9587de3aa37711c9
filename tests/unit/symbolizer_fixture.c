/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/symbolizer_fixture.h"
#include "tests/harness.h"

int fixture_open_debug(void *context, uint32_t file, struct symbol_debug_request *request)
{
	struct fixture *fixture = context;
	unsigned int nr_wrong = fixture->wrong_debug_fd >= 0;
	unsigned int candidate = request->candidate++;

	(void)file;
	fixture->nr_debug_asked++;
	snprintf(fixture->debug_asked, sizeof(fixture->debug_asked), "%s", request->build_id);
	snprintf(fixture->link_asked, sizeof(fixture->link_asked), "%s", request->link);
	if (candidate < nr_wrong)
		return dup(fixture->wrong_debug_fd);
	return candidate == nr_wrong && fixture->debug_fd >= 0 ? dup(fixture->debug_fd) : -ENOENT;
}

int fixture_open_again(void *context, uint32_t file)
{
	struct fixture *fixture = context;

	return file == fixture->again_failed ? -ENOENT : elf_writer_fd(&fixture->writer);
}

void fixture_start(struct fixture *fixture, const struct symbolizer_options *options)
{
	symbolizer_free(fixture->symbolizer);
	assert_int_equal(symbolizer_new(options, &fixture->symbolizer), 0);
}

void symbolizer_set_up(struct fixture *fixture)
{
	fixture->debug_fd = fixture->wrong_debug_fd = -1;
	fixture_start(fixture, &(struct symbolizer_options){});
	elf_writer_init(&fixture->writer, ET_DYN);
	elf_writer_code(&fixture->writer, ADDRESS, OFFSET, SIZE);
	elf_writer_function(&fixture->writer, "first", ADDRESS, 0x10);
	elf_writer_function(&fixture->writer, "second", ADDRESS + 0x10, 0x10);
}

void symbolizer_tear_down(struct fixture *fixture)
{
	symbolizer_free(fixture->symbolizer);
	elf_writer_done(&fixture->writer);
	closep(&fixture->debug_fd);
	closep(&fixture->wrong_debug_fd);
}

void fixture_add(struct fixture *fixture, uint32_t number)
{
	if (!fixture->writer.image.nr)
		elf_writer_finish(&fixture->writer);
	assert_int_equal(symbolizer_add_file(fixture->symbolizer, number, elf_writer_fd(&fixture->writer), 0), 0);
}

struct symbol_answer fixture_name(struct fixture *fixture, uint32_t file, uint64_t where, bool exact)
{
	struct symbol_query query = { where, exact };
	struct symbol_answer answer = {};

	symbolizer_name_file(fixture->symbolizer, file, &query, 1, &answer);
	assert_true(!answer.name == (answer.status != SYMBOL_OK));
	return answer;
}

void fixture_expect(struct fixture *fixture, uint32_t file, uint64_t where, const char *expected)
{
	struct symbol_answer answer = fixture_name(fixture, file, where, true);

	assert_int_equal(answer.status, SYMBOL_OK);
	assert_string_equal(answer.name, expected);
}

void fixture_expect_status(struct fixture *fixture, uint32_t file, enum symbol_status status)
{
	assert_int_equal(fixture_name(fixture, file, OFFSET, true).status, status);
}
