/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which waits are those of a thread's own base loop. */

#include "core/profile/wall_idle.h"

#include "core/profile/wall.h"
#include "tests/golden/hand_made.h"
#include "tests/harness.h"

struct made {
	struct profile profile;
	struct idle_plan plan;
	uint64_t nr;
};

static void make(struct made *made)
{
	profile_init(&made->profile);
	made->profile.view.style = VIEW_WALL;
	vec_push(&made->profile.intervals, (struct profile_interval){});
}

static void made_done(struct made *made)
{
	profile_done(&made->profile);
}

#define IDLE_TEST(name) TEST_WITH(struct made, made, name, make, made_done)

static uint32_t text_frame(struct made *made, const char *name, uint64_t where)
{
	const struct place place = { .name = name, .address = where, .label = true };

	return hand_frame(&made->profile, &place, 0);
}

/* A row of thread `tid` named `comm`. `stack`: its functions, the outermost first, "main:2": the call at place 2 of main. */
static uint32_t row_of(struct made *made, const char *comm, uint32_t tid, unsigned int state, const char *reason,
		       const char *stack, uint64_t count, uint64_t ns)
{
	struct profile_record record = { .id = { ++made->nr, 1 },
					 .tgid = 7,
					 .tid = tid,
					 .comm = profile_add_string(&made->profile, comm),
					 .user_loss = 1 + ST_LOSS_USER_ROOT };
	uint32_t frames[32];
	uint64_t addresses[32] = {};
	char text[256], *rest = text, *word;
	size_t at = 32;

	snprintf(text, sizeof(text), "%s", stack);
	frames[--at] = text_frame(made, "[state]", WALL_ROOT_PLACE(state));
	while ((word = strsep(&rest, " "))) {
		char *place = strchr(word, ':');
		struct place code = { .name = word, .module = "server", .address = 1 };

		for (const char *letter = word; *letter && *letter != ':'; letter++)
			code.address = code.address * 31 + (uint64_t)*letter * 100;
		code.address += place ? (uint64_t)atoi(place + 1) : 0;
		if (place)
			*place = '\0';
		frames[--at] = hand_frame(&made->profile, &code, 0);
		record.nr_user++;
	}
	record.nr_user++;
	if (reason)
		frames[--at] = text_frame(made, reason, 1ULL << 32);
	record.nr_kernel = reason != NULL;
	profile_add_record(&made->profile, &record, frames + at, addresses);
	profile_count(&made->profile, &made->profile.intervals.data[0], record.id, count, ns);
	return profile_find_record(&made->profile, record.id);
}

static uint32_t waits(struct made *made, uint32_t tid, const char *reason, const char *stack)
{
	return row_of(made, "worker", tid, THREAD_SLEEPS, reason, stack, 5, 1000);
}

static void runs(struct made *made, uint32_t tid, const char *stack)
{
	row_of(made, "worker", tid, THREAD_ON_CPU, NULL, stack, 5, 100);
}

static bool is_idle(const struct made *made, uint32_t record)
{
	return wall_state_of(&made->profile, &made->profile.records.data[record]) == WALL_IDLE;
}

static void settle(struct made *made)
{
	assert_int_equal(wall_idle_settle(&made->profile, &made->profile.intervals.data[0], &made->plan), 0);
}

IDLE_TEST(a_thread_that_returns_to_epoll_waits_for_work)
{
	uint32_t idle = waits(made, 1, "[epoll]", "start loop:1 epoll_wait");
	uint32_t request = waits(made, 1, "[sleep]", "start loop:2 handle:1 nanosleep");

	runs(made, 1, "start loop:2 handle:2 parse");
	settle(made);
	assert_true(is_idle(made, idle));
	assert_false(is_idle(made, request));
	settle(made); /* nothing changes */
	assert_true(is_idle(made, idle));
	assert_false(is_idle(made, request));
}

