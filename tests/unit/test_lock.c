/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks in a profile: their kinds, their owners, the stacks of those, and threads that wait for each other. */
#include "core/profile/lock.h"

#include "core/base/cleanup.h"
#include "core/render/render.h"
#include "tests/harness.h"

#define PROFILE_TEST(name) TEST_WITH(struct profile, profile, name, profile_init, profile_done)

#define ID(number) ((struct profile_id){ (number), 1 })
#define MS 1000000ULL

static uint32_t add_frame(struct profile *profile, const char *name)
{
	struct profile_frame frame = { .kind = FRAME_USER_RAW,
				       .where = hash_bytes(name, strlen(name)),
				       .name = profile_add_string(profile, name) };

	return profile_add_frame(profile, &frame);
}

/* A thread with these functions, innermost first. `lock`: the name of what it waits for; NULL: it releases it. */
static void add_thread(struct profile *profile, uint64_t id, uint32_t tid, uint64_t address, const char *lock,
		       uint32_t owner, const char *const *functions)
{
	struct profile_record record = {
		.id = ID(id),
		.tgid = 7,
		.tid = tid,
		.lock = address,
		.owner = owner,
		.comm = profile_add_string(profile, "worker"),
		.program = PROGRAM_RAW_TRACEPOINT,
		.user_status = STACK_OK,
	};
	uint32_t frames[8];
	uint64_t addresses[8] = { lock ? address : 1 };

	if (lock)
		frames[record.nr_user++] = profile_add_frame(
			profile, &(struct profile_frame){ .kind = FRAME_TEXT,
							  .where = address,
							  .name = profile_add_string(profile, lock) });
	for (; *functions; functions++)
		frames[record.nr_user++] = add_frame(profile, *functions);
	profile_add_record(profile, &record, frames, addresses);
}

static const char *const takes[] = { "__lll_lock_wait", "___pthread_mutex_lock", "lookup", "main", NULL };
static const char *const reads[] = { "__futex_abstimed_wait64", "pthread_rwlock_rdlock", "lookup", NULL };
static const char *const awaits[] = { "__futex_abstimed_wait64", "pthread_cond_wait", "next_job", NULL };
static const char *const releases[] = { "__lll_lock_wake", "pthread_mutex_unlock", "refresh", "main", NULL };
static const char *const signals[] = { "pthread_cond_signal", "add_job", NULL };
static const char *const strange[] = { "wait_for_it", "main", NULL };

static void begin(struct profile *profile)
{
	profile->view = (struct profile_view){ .style = VIEW_LOCK, .want_user = true, .per_process = true };
	vec_push(&profile->intervals, (struct profile_interval){});
}

static void add_wait(struct profile *profile, uint64_t id, uint64_t waiter, const struct profile_id *waker,
		     enum waker_reason reason, uint64_t count, uint64_t sum)
{
	profile_add_pair(profile, ID(id), ID(waiter), waker, reason);
	profile_count(profile, &vec_last(&profile->intervals), ID(id), count, sum);
}

