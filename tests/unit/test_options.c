/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/cli/options.c and value.c: what a line of words becomes, and what is said about a wrong one. */

#include "core/base/err.h"
#include "core/base/vec.h"
#include "core/cli/options.h"
#include "tests/harness.h"

struct inner {
	bool quiet;
	const char *save;
};

struct options {
	bool folded, annotate, delimited;
	uint32_t size;
	uint64_t frequency, period;
	int cpu;
	struct u32_list nodes;
	uint64_t interval, least_us;
	const char *module;
	struct u32_list pids;
	struct inner inner;
	uint32_t colour;
	uint64_t duration;
	const char *rest;
	char *const *command;
};

static int parse_colour(const char *text, void *field)
{
	if (strcmp(text, "red"))
		return fail_usage("colour '%s': no such colour", text);
	*(uint32_t *)field = 7;
	return 0;
}

static const struct option_spec inner_table[] = {
	OPTION('q', "quiet", struct inner, quiet, NULL, "say less"),
	OPTION(0, "save", struct inner, save, "FILE", "save", .ours = true),
	OPTION_END,
};

static const struct option_spec table[] = {
	OPTION('f', "folded", struct options, folded, NULL, "folded"),
	OPTION('a', "annotate", struct options, annotate, NULL, "annotate", .exclusive = "marks"),
	OPTION('d', "delimited", struct options, delimited, NULL, "delimited", .exclusive = "marks"),
	OPTION(0, "storage-size", struct options, size, "N", "size", .min = 1, .max = 100),
	OPTION('F', "frequency", struct options, frequency, "HZ", "frequency", .min = 1, .max = 1000,
	       .noun = "a frequency"),
	OPTION('c', "count", struct options, period, "N", "period"),
	OPTION('C', "cpu", struct options, cpu, "CPU", "cpu"),
	OPTION_SECONDS('i', "interval", struct options, interval, "interval"),
	OPTION('l', "library", struct options, module, "LIB", "library"),
	OPTION('p', "pid", struct options, pids, "PID,...", "pids", .min = 1, .noun = "a list of process ids"),
	OPTION('N', "nodes", struct options, nodes, "N,...", "nodes", .max = 9, .noun = "a list of nodes",
	       .ranges = true, .also = 'n'),
	OPTION_MICROSECONDS('m', "least", struct options, least_us, "least", .min = 1),
	OPTION_FRAGMENT(inner_table, struct options, inner),
	OPTION(0, "colour", struct options, colour, "NAME", "colour", .parse = parse_colour),
	OPTION(0, "ebpf", struct options, folded, NULL, "hidden", .hidden = true),
	OPTION_SECONDS(0, "duration", struct options, duration, "duration", .operand = true),
	OPERAND("rest", struct options, rest, "rest"),
	OPTION_END,
};

static const struct option_spec required_table[] = {
	OPERAND("pattern", struct options, rest, "pattern", .required = true),
	OPTION_END,
};

static const struct option_spec command_table[] = {
	OPTION('p', "pid", struct options, pids, "PID,...", "pids", .min = 1, .exclusive = "who"),
	OPTION('f', "folded", struct options, folded, NULL, "folded"),
	OPERAND("pattern", struct options, rest, "pattern", .required = true),
	OPTION_SECONDS(0, "duration", struct options, duration, "duration", .operand = true),
	OPERAND("command", struct options, command, "command", .exclusive = "who"),
	OPTION_END,
};

#define MAX_WORDS 32

/* Parses a line of words separated by single spaces. */
static int parse_with(const struct option_spec *specs, const char *line, struct options *options)
{
	static char words[512]; /* texts in the options point into it */
	static char *argv[MAX_WORDS];
	int argc = 1;

	memset(argv, 0, sizeof(argv));
	argv[0] = (char *)"applet";

	*options = (struct options){ .cpu = -1, .frequency = 49 };
	err_clear();
	assert_true(strlen(line) < sizeof(words));
	memcpy(words, line, strlen(line) + 1);
	for (char *at = words; *at; argc++) {
		size_t length = strcspn(at, " ");

		assert_true(argc < MAX_WORDS - 1);
		argv[argc] = at;
		at += length;
		if (*at)
			*at++ = '\0';
	}
	return options_parse(specs, argc, argv, options);
}

