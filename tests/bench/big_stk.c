/* SPDX-License-Identifier: GPL-2.0-or-later */
/* big_stk FILE [STACKS]: a saved profile with that many distinct named stacks (10,000), the same at every run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/formats/profile_file.h"

enum {
	NR_USER_NAMES = 4000,
	NR_KERNEL_NAMES = 1500,
	DEPTH = 30,
	MAX_FRAMES = 2 * DEPTH
};

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005 + 1442695040888963407;
	return *seed >> 33;
}

static void add_places(struct profile *profile)
{
	char name[96];

	vec_push(&profile->files,
		 (struct profile_file){ .path = profile_add_string(profile, "/usr/lib/libservice.so") });
	for (uint64_t i = 0; i < NR_USER_NAMES + NR_KERNEL_NAMES; i++) {
		bool kernel = i >= NR_USER_NAMES;
		struct profile_frame frame = {
			.kind = kernel ? FRAME_KERNEL : FRAME_USER_FILE,
			.where = kernel ? 0xffffffff81000000 + i * 64 : 0x1000 + i * 48,
			.offset = i % 40,
			.module = profile_add_string(profile, kernel ? "kernel" : "libservice.so"),
		};

		snprintf(name, sizeof(name),
			 kernel ? "subsystem_operation_%" PRIu64 : "service::Module%" PRIu64 "::handle(int)", i);
		frame.name = profile_add_string(profile, name);
		profile_add_frame(profile, &frame);
	}
}

/* Frames near the root are shared by many stacks, those near the leaf by few, as in real profiles. */
static void add_stack(struct profile *profile, struct profile_interval *interval, uint64_t i, uint64_t *seed)
{
	uint32_t frames[MAX_FRAMES];
	uint64_t addresses[MAX_FRAMES];
	struct profile_record record = {
		.id = { i + 1, 1 },
		.tgid = 1000 + (uint32_t)(i % 50),
		.comm = profile_add_string(profile, i % 3 ? "service-worker" : "service-main"),
		.program = PROGRAM_SAMPLE,
		.kernel_status = STACK_OK,
		.user_status = STACK_OK,
		.time_ns = i,
		.nr_kernel = (uint16_t)(next(seed) % 12),
		.nr_user = (uint16_t)(10 + next(seed) % (DEPTH - 10)),
	};
	uint32_t nr = (uint32_t)record.nr_kernel + record.nr_user;

	for (uint32_t at = 0; at < nr; at++) {
		bool kernel = at < record.nr_kernel;
		uint64_t spread = 1 + NR_USER_NAMES / (at + 1);

		frames[at] = (uint32_t)(kernel ? NR_USER_NAMES + next(seed) % NR_KERNEL_NAMES : next(seed) % spread);
		addresses[at] = profile->frames.data[frames[at]].where;
	}
	profile_add_record(profile, &record, frames, addresses);
	profile_count(profile, interval, record.id, 1 + next(seed) % 500, 0);
}

int main(int argc, char **argv)
{
	_cleanup_(profile_done) struct profile profile;
	struct profile_interval interval = {};
	uint64_t nr = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000, seed = 1;

	if (argc < 2)
		return 2;
	profile_init(&profile);
	profile.view = (struct profile_view){ .style = VIEW_PROFILE,
					      .folded = true,
					      .offsets = true,
					      .modules = true,
					      .want_kernel = true,
					      .want_user = true };
	add_places(&profile);
	for (uint64_t i = 0; i < nr; i++)
		add_stack(&profile, &interval, i, &seed);
	vec_push(&profile.intervals, interval);
	if (profile_save(&profile, argv[1])) {
		fprintf(stderr, "big_stk: %s\n", err_cause());
		return 1;
	}
	return 0;
}
