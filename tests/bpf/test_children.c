/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of what a command has started: who is in it, and that an entry is nobody's but that process's.
 *
 * The tests are strangers; a process that they start before anything is attached is the ancestor.
 *
 * Plain: next to nothing of the program in user space runs here.
 * ctest: plain
 */
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "core/host/process.h"
#include "tests/bpf/object.h"
#include "tests/harness.h"

#define NR_MANY 2000
#define NR_UNSEEN 100 /* ends: Linux 6.18 under load leaves some out, one by one or 30 in a row, as with switches */
#define DEADLINE_S 30

static const struct kind {
	const char *birth, *fork, *free;
} kinds[] = {
	{ "on_birth", "on_fork", "on_free" },
	{ "on_birth_by_type", "on_fork_by_type", "on_free_by_type" },
};

#define BOTH_KINDS_TEST(name)                      \
	static void name(const struct kind *kind); \
	TEST(name##_by_memory)                     \
	{                                          \
		name(&kinds[0]);                   \
	}                                          \
	TEST(name##_by_type)                       \
	{                                          \
		name(&kinds[1]);                   \
	}                                          \
	static void name(const struct kind *kind)

/* Which of the two reports of a birth reach their program. */
enum reports {
	REPORT_FIRST = 1,
	REPORT_SECOND = 2,
	REPORT_BOTH = REPORT_FIRST | REPORT_SECOND,
};

/* ---- the ancestor ---- */

/* It does what the byte says, and answers with a pid. */
struct ancestor {
	pid_t pid;
	int orders, answers;
};

enum order {
	ORDER_FORK = 'f',  /* a child that stays until ORDER_END */
	ORDER_GRAND = 'g', /* a child that is gone when the answer comes, and one of its own that stays */
	ORDER_MANY = 'm',  /* NR_MANY children one after the other, each gone when the next begins */
	ORDER_END = 'e',   /* ends all that stay */
};

static void *do_nothing(void *unused)
{
	return unused;
}

static pid_t fork_staying(const int hold[2])
{
	pid_t pid = fork();
	pthread_t thread;
	char byte;

	if (pid)
		return pid;
	close(hold[1]);
	pthread_create(&thread, NULL, do_nothing, NULL);
	pthread_join(thread, NULL);
	while (read(hold[0], &byte, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

static pid_t fork_grandchild(const int hold[2])
{
	pid_t grandchild = 0, child;
	int said[2];

	if (pipe(said))
		_exit(1);
	child = fork();
	if (!child) {
		grandchild = fork_staying(hold);
		_exit(write(said[1], &grandchild, sizeof(grandchild)) != sizeof(grandchild));
	}
	waitpid(child, NULL, 0);
	if (read(said[0], &grandchild, sizeof(grandchild)) != sizeof(grandchild))
		_exit(1);
	return grandchild;
}

static pid_t fork_many(void)
{
	pid_t pid = 0;

	for (int i = 0; i < NR_MANY; i++) {
		pid = fork();
		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
	return pid;
}

static void be_ancestor(int orders, int answers)
{
	int hold[2];
	pid_t pid;
	char order;

	if (pipe(hold))
		_exit(1);
	while (read(orders, &order, 1) == 1 && order != ORDER_END) {
		pid = order == ORDER_FORK    ? fork_staying(hold)
		      : order == ORDER_GRAND ? fork_grandchild(hold)
					     : fork_many();
		if (write(answers, &pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
	}
	_exit(0);
}

static void ancestor_start(struct ancestor *ancestor)
{
	int orders[2], answers[2];

	assert_int_equal(pipe(orders), 0);
	assert_int_equal(pipe(answers), 0);
	ancestor->pid = fork();
	assert_true(ancestor->pid >= 0);
	if (!ancestor->pid) {
		close(orders[1]);
		be_ancestor(orders[0], answers[1]);
	}
	close(orders[0]);
	close(answers[1]);
	ancestor->orders = orders[1];
	ancestor->answers = answers[0];
}

static uint32_t ancestor_do(const struct ancestor *ancestor, enum order order)
{
	char byte = (char)order;
	pid_t pid;

	assert_int_equal(write(ancestor->orders, &byte, 1), 1);
	assert_int_equal(read(ancestor->answers, &pid, sizeof(pid)), sizeof(pid));
	return (uint32_t)pid;
}

static void ancestor_end(struct ancestor *ancestor)
{
	char byte = ORDER_END;

	assert_int_equal(write(ancestor->orders, &byte, 1), 1);
	close(ancestor->orders);
	close(ancestor->answers);
	assert_int_equal(waitpid(ancestor->pid, NULL, 0), ancestor->pid);
}

/* ---- the table ---- */

static struct bpf_link *attach(struct object *object, const char *name, const char *tracepoint)
{
	struct bpf_program *program = bpf_object__find_program_by_name(object->skeleton->obj, name);
	struct bpf_link *link = strstr(name, "by_type") ? bpf_program__attach_trace(program)
							: bpf_program__attach_raw_tracepoint(program, tracepoint);

	assert_non_null(link);
	return link;
}

struct table {
	struct ancestor ancestor;
	struct object object;
	struct bpf_link *birth, *fork, *free;
};

static void table_begin_with(struct table *table, const struct kind *kind, uint32_t entries, enum reports reports)
{
	*table = (struct table){};
	ancestor_start(&table->ancestor);
	object_load(&table->object, &(struct object_options){
					    .program = kind->birth,
					    .others = { kind->fork, kind->free },
					    .child_entries = entries,
					    .config = { .task_filter = ST_FILTER_TGID,
							.filter_single = (uint32_t)table->ancestor.pid,
							.follow_children = 1 },
				    });
	if (reports & REPORT_FIRST)
		table->birth = attach(&table->object, kind->birth, "task_newtask");
	if (reports & REPORT_SECOND)
		table->fork = attach(&table->object, kind->fork, "sched_process_fork");
	table->free = attach(&table->object, kind->free, "sched_process_free");
}

static void table_begin(struct table *table, const struct kind *kind, uint32_t entries)
{
	table_begin_with(table, kind, entries, REPORT_BOTH);
}

static void table_end(struct table *table)
{
	ancestor_end(&table->ancestor);
	bpf_link__destroy(table->fork);
	bpf_link__destroy(table->birth);
	bpf_link__destroy(table->free);
	object_done(&table->object);
}

static int map_of(const struct table *table)
{
	return bpf_map__fd(table->object.skeleton->maps.st_children);
}

/* Without those that the kernel counts: events that reached no program. */
static int64_t lost_births(struct table *table)
{
	return (int64_t)object_stats(&table->object, 0).lost_births;
}

static bool has(const struct table *table, uint32_t pid)
{
	uint64_t start_time_ns;

	return !bpf_map_lookup_elem(map_of(table), &pid, &start_time_ns);
}

static size_t size_of(const struct table *table)
{
	uint32_t pid, *last = NULL;
	size_t nr = 0;

	while (!bpf_map_get_next_key(map_of(table), last, &pid)) {
		last = &pid;
		nr++;
	}
	return nr;
}

/* The kernel frees a task_struct after a grace period of RCU. */
static bool gets_empty(const struct table *table)
{
	time_t end = time(NULL) + DEADLINE_S;

	while (size_of(table) > NR_UNSEEN && time(NULL) < end)
		sched_yield();
	return size_of(table) <= NR_UNSEEN;
}

static pid_t fork_stranger(void)
{
	pid_t pid = fork();

	while (!pid)
		pause();
	assert_true(pid > 0);
	return pid;
}

static void put(const struct table *table, uint32_t pid, uint64_t start_time_ns)
{
	assert_int_equal(bpf_map_update_elem(map_of(table), &pid, &start_time_ns, 0), 0);
}

/* ---- the tests ---- */

BOTH_KINDS_TEST(children_and_theirs_are_in_and_strangers_are_not)
{
	uint32_t child, grandchild;
	struct table table;
	pid_t stranger;

	table_begin(&table, kind, 0);
	child = ancestor_do(&table.ancestor, ORDER_FORK);
	grandchild = ancestor_do(&table.ancestor, ORDER_GRAND);
	stranger = fork_stranger();
	assert_true(has(&table, child));
	assert_true(has(&table, grandchild));
	assert_false(has(&table, (uint32_t)stranger));
	assert_in_range(size_of(&table), 2, 3); /* and the one between, as long as it is there; no threads */
	kill(stranger, SIGKILL);
	waitpid(stranger, NULL, 0);
	table_end(&table);
}

BOTH_KINDS_TEST(those_that_are_gone_leave_room)
{
	struct table table;

	/* Room for the first half of them. On a busy host a grace period may be longer than all forks take. */
	table_begin(&table, kind, NR_MANY + NR_UNSEEN);
	ancestor_do(&table.ancestor, ORDER_MANY);
	assert_true(gets_empty(&table));
	ancestor_do(&table.ancestor, ORDER_MANY);
	assert_true(gets_empty(&table));
	assert_int_equal(lost_births(&table), 0);
	table_end(&table);
}

BOTH_KINDS_TEST(no_room_is_a_loss_of_its_own)
{
	struct table table;

	table_begin(&table, kind, 1);
	put(&table, UINT32_MAX, 1);
	ancestor_do(&table.ancestor, ORDER_FORK);
	ancestor_do(&table.ancestor, ORDER_FORK);
	assert_int_equal(size_of(&table), 1);
	assert_int_equal(lost_births(&table), 2);
	table_end(&table);
}

BOTH_KINDS_TEST(the_first_report_of_a_birth_is_enough)
{
	struct table table;

	table_begin_with(&table, kind, 0, REPORT_FIRST);
	assert_true(has(&table, ancestor_do(&table.ancestor, ORDER_FORK)));
	assert_int_equal(lost_births(&table), 0);
	table_end(&table);
}

/* Each that it deals with takes one off those that the kernel says the first program missed. */
BOTH_KINDS_TEST(the_second_report_stands_in_for_the_first)
{
	struct table table;

	table_begin_with(&table, kind, 0, REPORT_SECOND);
	assert_true(has(&table, ancestor_do(&table.ancestor, ORDER_FORK)));
	assert_true(lost_births(&table) < 0);
	table_end(&table);
}

/* A process of ours with this pid. */
static pid_t fork_as(pid_t pid)
{
	struct clone_args arguments = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&pid,
		.set_tid_size = 1,
	};

	return (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments));
}

/* A pid that nobody has. */
static pid_t free_pid(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

static void judge_stranger(const struct kind *kind, enum reports reports)
{
	struct table table;
	pid_t pid, again;

	table_begin_with(&table, kind, 0, reports);
	pid = free_pid();
	put(&table, (uint32_t)pid, 1); /* as of a child whose end was not seen */
	again = fork_as(pid);
	if (!again)
		_exit(0);
	assert_int_equal(again, pid);
	assert_false(has(&table, (uint32_t)pid));
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	table_end(&table);
}

BOTH_KINDS_TEST(a_stranger_with_the_pid_of_a_child_is_a_stranger)
{
	judge_stranger(kind, REPORT_FIRST);
	judge_stranger(kind, REPORT_SECOND);
	judge_stranger(kind, REPORT_BOTH);
}

/* Its end must not take away the entry of a child that has its pid by then. */
BOTH_KINDS_TEST(an_earlier_process_of_the_same_pid_takes_nothing_with_it)
{
	struct table table;
	pid_t pid;

	table_begin(&table, kind, 0);
	pid = fork_stranger();
	put(&table, (uint32_t)pid, 1);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	ancestor_do(&table.ancestor, ORDER_MANY); /* many ends after that one */
	assert_true(gets_empty(&table));
	assert_true(has(&table, (uint32_t)pid));
	table_end(&table);
}

int main(void)
{
	uint64_t device, inode;

	if (process_pidns(&device, &inode)) {
		printf("SKIP: the table has the pids of the first pid namespace, and this is another one\n");
		return 77;
	}
	return run_all_tests();
}
