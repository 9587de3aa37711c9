// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long a key waits on the screen of many stacks.
 *
 *   screen [N]    prints "NR MEDIAN MAX MB". N stacks (100,000) of 35 frames come, then changes of all of them. Meanwhile NR keys are
 *                 pressed, and for each the screen of 200 x 50 is drawn. MEDIAN and MAX: milliseconds of CPU from a key to its screen,
 *                 with the piece of work that it may have to wait for. MB: memory of the screen and of the new stacks
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/render/browser.h"

enum {
	FRAMES = 35,
	NAMES = 20000,
	ROUNDS = 10,
};

static uint32_t state = 1;

static uint32_t random_below(uint32_t limit)
{
	state = state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)state * limit >> 32);
}

/* Stacks that are alike near the root, as real ones are; the same for the same seed. */
static struct tree *make_batch(uint32_t nr)
{
	static const struct tree_options options = { .every_root = true };
	struct tree *tree = xcalloc(1, sizeof(*tree));
	uint32_t *frames = xcalloc(NAMES, sizeof(*frames));

	state = 1;
	tree_init(tree, &options);
	for (uint32_t i = 0; i < NAMES; i++) {
		_cleanup_(buf_done) struct buf name = {};

		buf_addf(&name, "function_%u", i);
		frames[i] = (uint32_t)tree->frames.nr;
		vec_push(&tree->frames, (struct tree_frame){ .text = strtab_add(&tree->texts, buf_text(&name)) });
	}
	for (uint32_t i = 0; i < nr; i++) {
		struct tree_stack stack = { .first = tree->pool.nr,
					    .nr = STACKS_ROOTS + FRAMES,
					    .value = { 1 + i % 7 } };

		for (uint32_t root = 0; root < STACKS_ROOTS; root++)
			vec_push(&tree->pool, frames[i % 100]);
		for (uint32_t depth = 0; depth < FRAMES; depth++)
			vec_push(&tree->pool, frames[depth * 500 + random_below(depth < 25 ? 1 + depth / 8 : 400)]);
		vec_push(&tree->stacks, stack);
	}
	free(frames);
	return tree;
}

static int compare(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
	static const int keys[] = { KEY_DOWN,  KEY_ENTER, '2',      'o', KEY_END,    '1',      'g', 'g', KEY_PAGE_DOWN,
				    '*',       '3',       KEY_DOWN, 'c', '/',        'f',      'u', 'n', '9',
				    KEY_ENTER, 'n',       'N',      '1', KEY_ESCAPE, KEY_DOWN, 'z', 'Z', KEY_HOME };
	static const struct graph_caption caption = { .title = "bench", .subtitle = "", .unit = "samples" };
	static const struct browser_options options = { .is_live = true, .is_colored = true, .is_utf8 = true };
	const uint32_t nr_stacks = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100000;
	const size_t nr_keys = sizeof(keys) / sizeof(*keys);
	VEC(double) times = {};
	struct browser browser;
	struct rusage usage;
	double max = 0;

	browser_init(&browser, &caption, &options);
	browser_resize(&browser, 50, 200);
	for (size_t round = 0; round < ROUNDS; round++) {
		browser_take(&browser, make_batch(nr_stacks));
		for (size_t i = 0; i < 4 * nr_keys; i++) {
			const uint64_t began = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
			_cleanup_(buf_done) struct buf screen = {};

			browser_work(&browser); /* has begun when the key comes */
			browser_press(&browser, keys[i % nr_keys]);
			browser_draw(&browser, &screen);
			vec_push(&times, (double)(clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - began) / 1e6);
		}
		while (browser_work(&browser)) {
			const uint64_t began = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
			double work;

			browser_work(&browser);
			work = (double)(clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - began) / 1e6;
			max = work > max ? work : max;
		}
	}
	qsort(times.data, times.nr, sizeof(*times.data), compare);
	getrusage(RUSAGE_SELF, &usage);
	printf("%zu %.2f %.2f %ld\n", times.nr, times.data[times.nr / 2],
	       vec_last(&times) > max ? vec_last(&times) : max, usage.ru_maxrss / 1024);
	browser_done(&browser);
	vec_done(&times);
	return 0;
}
