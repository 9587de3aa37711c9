// SPDX-License-Identifier: GPL-2.0-or-later
/* Source lines and inlined calls in a profile: stacks, what is saved, and what each form carries of them. */
#include "core/formats/profile_file.h"
#include "core/naming/frame_lines.h"
#include "core/render/documents.h"
#include "core/render/filter.h"
#include "tests/unit/profile_text.h"
#include "tests/harness.h"

/* main() calls work(), into which middle() and burn() were inlined; idle() has no lines. */
enum {
	BURN,
	MIDDLE,
	WORK,
	MAIN,
	IDLE,
	NR_FRAMES
};

static uint32_t add_frame(struct profile *profile, const char *name, uint64_t where, uint16_t level, uint32_t line)
{
	const struct profile_frame frame = {
		.kind = FRAME_USER_FILE,
		.name = profile_add_string(profile, name),
		.module = profile_add_string(profile, "app"),
		.where = where,
		.level = level,
		.offset = level ? 0 : 7,
		.source = line ? profile_add_string(profile, "/src/app.c") : 0,
		.line = line,
		.line_reason = line ? LINES_FOUND : LINES_NO_DEBUG,
		.has_inlined = !strcmp(name, "work"),
	};

	return profile_add_frame(profile, &frame);
}

static void add_record(struct profile *profile, uint64_t id, const uint32_t *frames, uint16_t nr)
{
	const uint64_t addresses[4] = { 0x1010, 0x1020, 0x1030, 0x1040 };
	const struct profile_record record = {
		.id = { id, 1 },
		.tgid = 10,
		.tid = 10,
		.comm = profile_add_string(profile, "app"),
		.program = PROGRAM_SAMPLE,
		.user_status = STACK_OK,
		.nr_user = nr,
	};

	profile_add_record(profile, &record, frames, addresses);
	profile_count(profile, &profile->intervals.data[0], record.id, id, 0);
}

static void build(struct profile *profile)
{
	profile_init(profile);
	profile->view = (struct profile_view){
		.style = VIEW_PROFILE,
		.want_user = true,
		.lines = true,
		.inlines = true,
	};
	vec_push(&profile->intervals, (struct profile_interval){});
	vec_push(&profile->files, (struct profile_file){ .path = profile_add_string(profile, "/bin/app") });
	assert_int_equal(add_frame(profile, "burn", 0x10, 1, 4), BURN);
	assert_int_equal(add_frame(profile, "middle", 0x10, 2, 9), MIDDLE);
	assert_int_equal(add_frame(profile, "work", 0x10, 0, 15), WORK);
	assert_int_equal(add_frame(profile, "main", 0x20, 0, 31), MAIN);
	assert_int_equal(add_frame(profile, "idle", 0x30, 0, 0), IDLE);
	add_record(profile, 5, (const uint32_t[]){ WORK, MAIN }, 2);
	add_record(profile, 2, (const uint32_t[]){ IDLE, MAIN }, 2);
}

#define PROFILE_TEST(name) TEST_WITH(struct profile, profile, name, build, profile_done)

static void expect_stack(const struct profile *profile, size_t number, const uint32_t *frames, size_t nr)
{
	const struct profile_record *record = &profile->records.data[number];

	assert_int_equal(record->nr_user, nr);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(profile->stack_frames.data[record->first + i], frames[i]);
}

static const uint32_t busy[] = { BURN, MIDDLE, WORK, MAIN }, quiet[] = { IDLE, MAIN };

/* ---- stacks ---- */

PROFILE_TEST(calls_stand_before_their_function_and_only_once)
{
	for (int i = 0; i < 2; i++) {
		profile_expand(profile);
		expect_stack(profile, 0, busy, 4);
		expect_stack(profile, 1, quiet, 2);
	}
	assert_int_equal(profile->stack_addresses.data[profile->records.data[0].first], 0x1010);
	assert_int_equal(profile->stack_addresses.data[profile->records.data[0].first + 2], 0x1010);
	assert_int_equal(profile->stack_addresses.data[profile->records.data[0].first + 3], 0x1020);
}

PROFILE_TEST(later_records_get_theirs)
{
	const uint32_t twice[] = { WORK, WORK, IDLE };

	profile_expand(profile);
	add_record(profile, 3, twice, 3);
	expect_stack(profile, 2, twice, 3);
	profile_expand(profile);
	expect_stack(profile, 0, busy, 4);
	expect_stack(profile, 2, (const uint32_t[]){ BURN, MIDDLE, WORK, BURN, MIDDLE, WORK, IDLE }, 7);
}

