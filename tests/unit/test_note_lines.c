/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The line about user stacks that stands for all losses of bpf/losses.h which begin with "user stacks". */
#include "core/render/render.h"

#include <stdlib.h>

#include "tests/harness.h"

/* Where number[] says so, the losses of these names; what render_notes() prints. */
struct row {
	const char *what;
	uint64_t complete, no_process, no_table, bad_frame, truncated, ring_full;
	bool quiet, verbose;
	const char *lines;
};

static const struct row rows[] = {
	{ "nothing", .lines = "" },
	{ "one", .complete = 1, .verbose = true, .lines = "NOTE: 1 user stack complete\n" },
	{ "all", .complete = 1440, .verbose = true, .lines = "NOTE: all 1,440 user stacks complete\n" },
	{ "all, but nobody asked", .complete = 1440, .lines = "" },
	{ "all, quiet", .complete = 1440, .quiet = true, .verbose = true, .lines = "" },
	{ "some by frame pointers", .complete = 99, .no_process = 1,
	  .lines =
		  "NOTE: 99 of 100 user stacks complete (99.0%), 1 walked by frame pointers (no unwind tables yet)\n" },
	{ "every end", .complete = 5312 - 52, .no_process = 39, .no_table = 7, .bad_frame = 4, .truncated = 2,
	  .lines =
		  "WARNING: 5,260 of 5,312 user stacks complete (99.0%), 39 walked by frame pointers (no unwind tables yet), "
		  "7 truncated (the unwind table of the code was not ready), 4 truncated (invalid frame address), 2 truncated at 127 "
		  "frames\n" },
	{ "a loss is printed when quiet", .complete = 1, .no_table = 1, .quiet = true,
	  .lines =
		  "WARNING: 1 of 2 user stacks complete (50.0%), 1 truncated (the unwind table of the code was not ready)\n" },
	{ "none is known to be complete", .truncated = 3, .no_process = 2,
	  .lines =
		  "NOTE: 2 user stacks walked by frame pointers: no unwind tables yet\nWARNING: 3 user stacks truncated at 127 frames\n" },
	{ "what took nothing from the result", .complete = 2, .ring_full = 5, .lines = "" },
	{ "other losses have lines of their own", .complete = 2, .ring_full = 5, .verbose = true,
	  .lines = "NOTE: all 2 user stacks complete\nNOTE: 5 records delayed: the ring was full\n" },
};

static void check(const struct row *row)
{
	struct profile_interval interval = {};
	struct profile profile;
	char *text = NULL;
	size_t nr = 0;
	FILE *out = open_memstream(&text, &nr);

	profile_init(&profile);
	profile.presentation.quiet = row->quiet;
	profile.view.verbose = row->verbose;
	interval.losses[ST_LOSS_USER_ROOT] = row->complete;
	interval.losses[ST_LOSS_USER_NO_PROCESS] = row->no_process;
	interval.losses[ST_LOSS_USER_NO_TABLE] = row->no_table;
	interval.losses[ST_LOSS_USER_BAD_CFA] = row->bad_frame;
	interval.losses[ST_LOSS_USER_TRUNCATED] = row->truncated;
	interval.losses[ST_LOSS_RING_FULL] = row->ring_full;
	assert_int_equal(render_notes(&profile, &interval, out), 0);
	fclose(out);
	if (strcmp(text, row->lines) != 0)
		fail_msg("%s: '%s'", row->what, text);
	free(text);
	profile_done(&profile);
}

TEST(user_stacks_have_one_line)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check(&rows[i]);
}
