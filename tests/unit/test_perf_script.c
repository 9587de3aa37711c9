/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of perf script: what is taken for what, and that our own comes back. */
#include "core/formats/text_read.h"

#include "core/base/err.h"
#include "core/render/documents.h"
#include "tests/unit/profile_text.h"
#include "tests/harness.h"

static int read_text(const char *text, struct profile *profile, struct buf *notes)
{
	err_clear();
	return perf_script_decode(text, strlen(text), "test", profile, notes);
}

/* The folded lines of these samples, also after they were written and read once more. */
static void expect(const char *samples, const char *folded)
{
	_cleanup_(profile_done) struct profile profile, again;
	_cleanup_(stream_done) struct stream text = {};
	_cleanup_(buf_done) struct buf notes = {};

	assert_true(perf_script_is(samples, strlen(samples)));
	assert_int_equal(read_text(samples, &profile, &notes), 0);
	profile.view.folded = true;
	expect_report(&profile, folded);
	document_perf(&profile, profile.intervals.data, 1, &text);
	assert_int_equal(read_text(buf_text(&text.text), &again, &notes), 0);
	again.view.folded = true;
	expect_report(&again, folded);
}

TEST(samples_become_stacks)
{
	expect("app 7/8 [000] 1.000001:  3 cycles: \n\tffffffff81000000 sys_read+0x1 ([kernel.kallsyms])\n"
	       "\t  4000 main+0x10 (/usr/bin/app)\n\n",
	       "app;main;sys_read 3\n");
	expect("app 8 1.5: cycles:u: \n\t4000 main+0x10 (/usr/bin/app)\n"
	       "app 8 1.6: cycles:u: \n\t4004 main+0x14 (/usr/bin/app)", /* no empty lines; one row by name */
	       "app;main 2\n");
	expect("# comment\n\n  Web Content 3  12 [001] 5.000000: 1 c: \n\t4000 a b(int, char)+0x1 (/x (y)/z (deleted))\n",
	       "Web Content 3;a b(int, char) 1\n");
	expect("  cafe 12 [001] 5.0: 2 c:  4000 f+0x1 (/bin/x)\n", "cafe;f 2\n");
	expect("x 1 [0] 1.0: 4 c: \n\t4000 inner (inlined)\n\t4000 outer+0x3 (/x)\n", "x;outer;inner_[i] 4\n");
	expect("x 1 [0] 1.0: 4 c: \n\t4000 [unknown] ([unknown])\n\t4001 m+0x3 (/x)\n", "x;m;[unknown] 4\n");
	expect("  # x 1 [0] 1.0: 4 c: \n", "# x 4\n");
	expect("swapper 0 [0] 1.0: 4 c: \r\n\r\n", "swapper 4\n");
}

/* As perf 6.1 prints them: -F comm,tid,ip,sym; --show-task-events and --show-mmap-events; -F +srcline. */
TEST(fields_may_be_fewer_or_more)
{
	expect("sh  9788 \n\tffffffff81000000 sys_read\n\t  4000 main\n\nsh 9788/9790 \n\t4000 main\n\n",
	       "sh;main 1\nsh;main;sys_read 1\n");
	expect("perf-exec     0     0.000000: PERF_RECORD_COMM: perf-exec:7/7\n"
	       "sh  7 1.5: PERF_RECORD_MMAP2 7/7: [0x55(0x13) @ 0x4 fe:00 2 0]: r-xp /usr/bin/dash\n"
	       "sh  7 1.6:  3 c: \n\t4000 main+0x1 (/x)\nsh  7 1.7: PERF_RECORD_EXIT(7:7):(3:3)\n\t4000 late+0x1 (/x)\n\n",
	       "sh;main 3\n");
	expect("sh  7 1.6:  3 c: \n\t4000 main+0x1 (/x)\n  x.c:12\n\t5000 [unknown] (/x)\n  x[5000]\n\n",
	       "sh;[unknown];main 3\n");
}

TEST(a_place_keeps_its_first_name)
{
	expect("x 1 [0] 1.0: 4 c: \n\t4000 old+0x1 (/x)\n\nx 1 [0] 2.0: 5 c: \n\t4000 new+0x1 (/y)\n",
	       "x;old 4\nx;new 5\n");
}