IDLE_TEST(a_request_that_waits_in_the_same_way_is_not_idle)
{
	uint32_t idle = waits(made, 1, "[futex]", "start work:1 pthread_cond_wait futex");
	uint32_t condition = waits(made, 1, "[futex]", "start work:2 handle:1 pthread_cond_wait futex");
	uint32_t nested = waits(made, 1, "[epoll]", "start work:2 handle:2 epoll_wait");

	runs(made, 1, "start work:2 handle:3");
	settle(made);
	assert_true(is_idle(made, idle));
	assert_false(is_idle(made, condition));
	assert_false(is_idle(made, nested));
}

IDLE_TEST(a_function_that_does_little_but_wait_is_a_place_that_waits)
{
	uint32_t idle = waits(made, 1, "[futex]", "start work:1 take:1 pthread_cond_wait futex");
	uint32_t locked = waits(made, 1, "[futex]", "start work:1 pthread_mutex_lock");

	runs(made, 1, "start work:2 handle:3");
	settle(made);
	assert_true(is_idle(made, idle));
	assert_false(is_idle(made, locked));
}

IDLE_TEST(of_two_places_that_wait_neither_is_idle)
{
	uint32_t take = waits(made, 1, "[futex]", "start work:1 take:1 pthread_cond_wait futex");
	uint32_t answer = waits(made, 1, "[futex]", "start work:2 pthread_cond_wait futex");
	uint32_t client = waits(made, 2, "[futex]", "serve connection:1 pthread_cond_wait futex");

	runs(made, 1, "start work:3 handle:3");
	waits(made, 2, "[socket read]", "serve connection:2 recv");
	runs(made, 2, "serve connection:3 parse");
	settle(made);
	assert_false(is_idle(made, take));
	assert_false(is_idle(made, answer));
	assert_false(is_idle(made, client));
}

IDLE_TEST(a_client_that_waits_for_its_server_is_not_idle)
{
	uint32_t polled = waits(made, 1, "[poll]", "start main:1 poll");
	uint32_t received = waits(made, 2, "[socket read]", "start main:1 recv");

	runs(made, 1, "start main:2 print");
	runs(made, 2, "start main:2 print");
	settle(made);
	assert_false(is_idle(made, polled));
	assert_false(is_idle(made, received));
}

IDLE_TEST(known_event_loops_wait_for_work_at_once)
{
	uint32_t polled = waits(made, 1, "[poll]", "start main:1 g_main_context_iterate poll");
	uint32_t node = waits(made, 2, "[epoll]", "start main:2 uv__io_poll:1 epoll_pwait");
	uint32_t answer = waits(made, 2, "[futex]", "start main:2 uv__io_poll:2 read:1 pthread_cond_wait");
	uint32_t nested = waits(made, 3, "[epoll]", "start run:1 called:1 run:1 uv__io_poll:1 epoll_pwait");

	settle(made);
	assert_true(is_idle(made, polled));
	assert_true(is_idle(made, node));
	assert_false(is_idle(made, answer));
	assert_false(is_idle(made, nested));
}

IDLE_TEST(a_thread_that_never_moves_is_idle_only_where_another_of_its_group_waits_for_work)
{
	uint32_t alone =
		row_of(made, "flusher", 9, THREAD_SLEEPS, "[futex]", "start flush:1 pthread_cond_wait", 1, 9000);
	uint32_t same = row_of(made, "worker", 2, THREAD_SLEEPS, "[futex]", "start work:1 pthread_cond_wait", 1, 9000);
	uint32_t stuck =
		row_of(made, "worker", 3, THREAD_SLEEPS, "[futex]", "start work:2 handle:1 pthread_cond_wait", 1, 9000);

	waits(made, 1, "[futex]", "start work:1 pthread_cond_wait");
	runs(made, 1, "start work:2 handle:2");
	settle(made);
	assert_false(is_idle(made, alone));
	assert_true(is_idle(made, same));
	assert_false(is_idle(made, stuck));
}

IDLE_TEST(a_loop_inside_a_request_is_told_by_the_others_of_the_group)
{
	uint32_t inside =
		row_of(made, "pool-2", 2, THREAD_SLEEPS, "[futex]", "start work:2 handle:1 pthread_cond_wait", 7, 9000);

	row_of(made, "pool-2", 2, THREAD_ON_CPU, NULL, "start work:2 handle:2", 1, 10);
	row_of(made, "pool-1", 1, THREAD_SLEEPS, "[futex]", "start work:1 pthread_cond_wait", 7, 9000);
	row_of(made, "pool-1", 1, THREAD_ON_CPU, NULL, "start work:2 handle:2", 1, 10);
	settle(made);
	assert_false(is_idle(made, inside));
}