/* A frame whose calls are said to be there, but are not, as a hostile file has it. */
PROFILE_TEST(calls_that_are_nowhere_are_left_out)
{
	profile->frames.data[IDLE].has_inlined = true;
	profile_expand(profile);
	expect_stack(profile, 1, quiet, 2);
}

PROFILE_TEST(a_stack_has_no_more_frames_than_its_number_says)
{
	static uint32_t frames[UINT16_MAX - 1];
	static uint64_t addresses[UINT16_MAX - 1];
	const struct profile_record record = { .id = { 9, 1 }, .nr_user = UINT16_MAX - 1, .user_status = STACK_OK };

	for (size_t i = 0; i < UINT16_MAX - 1; i++)
		frames[i] = i ? MAIN : WORK;
	profile_add_record(profile, &record, frames, addresses);
	profile_expand(profile);
	assert_int_equal(profile->records.data[2].nr_user, UINT16_MAX);
	expect_stack(profile, 0, busy, 4);
	assert_int_equal(profile->stack_frames.data[profile->records.data[2].first], BURN);
	assert_int_equal(profile->stack_frames.data[profile->records.data[2].first + 1], WORK);
}

PROFILE_TEST(what_is_forgotten_leaves_the_rest_expanded)
{
	const struct profile_frame *frames;

	profile_expand(profile);
	profile->intervals.data[0].rows.nr = 0;
	profile_keep_only(profile, &(struct profile_id){ 5, 1 }, 1);
	profile_expand(profile);
	frames = profile->frames.data;
	assert_int_equal(profile->records.nr, 1);
	assert_int_equal(profile->records.data[0].nr_user, 4);
	assert_string_equal(profile_string(profile, frames[profile->stack_frames.data[1]].name), "middle");
	assert_string_equal(profile_string(profile, frames[profile->stack_frames.data[1]].source), "/src/app.c");
	assert_int_equal(frames[profile->stack_frames.data[1]].line, 9);
}

/* ---- looking up ---- */

PROFILE_TEST(without_time_left_frames_say_that_it_took_too_long)
{
	_cleanup_(frame_lines_done) struct frame_lines lines = {};

	profile->frames.data[IDLE].line_reason = LINES_NOT_TRIED;
	profile_add_frame(profile, &(struct profile_frame){ .kind = FRAME_USER_RAW, .where = 1, .tgid = 10 });
	frame_lines_find(&lines, profile, NULL, NULL, UINT64_MAX);
	assert_int_equal(profile->frames.data[IDLE].line_reason, LINES_LATE);
	assert_int_equal(profile->frames.data[MAIN].line_reason, LINES_FOUND);
	assert_int_equal(profile->frames.data[NR_FRAMES].line_reason, LINES_NO_CODE);
}

PROFILE_TEST(a_file_that_took_too_long_is_not_asked_about_again)
{
	_cleanup_(frame_lines_done) struct frame_lines lines = { .left_ns = FRAME_LINES_NS };

	vec_push(&lines.late, 0);
	profile->frames.data[IDLE].line_reason = LINES_NOT_TRIED;
	frame_lines_find(&lines, profile, NULL, NULL, UINT64_MAX); /* there is nobody to ask */
	assert_int_equal(profile->frames.data[IDLE].line_reason, LINES_LATE);
	assert_in_range(lines.left_ns, FRAME_LINES_NS / 2, FRAME_LINES_NS);
}

/* Events are named many times a second, mostly without anything new. */
PROFILE_TEST(where_no_frame_waits_no_time_is_used)
{
	_cleanup_(frame_lines_done) struct frame_lines lines = { .left_ns = FRAME_LINES_NS };

	frame_lines_find(&lines, profile, NULL, NULL, UINT64_MAX);
	assert_int_equal(lines.left_ns, FRAME_LINES_NS);
}

PROFILE_TEST(nothing_is_looked_up_that_nobody_asked_for)
{
	_cleanup_(frame_lines_done) struct frame_lines lines = { .left_ns = FRAME_LINES_NS };

	profile->view.lines = profile->view.inlines = false;
	profile->frames.data[IDLE].line_reason = LINES_NOT_TRIED;
	frame_lines_find(&lines, profile, NULL, NULL, UINT64_MAX);
	assert_int_equal(profile->frames.data[IDLE].line_reason, LINES_NOT_TRIED);
	assert_int_equal(profile->records.data[0].nr_user, 2);
}

