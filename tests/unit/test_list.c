/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/run/list.c: the columns, on places made by hand. */

#include "core/base/alloc.h"
#include "core/resolve/probe_kinds.h"
#include "core/run/list.h"
#include "tests/harness.h"

static void expect(const struct probe_kind *kind, const struct attach_plan *attach, const char *text)
{
	_cleanup_(buf_done) struct buf got = {};

	list_text(kind, attach, &got);
	assert_string_equal(buf_text(&got), text);
}

TEST(kernel_functions_have_their_module)
{
	_cleanup_(attach_plan_done) struct attach_plan attach = {};

	vec_push(&attach.places, (struct probe_place){ .name = xstrdup("vfs_read") });
	vec_push(&attach.places,
		 (struct probe_place){ .name = xstrdup("ext4_file_read_iter"), .module = xstrdup("ext4") });
	expect(&probe_kernel_function, &attach,
	       "kernel function  vfs_read             kernel\n"
	       "kernel function  ext4_file_read_iter  ext4\n");
}

TEST(tracepoints_have_two_columns)
{
	_cleanup_(attach_plan_done) struct attach_plan attach = {};

	vec_push(&attach.places, (struct probe_place){ .name = xstrdup("sched:sched_switch") });
	vec_push(&attach.places, (struct probe_place){ .name = xstrdup("sched:sched_wakeup_new") });
	expect(&probe_tracepoint, &attach,
	       "tracepoint  sched:sched_switch\n"
	       "tracepoint  sched:sched_wakeup_new\n");
}

TEST(mangled_names_are_readable)
{
	_cleanup_(attach_plan_done) struct attach_plan attach = {};

	vec_push(&attach.places, (struct probe_place){ .name = xstrdup("_ZN2ns4workEv"),
						       .shown = xstrdup("ns::work()"),
						       .path = xstrdup("/bin/true") });
	vec_push(&attach.places, (struct probe_place){ .name = xstrdup("main"), .path = xstrdup("/bin/true") });
	expect(&probe_user_function, &attach,
	       "user function  ns::work()  /bin/true\n"
	       "user function  main        /bin/true\n");
	expect(&probe_usdt, &attach,
	       "USDT probe  _ZN2ns4workEv  /bin/true\n"
	       "USDT probe  main           /bin/true\n");
}

TEST(names_of_strangers_are_escaped_before_they_are_measured)
{
	_cleanup_(attach_plan_done) struct attach_plan attach = {};

	vec_push(&attach.places, (struct probe_place){ .name = xstrdup("a\033[31m"), .path = xstrdup("/tmp/x\ny") });
	vec_push(&attach.places, (struct probe_place){ .name = xstrdup("main"), .path = xstrdup("/bin/true") });
	expect(&probe_user_function, &attach,
	       "user function  a\\x1b[31m  /tmp/x\\x0ay\n"
	       "user function  main       /bin/true\n");
}

TEST(plans_in_words_are_escaped)
{
	_cleanup_(attach_plan_done) struct attach_plan attach = { .why = "because" };
	_cleanup_(buf_done) struct buf text = {};

	vec_push(&attach.places,
		 (struct probe_place){ .name = xstrdup("a\033[31m"), .path = xstrdup("/tmp/x\ny"), .offset = 16 });
	attach_plan_describe(&attach, &text);
	assert_non_null(strstr(buf_text(&text), "\nattach: /tmp/x\\x0ay:a\\x1b[31m+0x0 (file offset 0x10)\n"));
	attach_plan_note(&attach, "'%s' is left out", attach.places.data[0].name);
	attach_plan_note(&attach, "'%s' is left out", attach.places.data[0].name);
	assert_string_equal(buf_text(&attach.note), "'a\\x1b[31m' is left out\n");
}

/* A function is probed at its first byte, a USDT probe has no symbol to count from. */
TEST(the_offset_in_the_file_is_called_so)
{
	_cleanup_(attach_plan_done) struct attach_plan attach = { .why = "because" };
	_cleanup_(buf_done) struct buf text = {};

	vec_push(&attach.places,
		 (struct probe_place){ .name = xstrdup("malloc"), .path = xstrdup("/l/c.so"), .offset = 0x98930 });
	vec_push(&attach.places,
		 (struct probe_place){
			 .name = xstrdup("dd:write"), .path = xstrdup("/b/dd"), .offset = 0x10, .semaphore = 0x4000 });
	attach_plan_describe(&attach, &text);
	assert_non_null(strstr(buf_text(&text), "\nattach: /l/c.so:malloc+0x0 (file offset 0x98930)\n"));
	buf_clear(&text);
	attach.inside_functions = true;
	attach_plan_describe(&attach, &text);
	assert_non_null(strstr(buf_text(&text), "\nattach: /b/dd:dd:write (file offset 0x10, semaphore 0x4000)\n"));
}

TEST(nothing_is_no_line)
{
	const struct attach_plan attach = {};

	expect(&probe_user_function, &attach, "");
}
