/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU times of processes and threads: of this one, which computes, and of others, which end. */

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/host/cpu_time.h"
#include "tests/harness.h"

#define BUSY_NS (50 * NSEC_PER_MSEC)

static void compute(clockid_t clock)
{
	uint64_t end_ns = clock_now_ns(clock) + BUSY_NS;

	while (clock_now_ns(clock) < end_ns)
		;
}

TEST(test_a_process_that_computes)
{
	struct u32_list tgids = {}, none = {};
	struct cpu_time time;
	uint64_t before, now;

	vec_push(&tgids, (uint32_t)getpid());
	cpu_time_init(&time, &tgids, &none);
	before = cpu_time_read(&time);
	compute(CLOCK_PROCESS_CPUTIME_ID);
	now = cpu_time_read(&time);
	assert_true(now - before >= BUSY_NS);
	assert_true(now <= clock_now_ns(CLOCK_PROCESS_CPUTIME_ID));
	cpu_time_done(&time);
	vec_done(&tgids);
}

/* The rate of one that computes, which is read again soon. */
TEST(test_the_rate_of_a_process)
{
	struct u32_list tgids = {}, none = {};
	struct cpu_time time;
	uint64_t begun_ns, used_ns, elapsed_ns;

	vec_push(&tgids, (uint32_t)getpid());
	cpu_time_init(&time, &tgids, &none);
	assert_int_equal(cpu_time_used(&time, BUSY_NS), 0); /* nothing is known yet */
	begun_ns = time.read_ns;
	compute(CLOCK_PROCESS_CPUTIME_ID);
	used_ns = cpu_time_used(&time, BUSY_NS);
	elapsed_ns = time.read_ns - begun_ns;
	assert_true(elapsed_ns >= BUSY_NS);
	assert_true((double)used_ns >= 0.99 * (double)BUSY_NS * (double)BUSY_NS / (double)elapsed_ns);
	cpu_time_done(&time);
	vec_done(&tgids);
}

/* Many are read seldom: reading these takes milliseconds, and a thousand times as long no more is read. */
TEST(test_many_are_read_seldom)
{
	struct u32_list tgids = {}, none = {};
	struct cpu_time time;
	uint64_t read_ns;

	for (int i = 0; i < 50000; i++)
		vec_push(&tgids, (uint32_t)getpid());
	cpu_time_init(&time, &tgids, &none);
	cpu_time_used(&time, BUSY_NS); /* one sum is not a rate yet */
	cpu_time_used(&time, BUSY_NS);
	read_ns = time.read_ns;
	assert_true(time.due_ns - read_ns > NSEC_PER_SEC);
	for (int i = 0; i < 100; i++)
		cpu_time_used(&time, BUSY_NS);
	assert_int_equal(time.read_ns, read_ns);
	cpu_time_done(&time);
	vec_done(&tgids);
}

TEST(test_a_thread_that_computes)
{
	struct u32_list tids = {}, none = {};
	struct cpu_time time;
	uint64_t before, now;

	vec_push(&tids, (uint32_t)syscall(SYS_gettid));
	cpu_time_init(&time, &none, &tids);
	before = cpu_time_read(&time);
	compute(CLOCK_THREAD_CPUTIME_ID);
	now = cpu_time_read(&time);
	if (now) /* the kernel may not tell */
		assert_true(now > before);
	assert_true(now <= clock_now_ns(CLOCK_THREAD_CPUTIME_ID));
	cpu_time_done(&time);
	vec_done(&tids);
}

TEST(test_what_has_ended_keeps_its_time)
{
	struct u32_list tgids = {}, none = {};
	struct cpu_time time;
	uint64_t last = 0;
	pid_t child = fork();

	if (!child)
		for (;;)
			;
	assert_true(child > 0);
	vec_push(&tgids, (uint32_t)child);
	vec_push(&tgids, UINT32_MAX); /* no such process */
	cpu_time_init(&time, &tgids, &none);
	while (!last)
		last = cpu_time_read(&time);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_true(cpu_time_read(&time) >= last);
	cpu_time_done(&time);
	vec_done(&tgids);
}
