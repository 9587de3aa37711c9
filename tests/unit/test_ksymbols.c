/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of code that the kernel has generated, and of code that is gone. */
#include "core/spaces/ksymbols.h"

#include "core/base/strtab.h"
#include "tests/harness.h"

#define CODE 0xffffffffc0001000ull

struct fixture {
	struct ksymbols *ksymbols;
	struct profile profile;
};

static void set_up(struct fixture *fixture)
{
	fixture->ksymbols = ksymbols_new();
	profile_init(&fixture->profile);
}

static void tear_down(struct fixture *fixture)
{
	ksymbols_free(fixture->ksymbols);
	profile_done(&fixture->profile);
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

static void tell(struct fixture *fixture, uint64_t time_ns, bool gone, uint64_t start, uint64_t size, const char *name)
{
	const struct sideband_record record = {
		.kind = SIDEBAND_KSYMBOL,
		.time_ns = time_ns,
		.gone = gone,
		.start = start,
		.end = start + size,
		.path = name,
	};

	ksymbols_add(fixture->ksymbols, &record);
}

/* A frame of the kernel as it is when the list of symbols has been asked: it knows `name`, or nothing. */
static uint32_t add_frame(struct fixture *fixture, uint64_t time_ns, uint64_t where, bool exact, const char *name)
{
	struct strtab *strings = &fixture->profile.strings;
	const struct profile_frame frame = {
		.kind = FRAME_KERNEL,
		.exact = exact,
		.where = where,
		.generated = ksymbols_at(fixture->ksymbols, where - !exact, time_ns),
	};
	uint32_t index = profile_add_frame(&fixture->profile, &frame);
	struct profile_frame *added = &fixture->profile.frames.data[index];

	added->reason = name ? REASON_NAMED : REASON_KERNEL_UNKNOWN;
	added->name = name ? strtab_add(strings, name) : 0;
	return index;
}

static const char *name_of(const struct fixture *fixture, uint32_t index)
{
	return profile_string(&fixture->profile, fixture->profile.frames.data[index].name);
}

FIXTURE_TEST(code_that_is_gone_has_its_name_within_its_bounds)
{
	const struct profile_frame *frame;
	uint32_t inside, last, behind;

	tell(fixture, 100, false, CODE, 0x80, "bpf_prog_0123456789abcdef_f");
	inside = add_frame(fixture, 150, CODE + 0x10, true, NULL);
	last = add_frame(fixture, 150, CODE + 0x80, false, NULL);
	behind = add_frame(fixture, 150, CODE + 0x80, true, NULL);
	tell(fixture, 200, true, CODE, 0x80, "bpf_prog_0123456789abcdef_f");
	ksymbols_name_frames(fixture->ksymbols, &fixture->profile);
	frame = &fixture->profile.frames.data[inside];
	assert_string_equal(name_of(fixture, inside), "bpf_prog_0123456789abcdef_f");
	assert_int_equal(frame->offset, 0x10);
	assert_int_equal(frame->reason, REASON_NAMED);
	assert_string_equal(profile_string(&fixture->profile, frame->module), "bpf");
	assert_true(frame->tracer);
	assert_string_equal(name_of(fixture, last), "bpf_prog_0123456789abcdef_f");
	assert_int_equal(fixture->profile.frames.data[behind].reason, REASON_KERNEL_UNKNOWN);
}

/* Also where the list, which is read at the end, knows only the last of them. */
FIXTURE_TEST(what_was_at_one_place_one_after_the_other_stays_apart)
{
	uint32_t first, second, between;

	tell(fixture, 100, false, CODE, 0x80, "first");
	first = add_frame(fixture, 150, CODE + 0x10, true, "third");
	tell(fixture, 200, true, CODE, 0x80, "first");
	between = add_frame(fixture, 250, CODE + 0x11, true, NULL);
	tell(fixture, 300, false, CODE, 0x40, "second"); /* nothing reports its end */
	second = add_frame(fixture, 350, CODE + 0x10, true, "third");
	tell(fixture, 400, false, CODE, 0x40, "third");
	ksymbols_name_frames(fixture->ksymbols, &fixture->profile);
	assert_string_equal(name_of(fixture, first), "first");
	assert_string_equal(name_of(fixture, second), "second");
	assert_string_equal(name_of(fixture, between), "");
}

FIXTURE_TEST(code_that_was_there_before_is_named_when_it_goes)
{
	uint32_t before = add_frame(fixture, 150, CODE + 0x10, true, NULL);
	uint32_t hidden = add_frame(fixture, 150, CODE + 0x11, true, NULL);
	uint32_t listed = add_frame(fixture, 150, CODE + 0x12, true, "listed");

	fixture->profile.frames.data[hidden].reason = REASON_KERNEL_HIDDEN;
	tell(fixture, 200, true, CODE, 0x80, "bpf_trampoline_7");
	ksymbols_name_frames(fixture->ksymbols, &fixture->profile);
	assert_string_equal(name_of(fixture, before), "bpf_trampoline_7");
	assert_string_equal(name_of(fixture, hidden), "");
	assert_string_equal(name_of(fixture, listed), "listed");
}

FIXTURE_TEST(a_host_that_makes_code_all_the_time_fills_nothing)
{
	uint32_t first, last;

	tell(fixture, 1, false, CODE + 8, 0, "empty");
	for (uint64_t i = 0; i < 100000; i++)
		tell(fixture, 2, false, CODE + (100000 - i) * 16, 16, "bpf_prog_0123456789abcdef_f");
	first = add_frame(fixture, 3, CODE + 100000 * 16, true, NULL);
	last = add_frame(fixture, 3, CODE + 16, true, NULL);
	ksymbols_name_frames(fixture->ksymbols, &fixture->profile);
	assert_string_equal(name_of(fixture, first), "bpf_prog_0123456789abcdef_f");
	assert_string_equal(name_of(fixture, last), "");
}

/* Code that ends a page, begins one, and goes on over several. */
FIXTURE_TEST(code_is_found_in_every_page_that_it_lies_in)
{
	uint32_t first, middle, last, behind;

	tell(fixture, 100, false, CODE + 0xff0, 0x3010, "long");
	first = add_frame(fixture, 150, CODE + 0xff0, true, NULL);
	middle = add_frame(fixture, 150, CODE + 0x2345, true, NULL);
	last = add_frame(fixture, 150, CODE + 0x3fff, true, NULL);
	behind = add_frame(fixture, 150, CODE + 0x4000, true, NULL);
	ksymbols_name_frames(fixture->ksymbols, &fixture->profile);
	assert_string_equal(name_of(fixture, first), "long");
	assert_string_equal(name_of(fixture, middle), "long");
	assert_string_equal(name_of(fixture, last), "long");
	assert_string_equal(name_of(fixture, behind), "");
}

/* Also when there is no room for what follows: its frames do not have the name of what was there before. */
FIXTURE_TEST(what_is_known_ends_when_all_is_full)
{
	uint32_t before, after;

	tell(fixture, 1, false, CODE, 16, "known");
	for (uint64_t i = 1; i < 70000; i++)
		tell(fixture, 2, false, CODE + i * 16, 16, "filler");
	tell(fixture, 10, false, CODE, 16, "no room for this");
	before = add_frame(fixture, 5, CODE, true, NULL);
	after = add_frame(fixture, 15, CODE, true, NULL);
	ksymbols_name_frames(fixture->ksymbols, &fixture->profile);
	assert_string_equal(name_of(fixture, before), "known");
	assert_int_equal(fixture->profile.frames.data[after].generated, 0);
}

FIXTURE_TEST(code_without_end_is_not_remembered)
{
	uint32_t frame;

	tell(fixture, 1, false, 4096, UINT64_MAX - 4096, "endless");
	frame = add_frame(fixture, 5, CODE, true, NULL);
	ksymbols_name_frames(fixture->ksymbols, &fixture->profile);
	assert_string_equal(name_of(fixture, frame), "");
}