static int parse(const char *line, struct options *options)
{
	return parse_with(table, line, options);
}

static void expect_failure(const char *line, const char *cause, const char *advice)
{
	struct options options;
	int err = parse(line, &options);

	options_done(table, &options);
	assert_true(err < 0);
	assert_int_equal(err_kind(), ERR_USAGE);
	assert_string_equal(err_cause(), cause);
	assert_string_equal(err_hint(), advice);
}

TEST(no_words_leave_the_defaults)
{
	struct options options;

	assert_int_equal(parse("", &options), 0);
	assert_int_equal(options.frequency, 49);
	assert_int_equal(options.cpu, -1);
	assert_false(options.folded);
}

TEST(each_kind_fills_its_field)
{
	struct options options;

	assert_int_equal(
		parse("-f --storage-size 5 -F 99 -C 0 -i 0.25 -l c -p 3,1,2 -q --save x --colour red 5", &options), 0);
	assert_true(options.folded);
	assert_int_equal(options.size, 5);
	assert_int_equal(options.frequency, 99);
	assert_int_equal(options.cpu, 0);
	assert_int_equal(options.interval, 250000000);
	assert_string_equal(options.module, "c");
	assert_int_equal(options.pids.nr, 3);
	assert_int_equal(options.pids.data[0], 3);
	assert_int_equal(options.pids.data[2], 2);
	assert_true(options.inner.quiet);
	assert_string_equal(options.inner.save, "x");
	assert_int_equal(options.colour, 7);
	assert_int_equal(options.duration, 5000000000);
	options_done(table, &options);
	assert_null(options.pids.data);
}

TEST(short_options_bundle_with_and_without_value)
{
	struct options options;

	assert_int_equal(parse("-fqi 1 -p185", &options), 0);
	assert_true(options.folded);
	assert_true(options.inner.quiet);
	assert_int_equal(options.interval, 1000000000);
	assert_int_equal(options.pids.data[0], 185);
	options_done(table, &options);
}

TEST(operands_stand_anywhere)
{
	struct options options;

	setenv("POSIXLY_CORRECT", "1", 1);
	assert_int_equal(parse("-f 5 -q name -F 7", &options), 0);
	unsetenv("POSIXLY_CORRECT");
	assert_int_equal(options.duration, 5000000000);
	assert_string_equal(options.rest, "name");
	assert_int_equal(options.frequency, 7);
	assert_true(options.inner.quiet);
}

TEST(words_behind_two_dashes_are_operands)
{
	struct options options;

	assert_int_equal(parse("-- 5 -f", &options), 0);
	assert_string_equal(options.rest, "-f");
	assert_false(options.folded);
}

TEST(long_options_take_values_and_prefixes)
{
	struct options options;

	assert_int_equal(parse("--freq=7 --fol --storage 9", &options), 0);
	assert_int_equal(options.frequency, 7);
	assert_int_equal(options.size, 9);
	assert_true(options.folded);
}

/* --s is --storage-size in bcc; that --save begins with it too must not matter. */
TEST(a_prefix_of_bccs_option_wins_over_ours)
{
	struct options options;

	assert_int_equal(parse("--s=4", &options), 0);
	assert_int_equal(options.size, 4);
	assert_int_equal(parse("--s 3 -f", &options), 0);
	assert_int_equal(options.size, 3);
	assert_true(options.folded);
	expect_failure("--s", "argument --storage-size: needs a value: N", "");
}

TEST(the_last_of_two_equal_options_counts)
{
	struct options options;

	assert_int_equal(parse("-F 1 -F 2", &options), 0);
	assert_int_equal(options.frequency, 2);
	options_done(table, &options);
}

TEST(help_stops_parsing)
{
	struct options options;

	assert_int_equal(parse("-f -h --nonsense", &options), OPTIONS_HELP);
	assert_int_equal(parse("--help", &options), OPTIONS_HELP);
	assert_int_equal(parse("--help=all", &options), OPTIONS_HELP_ALL);
	expect_failure("--help=x", "argument -h/--help: 'x': give all, or nothing", "");
}

