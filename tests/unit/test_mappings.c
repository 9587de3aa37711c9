/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/spaces/mappings.c: what covers an address at a time; checked against a table with one entry per page. */
#include "core/spaces/mappings.h"
#include "tests/harness.h"

static void add(struct mappings **mappings, uint64_t start, uint64_t end, uint64_t offset, uint64_t since_ns,
		uint32_t image)
{
	struct mapping mapping = { start, end, offset, since_ns, image };

	assert_int_equal(mappings_add(mappings, &mapping), 0);
}

/* Image and file offset at an address; -1 where nothing is. */
static int64_t image_at(const struct mappings *mappings, uint64_t address, uint64_t time_ns)
{
	const struct mapping *mapping = mappings_find(mappings, address, time_ns);

	return mapping ? (int64_t)mapping->image : -1;
}

TEST(the_newest_mapping_wins_and_cuts_the_others)
{
	struct mappings *mappings = mappings_new();
	const struct mapping *right;

	add(&mappings, 0x1000, 0x9000, 0x100, 10, 1);
	add(&mappings, 0x3000, 0x5000, 0, 20, 2);
	assert_int_equal(image_at(mappings, 0xfff, 30), -1);
	assert_int_equal(image_at(mappings, 0x1000, 30), 1);
	assert_int_equal(image_at(mappings, 0x3000, 30), 2);
	assert_int_equal(image_at(mappings, 0x4fff, 30), 2);
	assert_int_equal(image_at(mappings, 0x5000, 30), 1);
	assert_int_equal(image_at(mappings, 0x9000, 30), -1);
	right = mappings_find(mappings, 0x6000, 30);
	assert_int_equal(0x6000 - right->start + right->file_offset, 0x5100);
	mappings_free(mappings);
}

TEST(an_earlier_moment_sees_what_was_there_then)
{
	struct mappings *mappings = mappings_new();

	add(&mappings, 0x1000, 0x9000, 0, 10, 1);
	add(&mappings, 0x3000, 0x5000, 0, 20, 2);
	add(&mappings, 0x2000, 0xa000, 0, 30, 3);
	assert_int_equal(image_at(mappings, 0x4000, 9), -1);
	assert_int_equal(image_at(mappings, 0x4000, 10), 1);
	assert_int_equal(image_at(mappings, 0x4000, 20), 2);
	assert_int_equal(image_at(mappings, 0x4000, 29), 2);
	assert_int_equal(image_at(mappings, 0x4000, 30), 3);
	assert_int_equal(image_at(mappings, 0x9800, 29), -1);
	mappings_free(mappings);
}

TEST(a_mapping_of_before_counts_always)
{
	struct mappings *mappings = mappings_new();

	add(&mappings, 0x1000, 0x2000, 0, 20, 1);
	add(&mappings, 0x1000, 0x2000, 0, 0, 2); /* as maps say */
	assert_int_equal(image_at(mappings, 0x1000, 5), 2);
	assert_int_equal(image_at(mappings, 0x1000, 25), 2);
	mappings_free(mappings);
}

TEST(the_same_again_changes_nothing)
{
	struct mappings *mappings = mappings_new();

	add(&mappings, 0x1000, 0x9000, 0x100, 10, 1);
	for (uint64_t i = 0; i < 1000; i++)
		add(&mappings, 0x3000, 0x5000, 0x2100, 20 + i, 1); /* part of it was protected anew */
	assert_int_equal(mappings_count(mappings), 1);
	assert_int_equal(image_at(mappings, 0x4000, 10), 1);
	mappings_free(mappings);
}

TEST(code_that_grows_page_by_page_is_one_mapping)
{
	struct mappings *mappings = mappings_new();

	for (uint64_t page = 1; page <= 1000; page++)
		add(&mappings, page << 12, (page + 1) << 12, 0, page, IMAGE_ANONYMOUS);
	assert_int_equal(mappings_count(mappings), 1);
	assert_int_equal(image_at(mappings, 500 << 12, 1000), IMAGE_ANONYMOUS);
	mappings_free(mappings);
}

TEST(holders_do_not_see_each_others_changes)
{
	struct mappings *parent = mappings_new(), *child;

	add(&parent, 0x1000, 0x2000, 0, 0, 1);
	child = mappings_share(parent);
	assert_ptr_equal(child, parent);
	add(&parent, 0x3000, 0x4000, 0, 10, 2);
	assert_ptr_not_equal(child, parent);
	add(&child, 0x5000, 0x6000, 0, 10, 3);
	assert_int_equal(image_at(parent, 0x5000, 20), -1);
	assert_int_equal(image_at(child, 0x3000, 20), -1);
	assert_int_equal(image_at(child, 0x1000, 20), 1);
	mappings_free(parent);
	assert_int_equal(image_at(child, 0x5000, 20), 3);
	mappings_free(child);
}