/* ---- forms ---- */

TEST(saved_profiles_print_the_same)
{
	_cleanup_(profile_done) struct profile profile, loaded;
	_cleanup_(freep) char *text = NULL;
	_cleanup_(buf_done) struct buf bytes = {};

	build(&profile);
	profile_expand(&profile);
	profile_encode(&profile, &bytes);
	assert_int_equal(profile_decode(bytes.data, bytes.nr, "here", &loaded), 0);
	profile_expand(&loaded);
	text = printed(&profile, print_report);
	expect_report(&loaded, text);
	assert_true(loaded.view.lines && loaded.view.inlines);
	assert_int_equal(loaded.frames.data[IDLE].line_reason, LINES_NO_DEBUG);
}

PROFILE_TEST(text_has_lines_behind_the_names)
{
	profile->view.offsets = profile->view.modules = true;
	profile_expand(profile);
	expect_report(profile, "\n    idle+0x7 [app]\n    main+0x7 [app] /src/app.c:31\n    -                app (10)\n"
			       "        2\n\n"
			       "    burn (inlined) [app] /src/app.c:4\n    middle (inlined) [app] /src/app.c:9\n"
			       "    work+0x7 [app] /src/app.c:15\n    main+0x7 [app] /src/app.c:31\n"
			       "    -                app (10)\n        5\n\n");
}

PROFILE_TEST(folded_text_marks_calls_where_kernel_frames_are_marked)
{
	profile->view.folded = true;
	profile_expand(profile);
	expect_report(profile,
		      "app;main:app.c:31;idle 2\napp;main:app.c:31;work:app.c:15;middle:app.c:9;burn:app.c:4 5\n");
	profile->view.annotate = true;
	expect_report(profile, "app;main:app.c:31;idle 2\n"
			       "app;main:app.c:31;work:app.c:15;middle:app.c:9_[i];burn:app.c:4_[i] 5\n");
}

/* Equal names at different lines are different rows only where lines are shown. */
PROFILE_TEST(rows_by_name_are_told_apart_by_their_lines)
{
	profile->view.folded = profile->view.by_name = true;
	add_record(profile, 3, &(uint32_t){ add_frame(profile, "main", 0x24, 0, 32) }, 1);
	add_record(profile, 4, &(uint32_t){ add_frame(profile, "main", 0x28, 0, 32) }, 1);
	profile_expand(profile);
	expect_report(profile, "app;main:app.c:31;idle 2\n"
			       "app;main:app.c:31;work:app.c:15;middle:app.c:9;burn:app.c:4 5\napp;main:app.c:32 7\n");
}

/* Linux 5.10 has the leaf of a tracepoint's stack twice, each time with what was inlined there. */
PROFILE_TEST(the_doubled_leaf_goes_with_its_calls)
{
	const uint64_t addresses[] = { 0x10, 0x10, 0x20 };
	const struct profile_record record = {
		.id = { 1, 1 },
		.program = PROGRAM_TRACEPOINT,
		.kernel_status = STACK_OK,
		.nr_kernel = 3,
	};

	profile->view = (struct profile_view){ .want_kernel = true, .folded = true, .inlines = true };
	profile->intervals.data[0].rows.nr = 0;
	profile_add_record(profile, &record, (const uint32_t[]){ WORK, WORK, MAIN }, addresses);
	profile_count(profile, &profile->intervals.data[0], record.id, 1, 0);
	profile_expand(profile);
	assert_int_equal(profile->records.data[2].nr_kernel, 7);
	expect_report(profile, ";main:app.c:31;work:app.c:15;middle:app.c:9;burn:app.c:4 1\n");
}

PROFILE_TEST(what_has_no_line_is_counted_by_reason)
{
	_cleanup_(freep) char *text = NULL;

	profile_expand(profile);
	text = printed(profile, print_notes);
	assert_non_null(
		strstr(text, "NOTE: 1 of 5 frames has no source line: 1 (neither the file nor its debug file has debug "
			     "information)\n"));
}

