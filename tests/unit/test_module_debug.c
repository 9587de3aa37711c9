/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of kernel modules: from frames as a run leaves them, with the name of a function and of its module, to those of the
 * module's file. The file is made here, by the compiler; addr2line is the judge.
 */
#include "core/naming/module_debug.h"

#include "core/naming/local_files.h"
#include "tests/harness.h"

enum {
	TEXT = 4096,
};

#define RELEASE "6.1.0-test"

struct fixture {
	struct profile profile;
	char directory[64], build_id[65];
	uint32_t frame; /* in first(), just after a call */
	uint64_t offset; /* of it, in the function */
	uint64_t start; /* of the function, in its section */
};

__attribute__((format(printf, 3, 4))) static void run(const struct fixture *fixture, char text[TEXT],
						      const char *format, ...)
{
	char command[1024], whole[2048];
	va_list arguments;
	size_t nr;
	FILE *out;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	snprintf(whole, sizeof(whole), "cd %s && (%s) 2>&1", fixture->directory, command);
	out = popen(whole, "re");
	assert_non_null(out);
	nr = fread(text, 1, TEXT - 1, out);
	text[nr] = '\0';
	if (pclose(out))
		fail_msg("%s: %s", command, text);
	text[strcspn(text, "\n")] = '\0';
}

static void make_module(struct fixture *fixture)
{
	char text[TEXT];

	run(fixture, text,
	    "cc -c -O2 -g -o module.o %s/tests/unit/libdw/module.c && ld -r --build-id=sha1 -o my-mod.ko module.o",
	    ST_SOURCE_DIR);
	run(fixture, text, "readelf -n my-mod.ko | sed -n 's/.*Build ID: //p'");
	snprintf(fixture->build_id, sizeof(fixture->build_id), "%.64s", text);
	run(fixture, text, "nm my-mod.ko | sed -n 's/ T first$//p'");
	fixture->start = strtoull(text, NULL, 16);
	fixture->offset = 15;
}

static uint32_t add_frame(struct profile *profile, const char *function, const char *module, uint64_t offset)
{
	const struct profile_frame frame = {
		.kind = FRAME_KERNEL,
		.exact = true,
		.name = profile_add_string(profile, function),
		.module = profile_add_string(profile, module),
		.where = 0xffffffffc0001000 + offset,
		.offset = offset,
	};

	return profile_add_frame(profile, &frame);
}

static void set_up(struct fixture *fixture)
{
	struct profile *profile = &fixture->profile;
	struct profile_module module;

	memcpy(fixture->directory, "/tmp/st-module.XXXXXX", sizeof("/tmp/st-module.XXXXXX"));
	assert_non_null(mkdtemp(fixture->directory));
	make_module(fixture);
	profile_init(profile);
	profile->view.lines = profile->view.inlines = true;
	profile->kernel_release = profile_add_string(profile, "Linux " RELEASE " x86_64");
	module.name = profile_add_string(profile, "my_mod");
	module.build_id = profile_add_string(profile, fixture->build_id);
	assert_true(profile_add_module(profile, &module));
	fixture->frame = add_frame(profile, "first", "my_mod", fixture->offset);
}

static void tear_down(struct fixture *fixture)
{
	char command[128];

	profile_done(&fixture->profile);
	snprintf(command, sizeof(command), "rm -r %s", fixture->directory);
	assert_int_equal(system(command), 0);
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

static void put_by_build_id(const struct fixture *fixture)
{
	char text[TEXT];

	run(fixture, text, "d=debug/.build-id/%.2s; mkdir -p $d && objcopy --only-keep-debug my-mod.ko $d/%s.debug",
	    fixture->build_id, fixture->build_id + 2);
}

static void find(struct fixture *fixture)
{
	char directory[80];

	snprintf(directory, sizeof(directory), "%s/debug", fixture->directory);
	assert_int_equal(local_files_name(&fixture->profile, directory, NULL), 0);
}

/* The lines of addr2line, from the inside out. */
static void expect_lines(struct fixture *fixture)
{
	const struct profile *profile = &fixture->profile;
	char wanted[TEXT];
	size_t nr;

	run(fixture, wanted, "addr2line -i -s -j .text -e my-mod.ko 0x%zx | sed 's/ (.*//' | paste -sd' '",
	    (size_t)(fixture->start + fixture->offset));
	for (uint16_t level = 1;; level++) {
		uint32_t number = profile_find_inlined(profile, fixture->frame, level);
		const struct profile_frame *frame =
			&profile->frames.data[number == PROFILE_NONE ? fixture->frame : number];
		const char *source = profile_string(profile, frame->source), *slash = strrchr(source, '/');
		char found[TEXT];

		assert_int_equal(frame->line_reason, LINES_FOUND);
		nr = (size_t)snprintf(found, sizeof(found), "%s:%u", slash ? slash + 1 : source, frame->line);
		if (strncmp(found, wanted, nr) != 0)
			fail_msg("'%s' where addr2line has '%s'", found, wanted);
		memmove(wanted, wanted + nr + (wanted[nr] == ' '), strlen(wanted + nr) + 1);
		if (number == PROFILE_NONE)
			break;
	}
	assert_string_equal(wanted, "");
}

static void expect_reason(struct fixture *fixture, enum line_reason reason)
{
	assert_int_equal(fixture->profile.frames.data[fixture->frame].line_reason, reason);
}

FIXTURE_TEST(a_file_with_the_build_id_has_the_lines)
{
	put_by_build_id(fixture);
	find(fixture);
	expect_lines(fixture);
}

/* Its name has a dash where the kernel has "_". Debian's packages have the first, Fedora's the second. */
FIXTURE_TEST(the_path_of_the_module_leads_to_it)
{
	static const char *const places[] = { "my-mod.ko", "my-mod.ko.debug" };
	char text[TEXT];

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		run(fixture, text,
		    "rm -rf debug; d=debug/lib/modules/" RELEASE
		    "; mkdir -p $d/kernel/fs && cp my-mod.ko $d/kernel/fs/%s &&"
		    "printf 'kernel/fs/my-modern.ko:\\nkernel/fs/my-mod.ko.xz: kernel/lib/crc16.ko.xz kernel/lib/crc32.ko.xz\\n' >$d/modules.dep",
		    places[i]);
		fixture->profile.frames.data[fixture->frame].line_reason = LINES_NOT_TRIED;
		find(fixture);
		expect_lines(fixture);
	}
}

