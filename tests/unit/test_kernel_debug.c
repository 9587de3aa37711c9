/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of the kernel out of a vmlinux. This program stands in for both: its file is the vmlinux, and where it is loaded, which
 * is not where it was linked, is the kernel.
 */
#include "core/naming/kernel_debug.h"

#include <sys/stat.h>

#include "core/base/err.h"
#include "core/naming/local_files.h"
#include "core/naming/naming.h"
#include "tests/harness.h"

#define NOINLINE __attribute__((noinline, noclone))
#define INLINED static inline __attribute__((always_inline))

static volatile uint64_t place; /* of the call in middle_of_kernel() */

NOINLINE static void note_place(void)
{
	place = (uintptr_t)__builtin_return_address(0);
}

enum {
	CALL_LINE = __LINE__ + 4
};
INLINED void middle_of_kernel(void)
{
	note_place();
	place++;
	place--;
}

enum {
	OUTER_LINE = __LINE__ + 4
};
NOINLINE static void function_of_kernel(void)
{
	middle_of_kernel();
	place++;
	place--;
}

struct fixture {
	struct profile profile;
	char self[4096], build_id[65];
	uint32_t function, module;
};

static void ask_build_id(struct fixture *fixture)
{
	static const struct naming naming = { .identify_only = true };
	struct symbolizer *symbolizer;
	char path[sizeof(fixture->self)];
	ssize_t nr = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(nr > 0);
	path[nr] = '\0';
	memcpy(fixture->self, path, (size_t)nr + 1);
	assert_int_equal(naming_start(&naming, &symbolizer), 0);
	assert_int_equal(symbolizer_add_file(symbolizer, 0, open(path, O_RDONLY | O_CLOEXEC), 0), 0);
	assert_true(strlen(symbolizer_build_id(symbolizer, 0)) < sizeof(fixture->build_id));
	memcpy(fixture->build_id, symbolizer_build_id(symbolizer, 0), strlen(symbolizer_build_id(symbolizer, 0)) + 1);
	symbolizer_free(symbolizer);
}

static uint32_t add_frame(struct profile *profile, const char *module)
{
	const struct profile_frame frame = {
		.kind = FRAME_KERNEL,
		.name = profile_add_string(profile, "function_of_kernel"),
		.module = profile_add_string(profile, module),
		.where = strcmp(module, "kernel") ? 0xffffffffc0001000 : place,
		.offset = place - (uintptr_t)function_of_kernel,
	};

	return profile_add_frame(profile, &frame);
}

static void set_up(struct fixture *fixture)
{
	struct profile *profile = &fixture->profile;

	function_of_kernel();
	ask_build_id(fixture);
	profile_init(profile);
	profile->view.lines = profile->view.inlines = true;
	profile->kernel_release = profile_add_string(profile, "Linux 6.1.0-test x86_64");
	profile->host.kernel_build_id = profile_add_string(profile, fixture->build_id);
	fixture->module = add_frame(profile, "ext4");
	fixture->function = add_frame(profile, "kernel");
}