static void assert_report(const struct profile *profile, const char *expected)
{
	char *text = NULL;
	size_t nr = 0;
	FILE *out = open_memstream(&text, &nr);

	assert_int_equal(render_report(profile, &vec_last(&profile->intervals), &profile->view, out), 0);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

#define HEADER "\n WAITED (ms)     WAITS          LONGEST (ms) THREADS  KIND               LOCK\n"

PROFILE_TEST(a_mutex_is_held_by_its_owner)
{
	begin(profile);
	add_thread(profile, 1, 11, 0x1000, "cache_lock", 13, takes);
	add_thread(profile, 2, 12, 0x1000, "cache_lock", 14, takes);
	add_thread(profile, 3, 13, 0x1000, NULL, 0, releases);
	add_thread(profile, 4, 12, 0x1000, "cache_lock", 15, takes); /* 15 runs the same functions as 13 */
	add_thread(profile, 5, 15, 0x1000, NULL, 0, releases);
	add_wait(profile, 10, 1, NULL, WAKER_NOT_SEEN, 3, 30 * MS);
	add_wait(profile, 12, 4, NULL, WAKER_NOT_SEEN, 1, 10 * MS);
	add_wait(profile, 11, 2, NULL, WAKER_NOT_SEEN, 1, 10 * MS); /* its owner has released it to nobody */
	lock_settle(profile);
	assert_int_equal(profile->pairs.data[0].reason, WAKER_SEEN);
	assert_int_equal(profile->pairs.data[2].reason, WAKER_OWNER);
	assert_report(profile,
		      HEADER "      50.000         5         10.000-10.239       2  mutex              cache_lock [7]\n"
			     "      40.000  80.0 %         4  held by 2 threads, as worker 13, in refresh < main\n"
			     "      10.000  20.0 %         1  held by 14, whose stack was not seen\n"
			     "\n");
}

/* The word in memory where a mutex has its owner is something else there. */
PROFILE_TEST(other_locks_have_no_owner)
{
	begin(profile);
	add_thread(profile, 1, 11, 0x1008, "table", 13, reads);
	add_thread(profile, 2, 12, 0x100c, "table", 13, reads);
	add_thread(profile, 3, 12, 0x2000, "jobs", 13, awaits);
	add_thread(profile, 4, 12, 0x3000, "it", 0, strange);
	add_thread(profile, 5, 13, 0x2000, NULL, 0, signals);
	add_wait(profile, 10, 1, &ID(5), WAKER_SEEN, 1, 2 * MS);
	add_wait(profile, 11, 2, &ID(5), WAKER_SEEN, 1, 3 * MS);
	add_wait(profile, 12, 3, &ID(5), WAKER_SEEN, 1, 900 * MS);
	add_wait(profile, 13, 4, NULL, WAKER_NOT_SEEN, 1, 1 * MS);
	lock_settle(profile);
	assert_report(profile,
		      HEADER "       5.000         2                 3.000       2  rwlock             table [7]\n"
			     "       5.000 100.0 %         2  woken by worker 13 in add_job\n"
			     "\n"
			     "       1.000         1                 1.000       1  unknown            it [7]\n"
			     "       1.000 100.0 %         1  ended by [no waker seen]\n"
			     "\n"
			     "     900.000         1               900.000       1  condition variable jobs [7]\n"
			     "     900.000 100.0 %         1  woken by worker 13 in add_job\n"
			     "\n");
}

/* Without names, what the memory is decides. */
PROFILE_TEST(a_lock_of_unknown_kind_is_held_by_its_owner)
{
	begin(profile);
	add_thread(profile, 1, 11, 0x1000, "it", 13, strange);
	add_thread(profile, 2, 13, 0x1000, NULL, 0, strange);
	add_wait(profile, 10, 1, NULL, WAKER_BEFORE_SLEEP, 1, 1 * MS);
	lock_settle(profile);
	assert_int_equal(profile->pairs.data[0].reason, WAKER_SEEN);
	assert_report(profile,
		      HEADER "       1.000         1                 1.000       1  unknown            it [7]\n"
			     "       1.000 100.0 %         1  held by worker 13 in wait_for_it < main\n"
			     "\n");
}

static const char *const exits[] = { "start_thread", "clone3", NULL };

static const char *kind_by(const struct profile *profile, size_t waker)
{
	return lock_kind(profile, &profile->records.data[0], &profile->records.data[waker]);
}

/* A signal or ptrace ends a wait too, and not each waker is in a call of a lock. */
PROFILE_TEST(the_waker_tells_the_kind)
{
	begin(profile);
	add_thread(profile, 1, 11, 0x1000, "it", 0, strange);
	add_thread(profile, 2, 12, 0, NULL, 0, exits);
	add_thread(profile, 3, 13, 0, NULL, 0, strange);
	add_thread(profile, 4, 14, 0x1000, NULL, 0, signals);
	assert_string_equal(kind_by(profile, 1), "end of a thread");
	assert_null(kind_by(profile, 2));
	assert_string_equal(kind_by(profile, 3), "condition variable");
}

/* Signals come last, also those with a longer time than locks. */
PROFILE_TEST(the_least_time_of_a_row)
{
	begin(profile);
	add_thread(profile, 1, 11, 0x1000, "a", 0, takes);
	add_thread(profile, 2, 12, 0x2000, "b", 0, takes);
	add_thread(profile, 3, 12, 0x3000, "jobs", 0, awaits);
	add_thread(profile, 4, 12, 0x4000, "more", 0, awaits);
	for (uint64_t i = 1; i <= 4; i++)
		add_wait(profile, 10 + i, i, NULL, WAKER_NOT_SEEN, 1, (i == 1 ? 5 : i) * MS);
	profile->presentation.least = 3000;
	profile->presentation.top = 2;
	assert_report(profile,
		      HEADER "       5.000         1                 5.000       1  mutex              a [7]\n"
			     "       5.000 100.0 %         1  ended by [no waker seen]\n"
			     "\n"
			     "       4.000         1                 4.000       1  condition variable more [7]\n"
			     "       4.000 100.0 %         1  ended by [no waker seen]\n"
			     "\n");
}

PROFILE_TEST(waits_without_record)
{
	begin(profile);
	add_thread(profile, 1, 11, 0x1000, "a", 0, takes);
	add_wait(profile, 10, 1, NULL, WAKER_NOT_SEEN, 1, 1 * MS);
	add_wait(profile, 11, 2, NULL, WAKER_NOT_SEEN, 2, 5 * MS); /* the record of its thread was lost */
	profile_count(profile, &vec_last(&profile->intervals), ID(12), 1, 2 * MS); /* the pair was lost */
	lock_settle(profile);
	assert_report(
		profile, HEADER
		"       1.000         1                 1.000       1  mutex              a [7]\n"
		"       1.000 100.0 %         1  ended by [no waker seen]\n"
		"\n"
		"       7.000         3                                unknown            [stack lost: ring full]\n"
		"\n");
}

PROFILE_TEST(threads_that_wait_for_each_other)
{
	begin(profile);
	add_thread(profile, 1, 11, 0x1000, "a", 12, takes);
	add_thread(profile, 2, 12, 0x2000, "b", 11, takes);
	add_thread(profile, 3, 13, 0x1000, "a", 12, takes); /* it waits for the ring, and is not in it */
	add_thread(profile, 4, 14, 0x3000, "c", 14, takes); /* for itself */
	for (uint64_t i = 1; i <= 4; i++)
		add_wait(profile, 10 + i, i, NULL, WAKER_UNFINISHED, 1, i * MS);
	lock_settle(profile);
	assert_report(profile,
		      HEADER "       4.000         2                 3.000       2  mutex              a [7]\n"
			     "       4.000 100.0 %         2  held by 12, whose stack was not seen\n"
			     "\n"
			     "       4.000         1                 4.000       1  mutex              c [7]\n"
			     "       4.000 100.0 %         1  held by 14, whose stack was not seen\n"
			     "\n"
			     "       2.000         1                 2.000       1  mutex              b [7]\n"
			     "       2.000 100.0 %         1  held by 11, whose stack was not seen\n"
			     "\n"
			     "deadlock: each of these threads waits for the next one, and the last one for the first:\n"
			     "    worker 11 waits for a [7]\n"
			     "    worker 12 waits for b [7]\n"
			     "\n"
			     "deadlock: each of these threads waits for the next one, and the last one for the first:\n"
			     "    worker 14 waits for c [7]\n"
			     "\n");
}