PROFILE_TEST(an_inlined_function_can_be_picked)
{
	profile_expand(profile);
	assert_int_equal(filter_apply(&(struct filter){ .include = "^middle$" }, profile), 0);
	assert_int_equal(profile->intervals.data[0].rows.nr, 1);
	assert_int_equal(profile->intervals.data[0].rows.data[0].count, 5);
}

/* ---- pprof ---- */

static const Pprof__Location *location(const Pprof__Profile *message, const Pprof__Sample *sample, size_t i)
{
	assert_true(i < sample->n_location_id);
	assert_true(sample->location_id[i] <= message->n_location);
	return message->location[sample->location_id[i] - 1];
}

static void expect_line(const Pprof__Profile *message, const Pprof__Line *line, const char *name, const char *file,
			int64_t number)
{
	const Pprof__Function *function = message->function[line->function_id - 1];

	assert_string_equal(message->string_table[function->name], name);
	assert_string_equal(message->string_table[function->filename], file);
	assert_int_equal(line->line, number);
}

PROFILE_TEST(a_location_of_pprof_has_a_line_for_each_call)
{
	const Pprof__Location *place;
	const Pprof__Sample *sample;
	Pprof__Profile *message;

	profile_expand(profile);
	message = pprof_of(profile);
	assert_int_equal(message->n_sample, 2);
	sample = message->sample[1];
	assert_int_equal(sample->n_location_id, 2);
	place = location(message, sample, 0);
	assert_int_equal(place->n_line, 3);
	expect_line(message, place->line[0], "burn", "/src/app.c", 4);
	expect_line(message, place->line[1], "middle", "/src/app.c", 9);
	expect_line(message, place->line[2], "work", "/src/app.c", 15);
	place = location(message, sample, 1);
	assert_int_equal(place->n_line, 1);
	expect_line(message, place->line[0], "main", "/src/app.c", 31);
	place = location(message, message->sample[0], 0);
	expect_line(message, place->line[0], "idle", "app", 0);
	assert_true(message->mapping[0]->has_line_numbers && message->mapping[0]->has_inline_frames);
	pprof__profile__free_unpacked(message, NULL);
}

/* --max-depth counts calls: what is left of them without the function is told by itself. */
PROFILE_TEST(calls_without_their_function_are_locations)
{
	const Pprof__Sample *sample;
	Pprof__Profile *message;

	profile->presentation.max_depth = 2;
	profile_expand(profile);
	message = pprof_of(profile);
	sample = message->sample[1];
	assert_int_equal(sample->n_location_id, 3); /* and the label */
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(location(message, sample, i)->n_line, 1);
	expect_line(message, location(message, sample, 1)->line[0], "middle", "/src/app.c", 9);
	pprof__profile__free_unpacked(message, NULL);
}

/* A waker stands upside down: its calls are between its function and who is woken, and each of them is there once. */
PROFILE_TEST(calls_of_a_waker_are_locations)
{
	static const char *const names[] = { "app", "main", "work", "middle", "burn", "--" };
	static const struct profile_id waker = { 5, 1 }, sleeper = { 2, 1 }, id = { 9, 9 };
	const Pprof__Sample *sample;
	Pprof__Profile *message;

	profile->view.style = VIEW_WAKE;
	profile_expand(profile);
	profile_add_pair(profile, id, sleeper, &waker, WAKER_SEEN);
	profile->intervals.data[0].rows.nr = 0;
	profile_count(profile, &profile->intervals.data[0], id, 1, 1000);
	message = pprof_of(profile);
	sample = message->sample[0];
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const Pprof__Location *place = location(message, sample, i);

		assert_int_equal(place->n_line, 1);
		assert_string_equal(message->string_table[message->function[place->line[0]->function_id - 1]->name],
				    names[i]);
	}
	pprof__profile__free_unpacked(message, NULL);
}

/* As many levels as there can be, of a hostile file: counting on leads back to the function itself. */
PROFILE_TEST(all_levels_there_are_end)
{
	_cleanup_(buf_done) struct buf packed = {};

	for (uint32_t level = 3; level <= UINT16_MAX; level++)
		add_frame(profile, "deep", 0x10, (uint16_t)level, 1);
	assert_int_equal(document_pprof(profile, profile->intervals.data, 1, &packed), 0);
	profile_expand(profile);
	assert_int_equal(profile->records.data[0].nr_user, UINT16_MAX);
}