FIXTURE_TEST(a_directory_may_be_called_as_a_module)
{
	char text[TEXT];

	run(fixture, text,
	    "d=debug/lib/modules/" RELEASE "; mkdir -p $d/extra/my-mod.ko.d && cp my-mod.ko $d/extra/my-mod.ko.d &&"
	    "printf 'extra/my-mod.ko.d/other.ko:\nextra/my-mod.ko.d/my-mod.ko.xz: kernel/lib/crc16.ko.xz\n' >$d/modules.dep");
	find(fixture);
	expect_lines(fixture);
}

/* A list of anyone's: a line may have no end in sight, and what stands in the middle of one is not a path. */
FIXTURE_TEST(long_lines_are_passed_over)
{
	char text[TEXT];

	run(fixture, text,
	    "d=debug/lib/modules/" RELEASE
	    "; mkdir -p $d/right $d/wrong && cp my-mod.ko $d/right && cp my-mod.ko $d/wrong &&"
	    "{ printf '%%04095d' 0; printf 'wrong/my-mod.ko:\n'; head -c 5000000 /dev/zero | tr '\\0' x;"
	    "printf '\nright/my-mod.ko:\n'; } >$d/modules.dep && rm -r $d/wrong");
	find(fixture);
	expect_lines(fixture);
}

FIXTURE_TEST(a_stripped_module_is_passed_over)
{
	char text[TEXT];

	run(fixture, text,
	    "d=debug/lib/modules/" RELEASE "; u=debug/usr/lib/modules/" RELEASE
	    "; mkdir -p $d $u && strip -g -o $d/my-mod.ko my-mod.ko &&"
	    "printf 'my-mod.ko: kernel/lib/crc16.ko kernel/lib/crc32.ko kernel/lib/crc64.ko:\n' >$d/modules.dep");
	find(fixture);
	expect_reason(fixture, LINES_MODULE);
	run(fixture, text, "cp my-mod.ko debug/usr/lib/modules/" RELEASE);
	fixture->profile.frames.data[fixture->frame].line_reason = LINES_NOT_TRIED;
	find(fixture);
	expect_lines(fixture);
}

FIXTURE_TEST(another_build_is_not_believed)
{
	put_by_build_id(fixture);
	fixture->profile.modules.data[0].build_id = profile_add_string(&fixture->profile, "0011223344");
	find(fixture);
	expect_reason(fixture, LINES_MODULE);
}

FIXTURE_TEST(without_a_build_id_there_are_no_lines)
{
	put_by_build_id(fixture);
	fixture->profile.modules.nr = 0;
	find(fixture);
	expect_reason(fixture, LINES_MODULE);
}

/* Another place than the name says would have another line. */
FIXTURE_TEST(what_is_not_in_the_function_has_no_line)
{
	uint32_t unknown = add_frame(&fixture->profile, "no_such_function", "my_mod", 0);
	uint32_t beyond = add_frame(&fixture->profile, "first", "my_mod", 5000);

	put_by_build_id(fixture);
	find(fixture);
	expect_lines(fixture);
	assert_int_equal(fixture->profile.frames.data[unknown].line_reason, LINES_NO_LINE);
	assert_int_equal(fixture->profile.frames.data[beyond].line_reason, LINES_NO_LINE);
}