TEST(what_is_left_out_is_told)
{
	_cleanup_(profile_done) struct profile profile;
	_cleanup_(buf_done) struct buf notes = {};

	assert_int_equal(read_text("x 1 [0] 1.0: 4 a: \n\t4000 f (/x)\nx.c:12\n\n"
				   "x 1 [0] 1.0: sched:b: prev=x\n\t4000 f (/x)\n\n",
				   &profile, &notes),
			 0);
	assert_string_equal(buf_text(&notes), "WARNING: 1 sample of another event was skipped\n"
					      "WARNING: 1 unrecognised line was skipped\n");
	assert_int_equal(profile.records.nr, 1);
	assert_int_equal(profile.records.data[0].nr_user, 1);
}

/* A line of the source is the place of the frame above it, and nothing else that begins with two spaces. */
TEST(only_places_in_the_source_are_passed_over)
{
	static const struct {
		const char *line;
		bool is_source;
	} cases[] = {
		{ "  x.c:12", true },     { "  my file (1).c:0", true },
		{ "  x[5000]", true },    { "  ??:0", true },
		{ "  main+20", true },    { "  x.c", false },
		{ "  any words", false }, { "  x.c:", false },
		{ "  :12", false },       { "  x.c:1a", false },
		{ "  x[]", false },       { "  x[50g]", false },
		{ "  [50]", false },      { "   x.c:12", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (int behind_frame = 0; behind_frame < 2; behind_frame++) {
			_cleanup_(profile_done) struct profile profile;
			_cleanup_(buf_done) struct buf notes = {};
			char text[256];

			snprintf(text, sizeof(text), "x 1 [0] 1.0: 4 a: \n\t4000 f (/x)\n%s%s\n\n",
				 behind_frame ? "" : "any words\n", cases[i].line);
			assert_int_equal(read_text(text, &profile, &notes), 0);
			assert_string_equal(
				buf_text(&notes),
				behind_frame ? cases[i].is_source ? "" : "WARNING: 1 unrecognised line was skipped\n"
					     : "WARNING: 2 unrecognised lines were skipped\n");
		}
	}
}

TEST(who_and_when_are_kept)
{
	_cleanup_(profile_done) struct profile profile;
	_cleanup_(buf_done) struct buf notes = {};
	const struct profile_record *record;

	assert_int_equal(read_text("x y 12/34 [007] 3.000000004: 5 a: \n\t4010 f+0x10 (/lib/z.so)\n", &profile, &notes),
			 0);
	record = &profile.records.data[0];
	assert_int_equal(record->tgid, 12);
	assert_int_equal(record->tid, 34);
	assert_int_equal(record->cpu, 7);
	assert_int_equal(record->time_ns, 3000000004);
	assert_string_equal(profile_string(&profile, record->comm), "x y");
	assert_string_equal(profile_string(&profile, profile.frames.data[0].module), "z.so");
	assert_int_equal(profile.frames.data[0].offset, 0x10);
	assert_true(profile.view.times);
	assert_string_equal(profile_string(&profile, profile.event), "a");
}

TEST(other_text_is_not_perfs)
{
	static const char *const texts[] = { "",
					     "# only\n",
					     "main;read 12\n",
					     "a 1 [2] b\n",
					     "a 1 2.0:\n",
					     "a 1 2.0: 3\n",
					     "1 2.0: 3 c:\n",
					     "a 99999999999 1.0: c:\n",
					     "a 1 99999999999999999999.0: c:\n",
					     "hello world: 1 2:\n" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		_cleanup_(profile_done) struct profile profile;
		_cleanup_(buf_done) struct buf notes = {};

		assert_false(perf_script_is(texts[i], strlen(texts[i])));
		assert_true(read_text(texts[i], &profile, &notes) < 0);
		assert_string_equal(err_cause(), "'test': no samples");
	}
}

TEST(very_deep_stacks_are_cut_at_the_root)
{
	_cleanup_(profile_done) struct profile profile;
	_cleanup_(buf_done) struct buf text = {}, notes = {};

	buf_adds(&text, "x 1 [0] 1.0: 4 a: \n");
	for (int i = 0; i < 10000; i++)
		buf_addf(&text, "\t%x k ([kernel.kallsyms])\n", i + 1);
	for (int i = 0; i < 10000; i++)
		buf_addf(&text, "\t%x u (/x)\n", i + 1);
	assert_int_equal(read_text(buf_text(&text), &profile, &notes), 0);
	assert_int_equal(profile.records.data[0].nr_kernel + profile.records.data[0].nr_user, 8192);
	assert_int_equal(profile.records.data[0].kernel_status, STACK_TRUNCATED);
	assert_string_equal(buf_text(&notes), "WARNING: 11808 frames of very deep stacks were skipped\n");
}
