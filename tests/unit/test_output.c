/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of formats, files written whole, patterns and how many files stay. */
#include "core/run/output.h"

#include <dirent.h>
#include <sys/stat.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/replace.h"
#include "tests/unit/profile_text.h"
#include "tests/harness.h"

TEST(suffixes_say_the_format)
{
	assert_int_equal(output_format_of("a.svg"), OUTPUT_SVG);
	assert_int_equal(output_format_of("/x/a.b.html"), OUTPUT_HTML);
	assert_int_equal(output_format_of("a.json"), OUTPUT_JSON);
	assert_int_equal(output_format_of("a.speedscope.json"), OUTPUT_SPEEDSCOPE);
	assert_int_equal(output_format_of("a.pb.gz"), OUTPUT_PPROF);
	assert_int_equal(output_format_of("a.gz"), OUTPUT_DEFAULT);
	assert_int_equal(output_format_of(".svg"), OUTPUT_DEFAULT);
	assert_int_equal(output_format_of(""), OUTPUT_DEFAULT);
}

TEST(a_name_without_suffix_needs_a_format)
{
	struct output_options options = { .path = "report" };

	err_clear();
	assert_true(output_options_settle(&options) < 0);
	assert_int_equal(err_kind(), ERR_USAGE);
	options.format = OUTPUT_SVG;
	assert_int_equal(output_options_settle(&options), 0);
}

TEST(only_files_of_a_pattern_are_kept)
{
	struct output_options options = { .path = "report.svg", .keep = 3 };

	err_clear();
	assert_true(output_options_settle(&options) < 0);
	assert_non_null(strstr(err_cause(), "--keep"));
	options.path = NULL;
	assert_true(output_options_settle(&options) < 0);
	options.path = "report-%h.svg"; /* the same for all */
	assert_true(output_options_settle(&options) < 0);
	options.path = "report-%n.svg";
	assert_int_equal(output_options_settle(&options), 0);
}

TEST(mistyped_words_are_guessed)
{
	enum output_format format;
	enum graph_colors colors;

	err_clear();
	assert_true(output_format_parse("pprop", &format) < 0);
	assert_non_null(strstr(err_cause(), "did you mean 'pprof'?"));
	err_clear();
	assert_true(graph_colors_parse("jaba", &colors) < 0);
	assert_non_null(strstr(err_hint(), "chain, java"));
}

TEST(percentages_are_numbers)
{
	static const char *const wrong[] = { "",   ".", "%", "-1", "1.2.3", "x", "100.1", "1e3", "99999999999999999999",
					     "5%%" };
	uint32_t value = 0;

	assert_int_equal(graph_percent_parse("0.1", &value), 0);
	assert_int_equal(value, 100);
	assert_int_equal(graph_percent_parse("5%", &value), 0);
	assert_int_equal(value, 5000);
	assert_int_equal(graph_percent_parse("100", &value), 0);
	assert_int_equal(graph_percent_parse("0.0019", &value), 0);
	assert_int_equal(value, 1);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_true(graph_percent_parse(wrong[i], &value) < 0);
}

/* ---- files ---- */

static char directory[] = "/tmp/test-output-XXXXXX";

static size_t nr_files(void)
{
	DIR *opened = opendir(".");
	size_t nr = 0;

	for (struct dirent *entry; (entry = readdir(opened));)
		nr += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(opened);
	return nr;
}

TEST(files_are_replaced_whole)
{
	struct stat st;

	assert_int_equal(replace_file("a", "one", 3), 0);
	assert_int_equal(replace_file("a", "second", 6), 0);
	assert_int_equal(stat("a", &st), 0);
	assert_int_equal(st.st_size, 6);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(nr_files(), 1);
	assert_int_equal(unlink("a"), 0);
}

TEST(what_is_not_whole_replaces_nothing)
{
	struct replacement replacement;
	struct stat st;

	assert_int_equal(replace_file("a", "one", 3), 0);
	assert_int_equal(replace_begin("a", &replacement), 0);
	assert_int_equal(fprintf(replacement.out, "second"), 6);
	assert_int_equal(replace_end(&replacement, -EFBIG), -EFBIG);
	assert_int_equal(stat("a", &st), 0);
	assert_int_equal(st.st_size, 3);
	assert_int_equal(nr_files(), 1);
	assert_int_equal(unlink("a"), 0);
}

TEST(devices_and_links_are_refused)
{
	err_clear();
	assert_true(replace_file("/dev/null", "x", 1) < 0);
	assert_int_equal(symlink("/etc/passwd", "link"), 0);
	assert_true(replace_file("link", "x", 1) < 0);
	assert_int_equal(unlink("link"), 0);
	assert_true(replace_file("missing/a", "x", 1) < 0);
	assert_true(replace_file(".", "x", 1) < 0);
	assert_int_equal(nr_files(), 0);
}

