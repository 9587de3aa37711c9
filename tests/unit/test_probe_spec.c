/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/resolve/probe_spec.c: every form of docs/use/probes.md and every documented pattern of bcc's stackcount. */

#include "core/base/err.h"
#include "core/resolve/probe_kinds.h"
#include "core/resolve/probe_spec.h"
#include "tests/harness.h"

struct expectation {
	const char *text;
	const struct probe_kind *kind;
	const char *target, *provider, *pattern;
};

static void same_text(const char *is, const char *wanted)
{
	if (!wanted)
		assert_null(is);
	else
		assert_string_equal(is, wanted);
}

static void expect(const struct expectation *wanted, const char *library, bool regex)
{
	struct probe_spec spec = {};

	err_clear();
	if (probe_spec_parse(wanted->text, library, regex, &spec) < 0)
		fail_msg("'%s' does not parse: %s", wanted->text, err_cause());
	assert_string_equal(spec.typed, wanted->text);
	if (spec.kind != wanted->kind)
		fail_msg("'%s' is a %s", wanted->text, spec.kind->name);
	same_text(spec.target, wanted->target);
	same_text(spec.provider, wanted->provider);
	same_text(spec.pattern, wanted->pattern);
	assert_int_equal(spec.regex, regex);
	probe_spec_done(&spec);
	assert_null(spec.typed);
}

#define EXPECT_ALL(list, library, regex)                                 \
	for (size_t i_ = 0; i_ < sizeof(list) / sizeof((list)[0]); i_++) \
	expect(&(list)[i_], (library), (regex))

static void expect_failure(const char *text, const char *library, bool regex, const char *cause)
{
	struct probe_spec spec = {};

	err_clear();
	assert_int_equal(probe_spec_parse(text, library, regex, &spec), -EINVAL);
	assert_int_equal(err_kind(), ERR_USAGE);
	assert_string_equal(err_cause(), cause);
	assert_null(spec.typed);
}

TEST(kernel_functions)
{
	static const struct expectation list[] = {
		{ "submit_bio", &probe_kernel_function, NULL, NULL, "submit_bio" },
		{ "tcp_send*", &probe_kernel_function, NULL, NULL, "tcp_send*" },
		{ "p::submit_bio", &probe_kernel_function, NULL, NULL, "submit_bio" },
		{ "*", &probe_kernel_function, NULL, NULL, "*" },
		{ "p", &probe_kernel_function, NULL, NULL, "p" },
	};

	EXPECT_ALL(list, NULL, false);
}

TEST(user_functions)
{
	static const struct expectation list[] = {
		{ "c:malloc", &probe_user_function, "c", NULL, "malloc" },
		{ "p:c:malloc", &probe_user_function, "c", NULL, "malloc" },
		{ "go:os.*", &probe_user_function, "go", NULL, "os.*" },
		{ "/usr/bin/app:main", &probe_user_function, "/usr/bin/app", NULL, "main" },
		{ "./test:read*", &probe_user_function, "./test", NULL, "read*" },
		{ "p:/usr/bin/app:main", &probe_user_function, "/usr/bin/app", NULL, "main" },
		{ "/home/ubuntu/contentions:*", &probe_user_function, "/home/ubuntu/contentions", NULL, "*" },
		{ "pthread.so.0:f", &probe_user_function, "pthread.so.0", NULL, "f" },
		{ "app:github.com/a/b.(*T).Run", &probe_user_function, "app", NULL, "github.com/a/b.(*T).Run" },
	};

	EXPECT_ALL(list, NULL, false);
}

