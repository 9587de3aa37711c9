/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded text of any tool: what is taken for what, and that our own lines come back as they were. */
#include "core/formats/text_read.h"

#include "core/base/err.h"
#include "core/formats/profile_file.h"
#include "tests/unit/profile_text.h"
#include "tests/harness.h"

static int read_text(const char *text, struct profile *profile, struct buf *ret_notes)
{
	err_clear();
	return folded_decode(text, strlen(text), "test", profile, ret_notes);
}

/* What is printed for these lines, in ascending order of the count. */
static void expect(const char *lines, const char *wanted)
{
	_cleanup_(profile_done) struct profile profile;
	_cleanup_(buf_done) struct buf notes = {};

	assert_int_equal(read_text(lines, &profile, &notes), 0);
	expect_report(&profile, wanted);
}

static void same(const char *lines)
{
	expect(lines, lines);
}

TEST(our_own_lines_come_back)
{
	same("app;main;read 2\napp;main;write 3\n");
	same(";main;read 2\n");
	same("app;main;-;entry_[k];submit_[k] 2\napp;main 3\n");
	same("app;main;-;entry;submit 2\n");
	same("app;main;entry_[k] 2\n");
	same("app;[Missed User Stack];-;[truncated]_[k];entry_[k] 4\n");
	same("[unknown];[stack lost: ring full] 7\n");
	same("a\\x3bb 3\\x0a;x\\\\y;main\\x2012 5\n");
	same("Web Content;operator new(unsigned long);std::pair<int, char>::swap(int, char) 5\n");
	same("lonely 1\n");
	same("\xc3\xbc;\xe2\x82\xac 1\n");
}

TEST(foreign_lines_are_understood)
{
	expect("main;read 1.6\n", "main;read 2\n");              /* a factor made fractions of it */
	expect("a;b 1\na;b 2\n", "a;b 3\n");
	expect("# comment\n\na;b 1\r\n", "a;b 1\n");
	expect("a;b\t4", "a;b 4\n");
	expect("target;-;kernel;--;waker;-;user 3\n", "target;-;kernel;--;waker;-;user 3\n");
	expect("a;[libc.so.6];b_[j] 3\n", "a;[libc.so.6];b_[j] 3\n");
	expect("a;b 0\nc 1\n", "c 1\n");
	expect("a;x\x1b[2Jy 1\n", "a;x\\x1b[2Jy 1\n");
}

TEST(lines_without_a_count_are_counted)
{
	_cleanup_(profile_done) struct profile profile;
	_cleanup_(buf_done) struct buf notes = {};

	assert_int_equal(read_text("Attaching 3 probes...\na;b 1\nc 1\nd 1\ne 1\n;;;\n99999999999999999999 \n"
				   "x 99999999999999999999\n",
				   &profile, &notes),
			 0);
	assert_string_equal(buf_text(&notes), "WARNING: 4 lines are not folded stacks and were skipped\n");
}

/* Some tools scale counts to fractions. Counts that become 0 are reported; a count that was 0 is not. */
TEST(counts_that_are_rounded_to_nothing_are_counted)
{
	_cleanup_(profile_done) struct profile profile;
	_cleanup_(buf_done) struct buf notes = {};

	assert_int_equal(read_text("a;b 0.4\na;c 0.6\na;d 0\na;e 0.0\na;f 0.049\n", &profile, &notes), 0);
	assert_int_equal(profile.intervals.data[0].rows.nr, 1);
	assert_string_equal(buf_text(&notes), "WARNING: 2 counts below 0.5 were rounded to 0\n");
}

TEST(what_is_no_profile_is_refused)
{
	static const char *const texts[] = {
		"hello\nworld\n", "\x1f\x8b\x08", "{\"a\":1}", "a;b;c", "12", "  main\n    -  app (12)\n        15\n"
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		_cleanup_(profile_done) struct profile profile;
		_cleanup_(buf_done) struct buf notes = {};

		assert_true(read_text(texts[i], &profile, &notes) < 0);
		assert_non_null(strstr(err_cause(), "neither a saved profile, nor folded stacks"));
	}
}

/* A program has lines of text that end in a number; so has a log. */
TEST(what_looks_like_a_stack_by_chance_is_refused)
{
	static const char binary[] = "\x7f"
				     "ELF\0\0\n use 1024\n in 8\n";
	_cleanup_(profile_done) struct profile program, none, log;
	_cleanup_(buf_done) struct buf notes = {};

	assert_true(folded_decode(binary, sizeof(binary) - 1, "test", &program, &notes) < 0);
	assert_non_null(strstr(err_cause(), "neither a saved profile, nor folded stacks"));
	assert_true(read_text("# a comment\n\n", &none, &notes) < 0);
	assert_non_null(strstr(err_cause(), "'test': has no stacks"));
	assert_true(read_text("started\nrequest took 12\nstopped\n", &log, &notes) < 0);
	assert_non_null(strstr(err_cause(), "not folded stacks: 2 lines are malformed, and only 1 look"));
}

TEST(very_deep_lines_are_cut_at_the_root)
{
	_cleanup_(buf_done) struct buf line = {};
	_cleanup_(profile_done) struct profile profile;
	_cleanup_(buf_done) struct buf notes = {};

	buf_adds(&line, "app");
	for (int i = 0; i < 100000; i++)
		buf_adds(&line, ";f");
	buf_adds(&line, ";leaf 1\n");
	assert_int_equal(folded_decode(line.data, line.nr, "test", &profile, &notes), 0);
	assert_int_equal(profile.records.nr, 1);
	assert_true(profile.records.data[0].nr_user > 1000);
	assert_int_equal(profile.records.data[0].user_status, STACK_TRUNCATED);
	assert_int_equal(profile.records.data[0].kernel_status, STACK_NONE);
	assert_string_equal(
		profile_string(&profile,
			       profile.frames.data[profile.stack_frames.data[profile.records.data[0].first]].name),
		"leaf");
}

TEST(text_frames_can_be_saved)
{
	_cleanup_(profile_done) struct profile profile, loaded;
	_cleanup_(buf_done) struct buf bytes = {};

	profile_of_text("app;main;-;entry_[k] 2\n", &profile);
	profile_encode(&profile, &bytes);
	assert_int_equal(profile_decode(bytes.data, bytes.nr, "test", &loaded), 0);
	expect_report(&loaded, "app;main;-;entry_[k] 2\n");
}
