/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctest: plain timeout=1200 */
/*
 * The exactness suite has teeth: the usual way to drain loses counts, and counting the way the suite counts shows it.
 *
 * Two threads make events; meanwhile the live map is drained every millisecond by bpf_map_lookup_and_delete_batch(), as
 * bcc does, until it held something 2,000 times. The sum falls short in nearly every such run; a busy host gives the two sides less time
 * at once, so a run may be exact, and one of 50 that falls short is enough. The same harness without draining counts every one of a
 * million events, so it is the draining that loses.
 * Plain: no code of the program in user space runs here.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "tests/bpf/object.h"
#include "tests/harness.h"

#define NR_THREADS 2
#define NR_RUNS 50
#define ENTRIES 256

static unsigned long nr_drains = 2000, nr_undrained = 1000000;
static atomic_ulong nr_events;
static atomic_bool enough;

static void *make_events(void *unused)
{
	unsigned long nr = 0;

	for (; !atomic_load(&enough); nr++)
		syscall(SYS_getppid);
	atomic_fetch_add(&nr_events, nr);
	return unused;
}

/* One call of the batch operation until it says that it has seen the whole map. */
static uint64_t drain_by_deleting(int map)
{
	static struct st_id ids[ENTRIES];
	static struct st_count counts[ENTRIES];
	uint32_t bucket, nr;
	uint64_t sum = 0;
	bool first = true;
	int err;

	do {
		nr = ENTRIES;
		err = bpf_map_lookup_and_delete_batch(map, first ? NULL : &bucket, &bucket, ids, counts, &nr, NULL);
		for (uint32_t i = 0; i < nr && (!err || err == -ENOENT); i++)
			sum += counts[i].events;
		first = false;
	} while (!err);
	assert_int_equal(err, -ENOENT);
	return sum;
}

static uint64_t drain_often(int map)
{
	const struct timespec millisecond = { .tv_nsec = 1000000 };
	uint64_t sum = 0, found;

	for (unsigned long nr = 0; nr < nr_drains; nr += found > 0) {
		nanosleep(&millisecond, NULL);
		found = drain_by_deleting(map);
		sum += found;
	}
	return sum;
}

static void await_events(const struct object *object)
{
	const struct timespec millisecond = { .tv_nsec = 1000000 };

	while (object_stats(object, 0).recorded < nr_undrained)
		nanosleep(&millisecond, NULL);
}

/* Makes events with and without draining. Returns the sum of all counts, and in `nr_events` what it should be. */
static uint64_t count_events(bool draining)
{
	struct object_options options = {
		.program = "on_tracepoint",
		.config = { .task_filter = ST_FILTER_TGID, .filter_single = (uint32_t)getpid() },
		.count_entries = ENTRIES,
	};
	pthread_t threads[NR_THREADS];
	struct bpf_link *link;
	struct object object;
	uint64_t sum = 0;

	object_load(&object, &options);
	link = bpf_program__attach_tracepoint(object.program, "syscalls", "sys_enter_getppid");
	assert_non_null(link);
	atomic_store(&nr_events, 0);
	atomic_store(&enough, false);
	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, make_events, NULL), 0);
	if (draining)
		sum = drain_often(object.counts[0]);
	else
		await_events(&object);
	atomic_store(&enough, true);
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	bpf_link__destroy(link);
	sum += object_sum(&object, 0, NULL);
	assert_int_equal(object_stats(&object, 0).recorded, nr_events);
	object_done(&object);
	return sum;
}

TEST(without_draining_every_event_is_counted)
{
	uint64_t sum = count_events(false);

	assert_int_equal(sum, nr_events);
}

TEST(draining_by_delete_batch_falls_short)
{
	unsigned long missing = 0;

	for (int i = 0; i < NR_RUNS && !missing; i++) {
		uint64_t sum = count_events(true);

		assert_true(sum <= nr_events);
		missing = (unsigned long)(nr_events - sum);
		print_message("run %d: %lu of %lu events are missing, and nothing says so\n", i + 1, missing,
			      nr_events);
	}
	assert_true(missing > 0);
}

/*
 * Tracepoints need tracefs; in a mount namespace of our own nobody else sees it. And the race needs events and draining
 * at the same time, so a busy host must make room.
 */
static int set_the_stage(void **state)
{
	setpriority(PRIO_PROCESS, 0, -20);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -1;
	if (access("/sys/kernel/tracing/events", F_OK) && mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL))
		return -1;
	if (getenv("TEETH_DRAINS"))
		nr_drains = strtoul(getenv("TEETH_DRAINS"), NULL, 0);
	return 0;
}

TEST_GROUP(set_the_stage, NULL)