static void tear_down(struct fixture *fixture)
{
	profile_done(&fixture->profile);
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

static void expect_line(const struct profile *profile, uint32_t frame, const char *name, uint32_t line)
{
	const struct profile_frame *found = &profile->frames.data[frame];

	assert_string_equal(profile_string(profile, found->name), name);
	assert_non_null(strstr(profile_string(profile, found->source), "test_kernel_debug.c"));
	assert_int_equal(found->line, line);
	assert_int_equal(found->line_reason, LINES_FOUND);
}

static void expect_lines(const struct fixture *fixture)
{
	const struct profile *profile = &fixture->profile;
	uint32_t call = profile_find_inlined(profile, fixture->function, 1);

	expect_line(profile, fixture->function, "function_of_kernel", OUTER_LINE);
	assert_int_not_equal(call, PROFILE_NONE);
	expect_line(profile, call, "middle_of_kernel", CALL_LINE);
	assert_int_equal(profile->frames.data[fixture->module].line_reason, LINES_MODULE);
}

FIXTURE_TEST(lines_are_those_of_the_file_that_is_named)
{
	assert_int_equal(local_files_name(&fixture->profile, NULL, fixture->self), 0);
	expect_lines(fixture);
}

static void expect_refused(struct fixture *fixture, const char *build_id, const char *path, int code, const char *why)
{
	fixture->profile.host.kernel_build_id = profile_add_string(&fixture->profile, build_id);
	fixture->profile.frames.data[fixture->function].line_reason = LINES_NOT_TRIED;
	assert_int_equal(local_files_name(&fixture->profile, NULL, path), code);
	if (!strstr(err_cause(), why))
		fail_msg("%s", err_cause());
	assert_int_equal(fixture->profile.frames.data[fixture->function].line_reason, LINES_KERNEL);
	err_clear();
}

FIXTURE_TEST(another_kernel_is_refused)
{
	expect_refused(fixture, "0011223344", fixture->self, -ESTALE, "not for this kernel: its build id is ");
	expect_refused(fixture, "", fixture->self, -ENODATA, "the build id of the kernel is not known");
	expect_refused(fixture, fixture->build_id, ST_SOURCE_DIR "/CMakeLists.txt", -ENOEXEC,
		       "not an ELF file with a build id");
}

static void make(const char *format, char *path, const char *base)
{
	assert_true(snprintf(path, 256, format, base) < 256);
	assert_int_equal(mkdir(path, 0755), 0);
}

FIXTURE_TEST(it_is_looked_for_by_release_and_believed_by_build_id)
{
	char base[] = "/tmp/st-kernel.XXXXXX", boot[256], link[300];

	assert_non_null(mkdtemp(base));
	make("%s/boot", boot, base);
	snprintf(link, sizeof(link), "%s/vmlinux-6.1.0-test", boot);
	assert_int_equal(symlink(fixture->self, link), 0);
	assert_int_equal(local_files_name(&fixture->profile, base, NULL), 0);
	expect_lines(fixture);
	fixture->profile.frames.data[fixture->function].line_reason = LINES_NOT_TRIED;
	fixture->profile.host.kernel_build_id = profile_add_string(&fixture->profile, "0011223344");
	assert_int_equal(local_files_name(&fixture->profile, base, NULL), 0);
	assert_int_equal(fixture->profile.frames.data[fixture->function].line_reason, LINES_KERNEL);
	unlink(link);
	rmdir(boot);
	rmdir(base);
}

/* A name that no function of the file has, or that of another place in a page, tells no distance. */
FIXTURE_TEST(what_is_moved_by_no_page_is_not_believed)
{
	fixture->profile.frames.data[fixture->function].offset++;
	assert_int_equal(local_files_name(&fixture->profile, NULL, fixture->self), 0);
	assert_int_equal(fixture->profile.frames.data[fixture->function].line_reason, LINES_KERNEL);
}

/* A directory of debug files by build id, and a server, which is asked last. */
FIXTURE_TEST(it_is_looked_for_by_build_id)
{
	char base[] = "/tmp/st-kernel.XXXXXX", ids[256], below[260], link[400];

	assert_non_null(mkdtemp(base));
	make("%s/.build-id", ids, base);
	snprintf(below, sizeof(below), "%s/%.2s", ids, fixture->build_id);
	assert_int_equal(mkdir(below, 0755), 0);
	snprintf(link, sizeof(link), "%s/%s.debug", below, fixture->build_id + 2);
	assert_int_equal(symlink(fixture->self, link), 0);
	assert_int_equal(local_files_name(&fixture->profile, base, NULL), 0);
	expect_lines(fixture);
	unlink(link);
	rmdir(below);
	rmdir(ids);
	rmdir(base);
}

static void write_program(const char *path, const char *text)
{
	_cleanup_(closep) int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

FIXTURE_TEST(a_server_is_asked_for_its_build_id)
{
	char base[] = "/tmp/st-kernel.XXXXXX", program[256], path[256], text[8192];

	assert_non_null(mkdtemp(base));
	snprintf(text, sizeof(text), "chmod 755 %s && cp '%s' %s/vmlinux", base, fixture->self, base); /* for nobody */
	assert_int_equal(system(text), 0);
	snprintf(program, sizeof(program), "%s/debuginfod-find", base);
	snprintf(path, sizeof(path), "%s:/usr/bin:/bin", base);
	snprintf(text, sizeof(text), "#!/bin/sh\n[ \"$*\" = \"debuginfo %s\" ] && echo %s/vmlinux\n", fixture->build_id,
		 base);
	write_program(program, text);
	setenv("PATH", path, 1);
	assert_int_equal(local_files_name(&fixture->profile, NULL, NULL), 0);
	assert_int_equal(fixture->profile.frames.data[fixture->function].line_reason, LINES_KERNEL);
	fixture->profile.frames.data[fixture->function].line_reason = LINES_NOT_TRIED;
	setenv("DEBUGINFOD_URLS", "http://localhost:1", 1);
	assert_int_equal(local_files_name(&fixture->profile, NULL, NULL), 0);
	unsetenv("DEBUGINFOD_URLS");
	expect_lines(fixture);
	snprintf(text, sizeof(text), "rm -r %s", base);
	assert_int_equal(system(text), 0);
}