TEST(microseconds_are_bccs_numbers_or_have_a_unit)
{
	static const struct {
		const char *line;
		uint64_t us;
	} good[] = {
		{ "-m 1", 1 },        { "-m 1000", 1000 },   { "-m 18446744073709551615", UINT64_MAX },
		{ "-m 10ms", 10000 }, { "-m 1.5ms", 1500 },  { "-m 5us", 5 },
		{ "-m .5s", 500000 }, { "-m 1m", 60000000 },
	};
	static const char *const bad[] = {
		"-m 0", "-m 0.5us", "-m 1.5", "-m 5x", "-m ms", "-m -1", "-m 18446744073709551616"
	};
	struct options options;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(parse(good[i].line, &options), 0);
		assert_int_equal(options.least_us, good[i].us);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse(bad[i], &options), -EINVAL);
	expect_failure(
		"-m 1.5",
		"argument -m/--least: '1.5' is not a duration: give microseconds, 1 or more, or a time with a unit, "
		"like 500us or 10ms",
		"");
}

TEST(a_list_may_have_ranges_and_an_option_two_letters)
{
	static const uint32_t wanted[] = { 0, 1, 2, 3, 5, 9 };
	static const char *const bad[] = { "-N 3-1", "-N 1-", "-N -1", "-N 0-10", "-N 1-2-3", "-N 1,", "-p 1-2" };
	struct options options;

	assert_int_equal(parse("-N 0-3,5 -n 9-9", &options), 0);
	assert_int_equal(options.nodes.nr, 6);
	assert_memory_equal(options.nodes.data, wanted, sizeof(wanted));
	options_done(table, &options);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(parse(bad[i], &options), -EINVAL);
		assert_int_equal(options.nodes.nr, 0);
		options_done(table, &options);
	}
	expect_failure(
		"-N x",
		"argument -N/--nodes: 'x' is not a list of nodes: give numbers or ranges separated by commas, like "
		"0-3,5, each 0 to 9",
		"");
}

TEST(seconds_take_fractions_but_neither_zero_nor_less)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "5", 5000000000 },
		{ "0.5", 500000000 },
		{ ".25", 250000000 },
		{ "1.000000001", 1000000001 },
		{ "0.001", 1000000 },
		{ "99999999", 99999999000000000 },
		{ "1.0000000019", 1000000001 },
		{ "5s", 5000000000 },
		{ "500ms", 500000000 },
		{ "1.5ms", 1500000 },
		{ "5m", 300000000000 },
		{ "0.5h", 1800000000000 },
	};
	static const char *const bad[] = { "0",  "0.0", "0.0001", "5x", "5S",  "0.9ms",      "300000h", "m",
					   "5.", ".",   "1e3",    "+5", "0x5", "9999999999", "inf" };
	struct options options;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(parse(good[i].text, &options), 0);
		assert_int_equal(options.duration, good[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse(bad[i], &options), -EINVAL);
	expect_failure(
		"-5",
		"argument duration: '-5' is not a duration: give a time from 1ms on, like 5 (seconds), 0.5, 500ms, 2m or 1h",
		"");
	expect_failure(
		"-0.5",
		"argument duration: '-0.5' is not a duration: give a time from 1ms on, like 5 (seconds), 0.5, 500ms, 2m or 1h",
		"");
	expect_failure(
		"-i 0",
		"argument -i/--interval: '0' is not a duration: give a time from 1ms on, like 5 (seconds), 0.5, 500ms, 2m or 1h",
		"");
}

TEST(numbers_keep_to_their_limits)
{
	struct options options;

	expect_failure("-F 0", "argument -F/--frequency: '0' is not a frequency: give 1 to 1000", "");
	expect_failure("-F 1001", "argument -F/--frequency: '1001' is not a frequency: give 1 to 1000", "");
	expect_failure("-F 5x", "argument -F/--frequency: '5x' is not a frequency: give 1 to 1000", "");
	expect_failure("-F -5", "argument -F/--frequency: '-5' is not a frequency: give 1 to 1000", "");
	expect_failure("-c 18446744073709551616",
		       "argument -c/--count: '18446744073709551616' is out of range: give 0 to 18446744073709551615",
		       "");
	expect_failure("-C 2147483648", "argument -C/--cpu: '2147483648' is out of range: give 0 to 2147483647", "");
	assert_int_equal(parse("-c 18446744073709551615 -C 2147483647", &options), 0);
	assert_int_equal(options.period, UINT64_MAX);
}