TEST(words_of_other_tracers)
{
	static const struct expectation list[] = {
		{ "kprobe:vfs_read", &probe_kernel_function, NULL, NULL, "vfs_read" },
		{ "k:vfs_*", &probe_kernel_function, NULL, NULL, "vfs_*" },
		{ "kfunc:vfs_read", &probe_kernel_function, NULL, NULL, "vfs_read" },
		{ "fentry:vfs_read", &probe_kernel_function, NULL, NULL, "vfs_read" },
		{ "uprobe:/bin/bash:readline", &probe_user_function, "/bin/bash", NULL, "readline" },
		{ "uprobe:c:malloc", &probe_user_function, "c", NULL, "malloc" },
		{ "uprobe:c:std::sort", &probe_user_function, "c", NULL, "std::sort" },
		{ "tracepoint:sched:sched_switch", &probe_tracepoint, "sched", NULL, "sched_switch" },
		{ "usdt:/usr/bin/node:gc__start", &probe_usdt, "/usr/bin/node", NULL, "gc__start" },
		{ "usdt:c:libc:setjmp", &probe_usdt, "c", "libc", "setjmp" },
		{ "kprobes:f", &probe_user_function, "kprobes", NULL, "f" },
		{ "usdt:f", &probe_user_function, "usdt", NULL, "f" },
		{ "uprobe:f", &probe_user_function, "uprobe", NULL, "f" },
	};

	EXPECT_ALL(list, NULL, false);
	expect_failure("kprobe:", NULL, false,
		       "pattern 'kprobe:': the last part is empty: give a name, or '*' for all");
	expect_failure("kprobe:ext4:f", NULL, false,
		       "pattern 'kprobe:ext4:f': a kernel function has no module in front");
}

TEST(double_colons_belong_to_the_name)
{
	static const struct expectation list[] = {
		{ "app:std::sort", &probe_user_function, "app", NULL, "std::sort" },
		{ "p:app:ns::Type::run", &probe_user_function, "app", NULL, "ns::Type::run" },
		{ "app:::std::sort", &probe_user_function, "app", NULL, "::std::sort" },
		{ "/opt/app:ns::run", &probe_user_function, "/opt/app", NULL, "ns::run" },
		{ "app:<T as core::fmt::Debug>::fmt", &probe_user_function, "app", NULL,
		  "<T as core::fmt::Debug>::fmt" },
		{ "u:app:ns::probe", &probe_usdt, "app", NULL, "ns::probe" },
	};

	EXPECT_ALL(list, NULL, false);
}

TEST(paths_may_contain_colons)
{
	static const struct expectation list[] = {
		{ "/opt/a:b/app:main", &probe_user_function, "/opt/a:b/app", NULL, "main" },
		{ "p:/opt/a:b:c/app:ns::f", &probe_user_function, "/opt/a:b:c/app", NULL, "ns::f" },
		{ "./a:f", &probe_user_function, "./a", NULL, "f" },
		{ "u:/opt/a:b/app:prov:probe", &probe_usdt, "/opt/a:b/app", "prov", "probe" },
	};

	EXPECT_ALL(list, NULL, false);
}

TEST(tracepoints)
{
	static const struct expectation list[] = {
		{ "t:sched:sched_fork", &probe_tracepoint, "sched", NULL, "sched_fork" },
		{ "t:sched:sched_switch", &probe_tracepoint, "sched", NULL, "sched_switch" },
		{ "t:block:*", &probe_tracepoint, "block", NULL, "*" },
		{ "t:*:*", &probe_tracepoint, "*", NULL, "*" },
	};

	EXPECT_ALL(list, NULL, false);
}

TEST(usdt_probes)
{
	static const struct expectation list[] = {
		{ "u:node:*", &probe_usdt, "node", NULL, "*" },
		{ "u:node:gc*", &probe_usdt, "node", NULL, "gc*" },
		{ "u:pthread:pthread_create", &probe_usdt, "pthread", NULL, "pthread_create" },
		{ "u:/usr/lib/libx.so:start", &probe_usdt, "/usr/lib/libx.so", NULL, "start" },
		{ "u:/usr/lib/libx.so:libx:start", &probe_usdt, "/usr/lib/libx.so", "libx", "start" },
		{ "u:x:libx:start", &probe_usdt, "x", "libx", "start" },
		{ "u::start", &probe_usdt, NULL, NULL, "start" },
	};

	EXPECT_ALL(list, NULL, false);
}