TEST(a_table_has_an_end)
{
	struct mappings *mappings = mappings_new();
	struct mapping mapping = { .since_ns = 1 };
	uint64_t i;
	int err = 0;

	for (i = 1; !err && i < 2 * MAPPINGS_MAX; i++) {
		mapping.start = i << 13;
		mapping.end = mapping.start + 4096;
		err = mappings_add(&mappings, &mapping);
	}
	assert_int_equal(err, -ENOSPC);
	assert_in_range(mappings_count(mappings), MAPPINGS_MAX - 2, MAPPINGS_MAX);
	mappings_free(mappings);
}

TEST(what_was_cut_away_is_not_kept_for_ever)
{
	struct mappings *mappings = mappings_new();

	for (uint64_t i = 1; i < 100000; i++)
		add(&mappings, 0x1000, 0x2000, 0, i, i % 2);
	assert_in_range(mappings_count(mappings), 1, 1000);
	assert_int_equal(image_at(mappings, 0x1000, 99999 - 100), (99999 - 100) % 2);
	mappings_free(mappings);
}

static bool would_replace(const struct mappings *mappings, uint64_t start, uint64_t end, uint64_t offset,
			  uint32_t image)
{
	return mappings_would_replace(mappings, &(struct mapping){ start, end, offset, 20, image });
}

TEST(other_code_of_a_file_at_an_address_replaces_what_was_there)
{
	struct mappings *mappings = mappings_new();

	add(&mappings, 0x3000, 0x6000, 0x1000, 10, 1);
	add(&mappings, 0x8000, 0x9000, 0, 10, 2);
	add(&mappings, 0xa000, 0xc000, 0, 10, IMAGE_ANONYMOUS);
	assert_false(would_replace(mappings, 0x1000, 0x3000, 0, 3)); /* up to it */
	assert_false(would_replace(mappings, 0x6000, 0x8000, 0, 3)); /* between them */
	assert_true(would_replace(mappings, 0x1000, 0x3001, 0, 3));
	assert_true(would_replace(mappings, 0x5fff, 0x7000, 0, 3));
	assert_true(would_replace(mappings, 0x4000, 0x9000, 0x2000, 1)); /* the second one */
	assert_false(would_replace(mappings, 0x3000, 0x6000, 0x1000, 1)); /* the same again, a part of it, more of it */
	assert_false(would_replace(mappings, 0x4000, 0x5000, 0x2000, 1));
	assert_false(would_replace(mappings, 0x2000, 0x8000, 0, 1));
	assert_true(would_replace(mappings, 0x3000, 0x6000, 0x2000, 1)); /* another place of the same file */
	assert_false(would_replace(mappings, 0x3000, 0x6000, 0, IMAGE_ANONYMOUS)); /* generated code */
	assert_false(would_replace(mappings, 0xa000, 0xb000, 0, 3));
	mappings_free(mappings);
}

/* ---- against a simple model ---- */

enum {
	PAGES = 64,
	STEPS = 300
};

static struct {
	int64_t image[STEPS + 1][PAGES];
	uint64_t offset[STEPS + 1][PAGES];
} model;

static void model_add(int step, unsigned int first, unsigned int last, uint64_t offset, uint32_t image)
{
	for (unsigned int page = 0; page < PAGES; page++) {
		bool covered = page >= first && page <= last;

		model.image[step][page] = covered ? image : model.image[step - 1][page];
		model.offset[step][page] = covered ? offset + (page - first) * 4096 : model.offset[step - 1][page];
	}
}

static void compare(const struct mappings *mappings, int last_step)
{
	for (int step = last_step > 100 ? last_step - 100 : 0; step <= last_step; step++) {
		for (uint64_t page = 0; page < PAGES; page++) {
			const struct mapping *found = mappings_find(mappings, page * 4096 + 17, (uint64_t)step * 10);

			assert_int_equal(found ? (int64_t)found->image : -1, model.image[step][page]);
			if (found && found->image != IMAGE_ANONYMOUS)
				assert_int_equal(page * 4096 - found->start + found->file_offset,
						 model.offset[step][page]);
		}
	}
}

TEST(random_mappings_agree_with_the_model)
{
	for (unsigned int seed = 0; seed < 20; seed++) {
		struct mappings *mappings = mappings_new();

		srandom(seed);
		for (int page = 0; page < PAGES; page++)
			model.image[0][page] = -1;
		for (int step = 1; step <= STEPS; step++) {
			unsigned int a = (unsigned int)random() % PAGES, b = (unsigned int)random() % PAGES;
			unsigned int first = a < b ? a : b, last = a < b ? b : a;
			uint32_t image = (uint32_t)random() % 3;
			uint64_t offset = ((uint64_t)random() % 4) << 12;

			model_add(step, first, last, offset, image);
			add(&mappings, first * 4096, (last + 1) * 4096ULL, offset, (uint64_t)step * 10, image);
		}
		compare(mappings, STEPS);
		mappings_free(mappings);
	}
}
