/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A drain in which something fails for a moment: which stacks have their names in the end, and what is counted. */
#include <limits.h>

#include <bpf/bpf.h>

#include "bpf/abi.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/naming/naming.h"
#include "core/resolve/probe_kinds.h"
#include "core/resolve/resolve.h"
#include "core/session/attachment.h"
#include "core/session/drain.h"
#include "core/session/loaded.h"
#include "tests/harness.h"

#define NR_PATHS 128
#define LEVELS 7

/* The probe is here. */
__attribute__((noinline, noclone)) static void st_ring_hit(void)
{
	__asm__ volatile("" : : : "memory");
}

/* Another stack for each value of `path`: the two calls return to different places. */
__attribute__((noinline, noclone)) static void hit_on_path(unsigned int path, int levels)
{
	if (!levels) {
		st_ring_hit();
	} else if (path & 1) {
		hit_on_path(path >> 1, levels - 1);
		__asm__ volatile("# right");
	} else {
		hit_on_path(path >> 1, levels - 1);
		__asm__ volatile("# left");
	}
	__asm__ volatile("");
}

struct ringed {
	struct plan plan;
	struct attach_plan attach;
	struct symbolizer *symbolizer;
	struct loaded *loaded;
	struct attachment *attachment;
	struct drain *drain;
	struct spaces *spaces;
	struct profile profile;
	struct profile_interval interval;
};

static char *own_path(void)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(length > 0);
	path[length] = '\0';
	return xstrdup(path);
}

static void ringed_start(struct ringed *ringed)
{
	struct spaces_options spaces = { .profile = &ringed->profile, .only_tgid = (uint32_t)getpid() };

	*ringed = (struct ringed){};
	plan_init(&ringed->plan);
	ringed->plan.probe = (struct probe_spec){
		.kind = &probe_user_function,
		.typed = xstrdup("st_ring_hit"),
		.target = own_path(),
		.pattern = xstrdup("st_ring_hit"),
	};
	ringed->plan.want_user = true;
	ringed->plan.unwind = UNWIND_FP;
	ringed->plan.ring_bytes = 4096;
	vec_push(&ringed->plan.tgids, (uint32_t)getpid());
	profile_init(&ringed->profile);
	assert_int_equal(naming_start(&(struct naming){ .no_demangle = true }, &ringed->symbolizer), 0);
	spaces.symbolizer = ringed->symbolizer;
	ringed->spaces = spaces_new(&spaces);
	if (resolve_plan(&ringed->plan, ringed->symbolizer, &ringed->attach) ||
	    loaded_new(&ringed->plan, &ringed->attach, &ringed->loaded) ||
	    attachment_new(ringed->loaded, &ringed->attachment) ||
	    drain_new(ringed->loaded, ringed->attachment, &ringed->plan, &ringed->drain) ||
	    attachment_attach(ringed->attachment, &ringed->plan))
		fail_msg("%s", err_cause());
}

static struct drain_target target_of(struct ringed *ringed)
{
	return (struct drain_target){ .profile = &ringed->profile,
				      .spaces = ringed->spaces,
				      .interval = &ringed->interval };
}

/* What the collector does when it is woken. */
static void read_ring(struct ringed *ringed)
{
	const struct drain_target target = target_of(ringed);

	if (drain_ring(ringed->drain, &target))
		assert_int_equal(drain_swap(ringed->drain, &target), 0);
}

static void ringed_end(struct ringed *ringed)
{
	const struct drain_target target = target_of(ringed);

	attachment_detach(ringed->attachment);
	assert_int_equal(drain_all(ringed->drain, &target), 0);
	profile_count_lost_stacks(&ringed->profile, &ringed->interval);
}

static void ringed_done(struct ringed *ringed)
{
	drain_free(ringed->drain);
	attachment_free(ringed->attachment);
	loaded_free(ringed->loaded);
	spaces_free(ringed->spaces);
	symbolizer_free(ringed->symbolizer);
	profile_interval_done(&ringed->interval);
	profile_done(&ringed->profile);
	attach_plan_done(&ringed->attach);
	plan_done(&ringed->plan);
}

/* Nobody reads in the first of two rounds; in the second one there is room for each record. */
TEST(a_refused_record_is_sent_by_the_next_event_after_a_swap)
{
	_cleanup_(ringed_done) struct ringed ringed;

	ringed_start(&ringed);
	for (volatile int round = 0; round < 2; round++) {
		for (unsigned int path = 0; path < NR_PATHS; path++) {
			hit_on_path(path, LEVELS);
			if (round)
				read_ring(&ringed);
		}
		read_ring(&ringed);
	}
	ringed_end(&ringed);
	assert_true(ringed.interval.losses[ST_LOSS_RING_FULL] > 0);
	assert_int_equal(ringed.interval.account.counted, 2 * NR_PATHS);
	assert_int_equal(ringed.interval.losses[ST_LOSS_STACK_LOST], 0);
}

/* Our descriptor of a map of this name. */
static int map_of(const char *name)
{
	for (int fd = 0; fd < 1024; fd++) {
		struct bpf_map_info info = {};
		__u32 length = sizeof(info);

		if (!bpf_map_get_info_by_fd(fd, &info, &length) && !strcmp(info.name, name))
			return fd;
	}
	fail_msg("there is no map %s", name);
	return -1;
}

TEST(a_count_map_that_cannot_be_emptied_is_counted_once)
{
	_cleanup_(ringed_done) struct ringed ringed;
	struct drain_target target;

	ringed_start(&ringed);
	target = target_of(&ringed);
	for (volatile unsigned int path = 0; path < NR_PATHS; path++)
		hit_on_path(path, LEVELS);
	assert_int_equal(bpf_map_freeze(map_of("st_counts")), 0); /* it can be read, and not be emptied */
	assert_int_equal(drain_swap(ringed.drain, &target), -EPERM);
	err_clear();
	ringed_end(&ringed);
	assert_int_equal(ringed.interval.account.recorded, NR_PATHS);
	assert_int_equal(ringed.interval.account.counted, NR_PATHS);
}

TEST(statistics_that_cannot_be_read_are_no_news)
{
	_cleanup_(closep) int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	_cleanup_(ringed_done) struct ringed ringed;
	struct drain_target target;

	ringed_start(&ringed);
	target = target_of(&ringed);
	for (volatile unsigned int round = 0; round < 3; round++) {
		hit_on_path(round, LEVELS);
		if (round == 1)
			assert_int_equal(dup2(null, map_of("st_stats")) < 0, false);
		assert_int_equal(drain_swap(ringed.drain, &target), 0);
	}
	ringed_end(&ringed);
	assert_int_equal(ringed.interval.account.seen, 1);
	assert_int_equal(ringed.interval.account.counted, 3);
}