TEST(lists_are_refused_whole)
{
	const char *cause = "argument -p/--pid: '1,,2' is not a list of process ids: "
			    "give numbers separated by commas, each 1 or more";

	expect_failure("-p 1,,2", cause, "");
	for (size_t i = 0; i < 6; i++) {
		static const char *const bad[] = { "-p a", "-p 1,", "-p ,1", "-p 0", "-p 1;2", "-p 4294967296" };
		struct options options;

		assert_int_equal(parse(bad[i], &options), -EINVAL);
		assert_int_equal(options.pids.nr, 0);
		options_done(table, &options);
	}
}

TEST(mistakes_are_named)
{
	expect_failure("--fodled", "unknown option '--fodled'", "did you mean '--folded'?");
	expect_failure("--zzz=3", "unknown option '--zzz'", "--help lists the options");
	expect_failure("-x", "unknown option '-x'", "--help lists the options");
	expect_failure("-fx", "unknown option '-x'", "--help lists the options");
	expect_failure("--folded=yes", "argument -f/--folded: takes no value", "");
	expect_failure("--f", "ambiguous option '--f': it could be --folded, --frequency", "");
	expect_failure("-F", "argument -F/--frequency: needs a value: HZ", "");
	expect_failure("--frequency", "argument -F/--frequency: needs a value: HZ", "");
	expect_failure("5 name more", "unexpected argument 'more'", "");
	expect_failure("--save=", "argument --save: is empty: give at least one letter", "");
	expect_failure("--colour blue", "colour 'blue': no such colour", "");
}

TEST(excluding_options_have_a_code_of_their_own)
{
	struct options options;

	assert_int_equal(parse("-a -d", &options), -EEXIST);
	assert_int_equal(err_kind(), ERR_USAGE);
	assert_string_equal(err_cause(), "argument -d/--delimited: not allowed with argument -a/--annotate");
	assert_int_equal(parse("-a -a", &options), 0);
}

TEST(a_missing_operand_is_named)
{
	struct options options;

	assert_int_equal(parse_with(required_table, "", &options), -EINVAL);
	assert_string_equal(err_cause(), "argument pattern: missing");
	assert_int_equal(parse_with(required_table, "x", &options), 0);
}

TEST(words_behind_two_dashes_are_a_command_where_there_is_one)
{
	struct options options;

	assert_int_equal(parse_with(command_table, "x -- ls -f -- y", &options), 0);
	assert_string_equal(options.command[0], "ls");
	assert_string_equal(options.command[1], "-f");
	assert_string_equal(options.command[2], "--");
	assert_string_equal(options.command[3], "y");
	assert_null(options.command[4]);
	assert_false(options.folded);
	assert_int_equal(options.duration, 0);
}

TEST(a_required_operand_comes_before_the_command)
{
	struct options options;

	assert_int_equal(parse_with(command_table, "-f -- -x ls", &options), 0);
	assert_string_equal(options.rest, "-x");
	assert_string_equal(options.command[0], "ls");
	assert_int_equal(parse_with(command_table, "-- x", &options), 0);
	assert_null(options.command);
	assert_int_equal(parse_with(command_table, "--", &options), -EINVAL);
	assert_int_equal(parse_with(command_table, "x --", &options), -EINVAL);
	assert_string_equal(err_cause(), "argument --: there is no command after it");
	assert_null(options.command);
	assert_int_equal(parse_with(command_table, "-p 1 x -- ls", &options), -EEXIST);
	assert_string_equal(err_cause(), "argument command: not allowed with argument -p/--pid");
	options_done(command_table, &options);
}

TEST(lists_given_twice_are_put_together)
{
	struct options options;

	assert_int_equal(parse("-p 7,8 -f --pid=9 -p7", &options), 0);
	assert_int_equal(options.pids.nr, 4);
	assert_int_equal(options.pids.data[0], 7);
	assert_int_equal(options.pids.data[1], 8);
	assert_int_equal(options.pids.data[2], 9);
	assert_int_equal(options.pids.data[3], 7);
	options_done(table, &options);
}