TEST(patterns_number_the_files_and_the_oldest_go)
{
	const struct output_options options = { .path = "p-%n-%%.folded", .format = OUTPUT_FOLDED, .keep = 2 };
	_cleanup_(output_done) struct output output = { .options = &options };
	_cleanup_(profile_done) struct profile profile;

	profile_of_text("a;b 1\n", &profile);
	assert_int_equal(output_check(&options, NULL), 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(output_write(&output, &profile, 0, 1), 0);
	assert_int_equal(nr_files(), 2);
	assert_int_equal(access("p-000004-%.folded", F_OK), 0);
	assert_int_equal(unlink("p-000004-%.folded"), 0);
	assert_int_equal(unlink("p-000005-%.folded"), 0);
}

/* As when Ctrl-C comes just after the end of an interval. */
TEST(files_of_one_second_stay_apart)
{
	static const uint64_t wall_end_ns[] = { 1500000000, 1600000000, 1900000000, 2100000000 };
	static const char *const names[] = { "19700101-000001.folded", "19700101-000001-2.folded",
					     "19700101-000001-3.folded", "19700101-000002.folded" };
	const struct output_options options = { .path = "%t.folded", .format = OUTPUT_FOLDED };
	_cleanup_(output_done) struct output output = { .options = &options };
	_cleanup_(profile_done) struct profile profile;

	profile_of_text("a;b 1\n", &profile);
	for (size_t i = 0; i < 4; i++) {
		profile.intervals.data[0].wall_end_ns = wall_end_ns[i];
		assert_int_equal(output_write(&output, &profile, 0, 1), 0);
	}
	assert_int_equal(nr_files(), 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(unlink(names[i]), 0);
}

static struct output_options files(const char *const *paths)
{
	struct output_options options = {};

	for (size_t i = 0; paths[i]; i++)
		assert_int_equal(output_options_add(&options, paths[i]), 0);
	return options;
}

TEST(every_file_has_its_own_form)
{
	static const char *const paths[] = { "a.svg", "b.html", "c-%n.folded", "d.stk", NULL };
	static const enum output_format formats[] = { OUTPUT_SVG, OUTPUT_HTML, OUTPUT_FOLDED, OUTPUT_STK };
	struct output_options options = files(paths);
	_cleanup_(output_done) struct output output = { .options = &options };
	_cleanup_(profile_done) struct profile profile;

	options.width = 600; /* of the SVG alone */
	options.keep = 1; /* of the pattern alone */
	assert_int_equal(output_options_settle(&options), 0);
	assert_int_equal(output_options_nr(&options), 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(output_options_of(&options, i).format, formats[i]);
	assert_int_equal(output_check(&options, NULL), 0);
	profile_of_text("a;b 1\n", &profile);
	for (int i = 0; i < 3; i++)
		assert_int_equal(output_write(&output, &profile, 0, 1), 0);
	assert_int_equal(nr_files(), 4);
	assert_int_equal(unlink("a.svg") || unlink("b.html") || unlink("c-000003.folded") || unlink("d.stk"), 0);
}

/* The page of a profile whose two intervals are these; true if it has times. */
static bool has_times(const uint64_t bounds[4], const char *wanted)
{
	static const char *const paths[] = { "a.html", NULL };
	struct output_options options = files(paths);
	_cleanup_(output_done) struct output output = { .options = &options };
	_cleanup_(profile_done) struct profile profile;
	char page[1 << 18] = "";
	FILE *file;

	assert_int_equal(output_options_settle(&options), 0);
	profile_of_text("a;b 1\na;c 2\n", &profile);
	vec_push(&profile.intervals, (struct profile_interval){});
	for (size_t i = 0; i < 2; i++) {
		struct profile_interval *interval = &profile.intervals.data[i];

		interval->start_ns = bounds[2 * i];
		interval->end_ns = bounds[2 * i + 1];
		interval->wall_end_ns = NSEC_PER_SEC + interval->end_ns;
	}
	assert_int_equal(output_write(&output, &profile, 0, 2), 0);
	file = fopen("a.html", "r");
	assert_non_null(file);
	assert_in_range(fread(page, 1, sizeof(page) - 1, file), 1, sizeof(page) - 2);
	fclose(file);
	assert_int_equal(unlink("a.html"), 0);
	assert_true(!wanted || strstr(page, wanted));
	return strstr(page, "\"moments\":") != NULL;
}

TEST(a_page_has_times_if_the_intervals_follow_each_other)
{
	static const uint64_t ordinary[] = { 1000000, 3000000, 3000000, 6000000 }, gap[] = { 1000, 2000, 9000, 11000 },
			      overlap[] = { 1000, 3000, 2000, 4000 }, empty[] = { 1000, 1000, 1000, 1000 };

	assert_true(has_times(ordinary, "\"times\":{\"n\":2,\"clock\":1001,\"edges\":[0,2000,5000],\"moments\":\"0"));
	assert_true(has_times(gap, "\"edges\":[0,8,10]"));
	assert_false(has_times(overlap, NULL));
	assert_false(has_times(empty, NULL));
}

/* One that cannot be written takes nothing away from the others, and each is reported. */
TEST(a_file_that_fails_leaves_the_others)
{
	static const char *const paths[] = { "none/a.svg", "b.folded", "none/c.txt", NULL };
	struct output_options options = files(paths);
	_cleanup_(output_done) struct output output = { .options = &options };
	_cleanup_(profile_done) struct profile profile;

	assert_int_equal(output_options_settle(&options), 0);
	profile_of_text("a;b 1\n", &profile);
	assert_int_equal(output_write(&output, &profile, 0, 1), -ENOENT);
	assert_string_equal(err_cause(), "'none/a.svg': cannot open its directory: No such file or directory; "
					 "'none/c.txt': cannot open its directory: No such file or directory");
	assert_int_equal(nr_files(), 1);
	assert_int_equal(unlink("b.folded"), 0);
	err_clear();
}

TEST(what_no_file_can_have_is_refused)
{
	static const char *const twice[] = { "a.svg", "b.html", "a.svg", NULL }, *const two[] = { "a.svg", "b.json",
												  NULL };
	static const char *const spelled[] = { "./a.svg", "link/a.svg", NULL }, *const elsewhere[] = { "a.svg",
												       "../a.svg",
												       NULL };
	struct output_options options = files(twice);

	assert_int_equal(output_options_settle(&options), -EINVAL);
	assert_string_equal(err_cause(), "argument -o/--output: 'a.svg': given twice");
	assert_int_equal(symlink(".", "link"), 0);
	options = files(spelled);
	assert_int_equal(output_options_settle(&options), 0);
	assert_int_equal(output_check(&options, NULL), -EINVAL);
	assert_string_equal(err_cause(), "argument -o/--output: 'link/a.svg': given twice");
	options = files(elsewhere);
	assert_int_equal(output_options_settle(&options), 0);
	assert_int_equal(output_check(&options, "b.svg"), 0);
	assert_int_equal(output_check(&options, "link/a.svg"), -EINVAL);
	assert_string_equal(err_cause(), "argument --save: 'link/a.svg': -o/--output writes this file too");
	options = files(spelled);
	options.nr_more = 0;
	assert_true(output_fits(&options, "link/a.svg"));
	assert_false(output_fits(&options, "link/b.svg"));
	assert_true(output_fits(&(struct output_options){ .path = "./link/%n.svg" }, "000001.svg"));
	assert_false(output_fits(&(struct output_options){ .path = "./link/%n.svg" }, "../000001.svg"));
	assert_int_equal(unlink("link"), 0);
	options = files(two);
	options.format = OUTPUT_SVG;
	assert_int_equal(output_options_settle(&options), -EINVAL);
	assert_string_equal(err_cause(),
			    "argument --format: svg: not allowed with argument -o/--output: 'b.json' selects json");
	options = files(two);
	options.keep = 2;
	assert_int_equal(output_options_settle(&options), -EINVAL);
	options = files(two);
	assert_int_equal(output_options_fold(&options), -EINVAL);
	for (int i = 2; i < OUTPUT_FILES_MAX; i++)
		assert_int_equal(output_options_add(&options, "c.txt"), 0);
	assert_int_equal(output_options_add(&options, "c.txt"), -EINVAL);
	err_clear();
}

TEST(unknown_patterns_are_refused_before_the_run)
{
	const struct output_options options = { .path = "p-%x.svg", .format = OUTPUT_SVG };

	err_clear();
	assert_true(output_check(&options, NULL) < 0);
	assert_int_equal(err_kind(), ERR_USAGE);
}

static int set_up(void **state)
{
	return mkdtemp(directory) && !chdir(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
	return chdir("/") || rmdir(directory);
}

TEST(only_names_of_the_pattern_belong_to_a_run)
{
	static const struct {
		const char *pattern, *path;
		bool fits;
	} cases[] = {
		{ "/a/x.svg", "/a/x.svg", true },
		{ "/a/x.svg", "/a/x.svgs", false },
		{ "/a/x.svg", "/a/", false },
		{ "/a/%n.svg", "/a/000001.svg", true },
		{ "/a/%n.svg", "/a/.svg", false },
		{ "/a/%n.svg", "/a/00/1.svg", false },
		{ "/a/%n.svg", "/a/passwd.svg", false },
		{ "%h-%t-%n1%%.svg", "host-20261123-223000-2-0000011%.svg", true },
		{ "%h-%t-%n1%%.svg", "host-20261123-223000-2-000002%.svg", false },
		{ "/a/%h/x.svg", "/a/my.host/x.svg", true },
		{ "/a/%h/x.svg", "/a/../x.svg", false },
		{ "/a/%h%h/x.svg", "/a/../x.svg", false },
		{ "/a/%h/x.svg", "/a/b/c/x.svg", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct output_options options = { .path = cases[i].pattern };

		if (output_fits(&options, cases[i].path) != cases[i].fits)
			fail_msg("%s: %s", cases[i].pattern, cases[i].path);
	}
}

TEST_GROUP(set_up, tear_down)
