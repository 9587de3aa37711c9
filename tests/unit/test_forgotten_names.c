/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of weeks: names that nobody needs any more are freed, and count no more. */
#include "symbolize/client/worker_link.h"
#include "tests/unit/symbolizer_fixture.h"

#include "tests/harness.h"

/* The first member of a symbolizer: its links, the host's first. */
static struct worker_link *link_of(struct fixture *fixture, size_t number)
{
	return ((struct worker_link **)fixture->symbolizer)[number];
}

/* What was forgotten may be had again; what the caller still has counts. */
SYMBOLIZER_TEST(names_that_are_forgotten_make_room)
{
	struct worker_link *user;
	struct text_pool *names;
	int fd;

	if (geteuid())
		skip(); /* it gives a file away */
	fixture_start(fixture, &(struct symbolizer_options){ .open_again = fixture_open_again, .context = fixture });
	elf_writer_finish(&fixture->writer);
	fd = elf_writer_fd(&fixture->writer);
	assert_int_equal(fchown(fd, 1000, 1000), 0);
	assert_int_equal(symbolizer_add_file(fixture->symbolizer, 0, fd, 0), 0);
	names = &link_of(fixture, 0)->shared->names;
	user = link_of(fixture, 1);
	fixture_expect(fixture, 0, OFFSET, "first");
	user->nr_text = 64 << 20;
	fixture_expect_status(fixture, 0, SYMBOL_NO_MEMORY);
	symbolizer_forget_names(fixture->symbolizer, 1000);
	assert_int_equal(names->nr_bytes, 0);
	assert_int_equal(names->chunks.nr, 0);
	fixture_expect(fixture, 0, OFFSET, "first");
	assert_int_equal(names->nr_bytes, sizeof("first"));
	assert_int_equal(user->nr_text, sizeof("first"));
	symbolizer_forget_names(fixture->symbolizer, 512 << 20);
	fixture_expect_status(fixture, 0, SYMBOL_NO_MEMORY);
}

/* Functions that were searched are places of probes, which last as long as the run. */
SYMBOLIZER_TEST(functions_that_were_found_are_not_forgotten)
{
	_cleanup_(freep) struct symbol_function *functions = NULL;
	const char *build_id;
	size_t nr;

	fixture_add(fixture, 0);
	build_id = symbolizer_build_id(fixture->symbolizer, 0);
	assert_int_equal(symbolizer_find(fixture->symbolizer, 0, "^second$", &functions, &nr), 0);
	fixture_expect(fixture, 0, OFFSET, "first");
	symbolizer_forget_names(fixture->symbolizer, 0);
	assert_int_equal(nr, 1);
	assert_string_equal(functions[0].name, "second");
	assert_string_equal(build_id, symbolizer_build_id(fixture->symbolizer, 0));
}