IDLE_TEST(in_doubt_a_wait_is_not_idle)
{
	uint32_t once = row_of(made, "once", 1, THREAD_SLEEPS, "[futex]", "start work:1 pthread_cond_wait", 1, 9000);
	uint32_t python = waits(made, 2, "[futex]", "start _PyEval_EvalFrameDefault:1 sem_wait");
	uint32_t cut = waits(made, 3, "[epoll]", "start loop:1 epoll_wait");
	uint32_t runnable = row_of(made, "worker", 4, THREAD_RUNNABLE, "[run queue]", "start loop:1 epoll_wait", 9, 90);

	made->profile.records.data[cut].user_loss = 1 + ST_LOSS_USER_NO_ROW;
	row_of(made, "once", 1, THREAD_ON_CPU, NULL, "start work:2 handle:2", 1, 10);
	runs(made, 2, "start _PyEval_EvalFrameDefault:2 dict");
	runs(made, 3, "start loop:2 handle:2");
	waits(made, 4, "[epoll]", "start loop:1 epoll_wait");
	runs(made, 4, "start loop:2 handle:2");
	settle(made);
	assert_false(is_idle(made, once));
	assert_false(is_idle(made, python));
	assert_false(is_idle(made, cut));
	assert_false(is_idle(made, runnable));
}

IDLE_TEST(threads_that_hang_in_a_request_do_not_return_together)
{
	uint32_t hangs[2];

	for (uint32_t tid = 1; tid <= 2; tid++) {
		row_of(made, "pool", tid, THREAD_ON_CPU, NULL, "start work:2 handle:2", 1, 10);
		hangs[tid - 1] = row_of(made, "pool", tid, THREAD_SLEEPS, "[futex]",
					"start work:2 handle:1 pthread_cond_wait", 1, 9000);
	}
	settle(made);
	assert_false(is_idle(made, hangs[0]));
	assert_false(is_idle(made, hangs[1]));
}

IDLE_TEST(the_mutex_after_a_condition_is_no_wait_for_work)
{
	uint32_t idle = waits(made, 1, "[futex]", "start work:1 pthread_cond_wait futex");
	uint32_t mutex =
		waits(made, 1, "[futex]", "start work:1 pthread_cond_wait __pthread_mutex_cond_lock __lll_lock_wait");

	runs(made, 1, "start work:2 handle:3");
	settle(made);
	assert_true(is_idle(made, idle));
	assert_false(is_idle(made, mutex));
}

IDLE_TEST(an_event_loop_is_idle_whatever_came_first)
{
	uint32_t idle;

	runs(made, 1, "start main:2 uv__io_poll:1 epoll_pwait");
	idle = waits(made, 1, "[epoll]", "start main:2 uv__io_poll:1 epoll_pwait");
	settle(made);
	assert_true(is_idle(made, idle));
}

IDLE_TEST(a_loop_that_waits_for_one_answer_is_not_idle)
{
	uint32_t answer =
		waits(made, 1, "[poll]", "start ask:1 g_dbus_connection_call_sync g_main_context_iterate poll");

	settle(made);
	assert_false(is_idle(made, answer));
}

IDLE_TEST(the_base_may_be_in_stacks_that_are_not_whole)
{
	uint32_t cut = waits(made, 1, "[epoll]", "start loop:1 epoll_wait");
	uint32_t answer = waits(made, 1, "[futex]", "start loop:2 handle:1 pthread_cond_wait");

	made->profile.records.data[cut].user_loss = 1 + ST_LOSS_USER_NO_ROW;
	runs(made, 1, "start loop:2 handle:2");
	settle(made);
	assert_false(is_idle(made, answer));
}

