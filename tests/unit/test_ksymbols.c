/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of code that the kernel has generated, and of code that is gone. */
#include "core/engine/ksymbols.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "core/base/strtab.h"

#define CODE 0xffffffffc0001000ull

struct fixture {
	struct ksymbols *ksymbols;
	struct profile profile;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->ksymbols = ksymbols_new();
	profile_init(&fixture->profile);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	ksymbols_free(fixture->ksymbols);
	profile_done(&fixture->profile);
	free(fixture);
	return 0;
}

/* A kernel frame as naming.c leaves it: NULL for one that the list does not name. */
static uint32_t add_frame(struct fixture *fixture, uint64_t where, bool exact, const char *name, const char *module,
			  uint64_t offset)
{
	struct strtab *strings = &fixture->profile.strings;
	const struct profile_frame frame = { .kind = FRAME_KERNEL, .exact = exact, .where = where };
	uint32_t index = profile_add_frame(&fixture->profile, &frame);
	struct profile_frame *added = &fixture->profile.frames.data[index];

	added->reason = name ? REASON_NAMED : REASON_KERNEL_UNKNOWN;
	added->name = name ? strtab_add(strings, name) : 0;
	added->module = strtab_add(strings, module);
	added->offset = offset;
	return index;
}

static const char *name_of(const struct fixture *fixture, uint32_t index)
{
	return profile_string(&fixture->profile, fixture->profile.frames.data[index].name);
}

static void code_that_is_gone_has_its_name(void **state)
{
	struct fixture *fixture = *state;
	uint32_t inside = add_frame(fixture, CODE + 0x10, true, NULL, "kernel", 0);
	uint32_t last = add_frame(fixture, CODE + 0x80, false, NULL, "kernel", 0);
	uint32_t behind = add_frame(fixture, CODE + 0x80, true, NULL, "kernel", 0);

	ksymbols_add(fixture->ksymbols, CODE, CODE + 0x80, "bpf_prog_0123456789abcdef_f");
	ksymbols_add(fixture->ksymbols, CODE, CODE + 0x80, "bpf_prog_0123456789abcdef_f");
	ksymbols_name_frames(fixture->ksymbols, &fixture->profile);
	assert_string_equal(name_of(fixture, inside), "bpf_prog_0123456789abcdef_f");
	assert_int_equal(fixture->profile.frames.data[inside].offset, 0x10);
	assert_int_equal(fixture->profile.frames.data[inside].reason, REASON_NAMED);
	assert_string_equal(profile_string(&fixture->profile, fixture->profile.frames.data[inside].module), "bpf");
	assert_true(fixture->profile.frames.data[inside].tracer);
	assert_string_equal(name_of(fixture, last), "bpf_prog_0123456789abcdef_f");
	assert_int_equal(fixture->profile.frames.data[behind].reason, REASON_KERNEL_UNKNOWN);
}

static void the_newest_of_one_place_counts(void **state)
{
	struct fixture *fixture = *state;
	uint32_t frame = add_frame(fixture, CODE + 0x10, true, NULL, "kernel", 0);

	ksymbols_add(fixture->ksymbols, CODE, CODE + 0x80, "bpf_prog_0123456789abcdef_old");
	ksymbols_add(fixture->ksymbols, CODE, CODE + 0x40, "bpf_trampoline_7");
	ksymbols_name_frames(fixture->ksymbols, &fixture->profile);
	assert_string_equal(name_of(fixture, frame), "bpf_trampoline_7");
}

static void what_the_list_knows_for_certain_stays(void **state)
{
	struct fixture *fixture = *state;
	uint32_t before = add_frame(fixture, CODE + 0x10, true, "bpf_prog_0_long", "bpf", 0x1010);
	uint32_t same = add_frame(fixture, CODE + 0x11, true, "bpf_prog_2_now", "bpf", 0x11);
	uint32_t module = add_frame(fixture, CODE + 0x12, true, "function", "module", 0x1012);
	uint32_t hidden = add_frame(fixture, CODE + 0x13, true, NULL, "kernel", 0);

	fixture->profile.frames.data[hidden].reason = REASON_KERNEL_HIDDEN;
	ksymbols_add(fixture->ksymbols, CODE, CODE + 0x80, "bpf_prog_0123456789abcdef_f");
	ksymbols_name_frames(fixture->ksymbols, &fixture->profile);
	assert_string_equal(name_of(fixture, before), "bpf_prog_0123456789abcdef_f");
	assert_string_equal(name_of(fixture, same), "bpf_prog_2_now");
	assert_string_equal(name_of(fixture, module), "function");
	assert_string_equal(name_of(fixture, hidden), "");
}

static void a_host_that_makes_code_all_the_time_fills_nothing(void **state)
{
	struct fixture *fixture = *state;
	uint32_t first = add_frame(fixture, CODE, true, NULL, "kernel", 0);
	uint32_t last = add_frame(fixture, CODE + 99999 * 16, true, NULL, "kernel", 0);

	ksymbols_add(fixture->ksymbols, CODE + 8, CODE + 8, "empty");
	for (uint64_t i = 0; i < 100000; i++)
		ksymbols_add(fixture->ksymbols, CODE + i * 16, CODE + i * 16 + 16, "bpf_prog_0123456789abcdef_f");
	ksymbols_name_frames(fixture->ksymbols, &fixture->profile);
	assert_string_equal(name_of(fixture, first), "bpf_prog_0123456789abcdef_f");
	assert_string_equal(name_of(fixture, last), "");
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(code_that_is_gone_has_its_name),
		TEST(the_newest_of_one_place_counts),
		TEST(what_the_list_knows_for_certain_stays),
		TEST(a_host_that_makes_code_all_the_time_fills_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
