/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is picked out of libbpf's many lines: the last one, and the helper that a kernel did not have. */
#include <bpf/libbpf.h>

#include "core/host/libbpf_log.h"
#include "tests/harness.h"

static libbpf_print_fn_t ours;

__attribute__((format(printf, 1, 2))) static void warn(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	ours(LIBBPF_WARN, format, arguments);
	va_end(arguments);
}

static int start(void **state)
{
	libbpf_log_start();
	ours = libbpf_set_print(NULL);
	return ours ? 0 : -1;
}

#define FIXTURE_TEST(name) TEST_BETWEEN(name, start, NULL)

FIXTURE_TEST(a_helper_is_named_by_an_old_kernel)
{
	char walk[20000];

	memset(walk, '\n', sizeof(walk) - 1); /* the verifier's log of a long program stands before it */
	walk[sizeof(walk) - 1] = '\0';
	warn("prog 'on_fentry': -- BEGIN PROG LOAD LOG --\n%s%s", walk,
	     "12: (85) call bpf_probe_read_kernel#113\nunknown func bpf_probe_read_kernel#113\n-- END PROG LOAD LOG --\n");
	warn("failed to load object '%s'\n", "stacktool");
	assert_string_equal(libbpf_log_missing_helper(), "bpf_probe_read_kernel");
	assert_string_equal(libbpf_log_last(), "failed to load object 'stacktool'");
}

FIXTURE_TEST(a_helper_is_named_by_a_new_kernel)
{
	warn("%s", "program of this type cannot use helper bpf_get_stack#67\n");
	assert_string_equal(libbpf_log_missing_helper(), "bpf_get_stack");
}

FIXTURE_TEST(other_refusals_name_none)
{
	warn("%s", "R1 invalid mem access 'scalar'\n");
	assert_string_equal(libbpf_log_missing_helper(), "");
}