IDLE_TEST(a_thread_that_renames_itself_has_one_base)
{
	uint32_t idle = row_of(made, "idle", 1, THREAD_SLEEPS, "[futex]", "start work:1 pthread_cond_wait", 7, 9000);
	uint32_t busy =
		row_of(made, "busy", 1, THREAD_SLEEPS, "[futex]", "start work:2 handle:1 pthread_cond_wait", 7, 9000);

	row_of(made, "busy", 1, THREAD_ON_CPU, NULL, "start work:2 handle:2", 1, 10);
	settle(made);
	assert_true(is_idle(made, idle));
	assert_false(is_idle(made, busy));
}

IDLE_TEST(a_thread_with_two_names_has_the_waits_of_both)
{
	uint32_t idle = row_of(made, "idle", 1, THREAD_SLEEPS, "[futex]", "start work:1 pthread_cond_wait", 7, 9000);
	uint32_t busy =
		row_of(made, "busy", 1, THREAD_SLEEPS, "[futex]", "start work:2 handle:1 pthread_cond_wait", 7, 9000);

	settle(made);
	assert_false(is_idle(made, idle)); /* one of them is, and nothing tells which */
	assert_false(is_idle(made, busy));
}

IDLE_TEST(a_thread_in_doubt_shows_that_others_are_inside_of_a_request)
{
	uint32_t cut = row_of(made, "pool-1", 1, THREAD_SLEEPS, "[futex]", "start work:1 pthread_cond_wait", 7, 9000);
	uint32_t inside =
		row_of(made, "pool-2", 2, THREAD_SLEEPS, "[futex]", "start work:2 handle:1 pthread_cond_wait", 7, 9000);

	made->profile.records.data[cut].user_loss = 1 + ST_LOSS_USER_NO_ROW;
	row_of(made, "pool-1", 1, THREAD_SLEEPS, "[futex]", "start work:1 pthread_cond_wait", 7, 9000);
	row_of(made, "pool-1", 1, THREAD_ON_CPU, NULL, "start work:2 handle:2", 1, 10);
	row_of(made, "pool-2", 2, THREAD_ON_CPU, NULL, "start work:2 handle:2", 1, 10);
	settle(made);
	assert_false(is_idle(made, inside));
}

IDLE_TEST(the_user_has_the_last_word)
{
	uint32_t slept = waits(made, 1, "[sleep]", "start every_minute:1 nanosleep");
	uint32_t other = waits(made, 1, "[sleep]", "start other:1 nanosleep");

	made->plan.function = "^every_";
	settle(made);
	assert_true(is_idle(made, slept));
	assert_false(is_idle(made, other));
}

IDLE_TEST(all_that_is_not_under_a_function_is_idle)
{
	uint32_t outside = waits(made, 1, "[socket read]", "start serve:1 recv");
	uint32_t inside = waits(made, 1, "[socket read]", "start serve:1 handle:1 recv");
	uint32_t disk = row_of(made, "worker", 1, THREAD_BLOCKED, "[disk]", "start serve:1 open", 1, 5);
	char error[] = "(";

	made->plan.under = "^handle$";
	settle(made);
	assert_true(is_idle(made, outside));
	assert_false(is_idle(made, inside));
	assert_false(is_idle(made, disk));
	made->plan.under = error;
	assert_int_equal(wall_idle_settle(&made->profile, NULL, &made->plan), -EINVAL);
}

IDLE_TEST(threads_whose_names_differ_in_digits_have_one_name)
{
	uint32_t one = row_of(made, "w1/2", 1, THREAD_ON_CPU, NULL, "start", 1, 5);
	uint32_t two = row_of(made, "w1/13", 2, THREAD_ON_CPU, NULL, "start", 1, 5);
	uint32_t alone = row_of(made, "python3", 3, THREAD_ON_CPU, NULL, "start", 1, 5);

	settle(made);
	assert_string_equal(profile_string(&made->profile, made->profile.records.data[one].comm), "w*/*");
	assert_string_equal(profile_string(&made->profile, made->profile.records.data[two].comm), "w*/*");
	assert_string_equal(profile_string(&made->profile, made->profile.records.data[alone].comm), "python3");
}