TEST(regular_expressions_keep_their_colons)
{
	static const struct expectation list[] = {
		{ "^tcp_send.*", &probe_kernel_function, NULL, NULL, "^tcp_send.*" },
		{ "c:(write|read)$", &probe_user_function, "c", NULL, "(write|read)$" },
		{ "c:(?:write|read)$", &probe_user_function, "c", NULL, "(?:write|read)$" },
		{ "(?:vfs|do)_read", &probe_kernel_function, NULL, NULL, "(?:vfs|do)_read" },
		{ "[[:alpha:]]*_read", &probe_kernel_function, NULL, NULL, "[[:alpha:]]*_read" },
		{ "[^]:]x[(]:f", &probe_user_function, "[^]:]x[(]", NULL, "f" },
		{ "t:sched:sched_(?:fork|exec)", &probe_tracepoint, "sched", NULL, "sched_(?:fork|exec)" },
		{ "p:/opt/a:b/app:(?:x)", &probe_user_function, "/opt/a:b/app", NULL, "(?:x)" },
		{ "c:a\\(:b", &probe_user_function, "c", NULL, "a\\(:b" },
	};

	EXPECT_ALL(list, NULL, true);
}

TEST(expressions_that_do_not_compile_are_refused)
{
	static const char *const list[] = { "c:mal(oc", "(unclosed:x", "[unclosed:x", "x\\",
					    "t:(:x",    "t:sch[:x",    "u:lib:(:x" };
	struct probe_spec spec = {};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		err_clear();
		assert_int_equal(probe_spec_parse(list[i], NULL, true, &spec), -EINVAL);
		assert_int_equal(err_kind(), ERR_USAGE);
	}
	expect_failure("c:mal(oc", NULL, true,
		       "pattern 'c:mal(oc': missing closing parenthesis at character 7 of 'mal(oc'");
}

TEST(the_older_form_takes_the_library_apart)
{
	static const struct expectation list[] = {
		{ "malloc", &probe_user_function, "c", NULL, "malloc" },
		{ "std::sort", &probe_user_function, "c", NULL, "std::sort" },
	};

	EXPECT_ALL(list, "c", false);
	expect(&(struct expectation){ "(?:a|b):c", &probe_user_function, "c", NULL, "(?:a|b):c" }, "c", true);
	expect_failure("c:malloc", "c", false, "pattern 'c:malloc': the library is given twice");
	expect_failure("t:sched:sched_fork", "c", false, "pattern 't:sched:sched_fork': the library is given twice");
}

TEST(wrong_forms_are_named)
{
	static const struct {
		const char *text, *cause;
	} list[] = {
		{ "a:b:c:d", "too many ':'-separated components in pattern 'a:b:c:d'" },
		{ "p:b:c:d", "too many ':'-separated components in pattern 'p:b:c:d'" },
		{ "t:b:c:d", "too many ':'-separated components in pattern 't:b:c:d'" },
		{ "u:b:c:d:e", "too many ':'-separated components in pattern 'u:b:c:d:e'" },
		{ "q:b:c", "pattern 'q:b:c': the type must be 'p', 't' or 'u', but is 'q'" },
		{ "t:sched", "pattern 't:sched': the category or the event is missing" },
		{ "t::fork", "pattern 't::fork': the category is missing" },
		{ "u:node", "pattern 'u:node': a USDT probe needs a file" },
		{ "p:malloc", "pattern 'p:malloc': the library is missing" },
		{ "", "pattern '': the last part is empty: give a name, or '*' for all" },
		{ "c:", "pattern 'c:': the last part is empty: give a name, or '*' for all" },
		{ "t:sched:", "pattern 't:sched:': the last part is empty: give a name, or '*' for all" },
		{ "p::", "pattern 'p::': the last part is empty: give a name, or '*' for all" },
		{ ":malloc", "pattern ':malloc': the part before ':' is empty" },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		expect_failure(list[i].text, NULL, false, list[i].cause);
}

TEST(return_probes_say_what_they_could_not_see)
{
	static const char hint[] = "return probes are not supported: after a function returns, no stack shows it";

	expect_failure("r:c:malloc", NULL, false, "pattern 'r:c:malloc': the type must be 'p', 't' or 'u', but is 'r'");
	assert_int_equal(strncmp(err_hint(), hint, strlen(hint)), 0);
	expect_failure("r::vfs_read", NULL, false,
		       "pattern 'r::vfs_read': the type must be 'p', 't' or 'u', but is 'r'");
	assert_int_equal(strncmp(err_hint(), hint, strlen(hint)), 0);
}

TEST(an_empty_spec_is_freed_twice)
{
	_cleanup_(probe_spec_done) struct probe_spec spec = {};

	probe_spec_done(&spec);
}
