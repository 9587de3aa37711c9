/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the symbol worker may do, and what happens when it dies or hangs. */
#include "tests/unit/symbolizer_fixture.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "core/base/err.h"
#include "symbolize/client/worker_link.h"
#include "symbolize/worker/sandbox.h"
#include "tests/harness.h"

/* ---- confinement ---- */

/* The value of a line of /proc/PID/status. */
static const char *status_of(int pid, const char *key)
{
	static char line[256];
	char path[64];
	_cleanup_(fclosep) FILE *file = NULL;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		size_t length = strlen(key);

		if (!strncmp(line, key, length) && line[length] == ':') {
			line[strcspn(line, "\n")] = '\0';
			return line + length + 1 + strspn(line + length + 1, " \t");
		}
	}
	return "";
}

SYMBOLIZER_TEST(the_worker_has_no_privileges)
{
	int pid = symbolizer_worker_pid(fixture->symbolizer);
	unsigned int user = 0x70000000 + (unsigned int)atoi(status_of(pid, "PPid")); /* by its supervisor */
	char ids[64];

	snprintf(ids, sizeof(ids), "%u\t%u\t%u\t%u", user, user, user, user);
	fixture_add(fixture, 0);
	fixture_expect(fixture, 0, OFFSET, "first"); /* it is past its own preparations */
	assert_string_equal(status_of(pid, "Name"), "stacktool-sym");
	assert_string_equal(status_of(pid, "CapInh"), "0000000000000000");
	assert_string_equal(status_of(pid, "CapPrm"), "0000000000000000");
	assert_string_equal(status_of(pid, "CapEff"), "0000000000000000");
	assert_string_equal(status_of(pid, "CapAmb"), "0000000000000000");
	assert_string_equal(status_of(pid, "NoNewPrivs"), "1");
	assert_string_equal(status_of(pid, "Seccomp"), "2");
	if (geteuid() == 0) {
		assert_string_equal(status_of(pid, "CapBnd"), "0000000000000000");
		assert_string_equal(status_of(pid, "Uid"), ids);
		assert_string_equal(status_of(pid, "Gid"), ids);
		assert_string_equal(status_of(pid, "Groups"), "");
	}
}

SYMBOLIZER_TEST(the_supervisor_has_no_privileges)
{
	int supervisor = atoi(status_of(symbolizer_worker_pid(fixture->symbolizer), "PPid"));

	assert_string_equal(status_of(supervisor, "Name"), "stacktool-super");
	assert_string_equal(status_of(supervisor, "CapEff"), "0000000000000000");
	assert_string_equal(status_of(supervisor, "CapPrm"), "0000000000000000");
	assert_string_equal(status_of(supervisor, "NoNewPrivs"), "1");
}

static unsigned int nr_descriptors(int pid)
{
	unsigned int nr = 0;
	char path[64];
	DIR *directory;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	directory = opendir(path);
	if (!directory)
		skip(); /* not root: the worker is not dumpable */
	for (struct dirent *entry; (entry = readdir(directory));)
		nr += entry->d_name[0] != '.';
	closedir(directory);
	return nr;
}

SYMBOLIZER_TEST(the_worker_inherits_no_descriptors_and_keeps_none)
{
	_cleanup_(closep) int inheritable = open("/dev/null", O_RDONLY);
	int pid;

	fixture_start(fixture, &(struct symbolizer_options){});
	pid = symbolizer_worker_pid(fixture->symbolizer);
	for (uint32_t file = 0; file < 20; file++)
		fixture_add(fixture, file);
	for (uint32_t file = 0; file < 20; file++)
		fixture_expect(fixture, file, OFFSET, "first");
	assert_int_equal(nr_descriptors(pid), 4); /* /dev/null three times and its socket */
}

SYMBOLIZER_TEST(signals_for_the_terminal_do_not_reach_the_worker)
{
	static const int signals[] = { SIGINT, SIGHUP, SIGTERM, SIGQUIT };

	fixture_add(fixture, 0);
	fixture_expect(fixture, 0, OFFSET, "first");
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		kill(symbolizer_worker_pid(fixture->symbolizer), signals[i]);
	fixture_expect(fixture, 0, OFFSET + 0x10, "second");
}

/* ---- memory ---- */

static long data_kb(struct fixture *fixture)
{
	return atol(status_of(symbolizer_worker_pid(fixture->symbolizer), "VmData"));
}

/* A string table of 5 MB stays in the file, but for as long as many of its names are requested. */
SYMBOLIZER_TEST(names_of_a_file_that_is_asked_much_are_loaded_for_that_time)
{
	enum {
		FILLING = 40000,
		NR = 5000
	};
	_cleanup_(freep) struct symbol_query *queries = calloc(NR, sizeof(*queries));
	_cleanup_(freep) struct symbol_answer *answers = calloc(NR, sizeof(*answers));
	char name[121];
	long before, meanwhile;

	memset(name, 'x', 120);
	name[120] = '\0';
	for (int i = 0; i < FILLING; i++)
		elf_writer_symbol(&fixture->writer, SYMTAB, name, 0, 0, STT_OBJECT, STB_GLOBAL);
	fixture_add(fixture, 0);
	fixture_add(fixture, 1);
	fixture_expect(fixture, 0, OFFSET, "first");
	fixture_expect(fixture, 1, OFFSET, "first");
	before = data_kb(fixture);
	for (size_t i = 0; i < NR; i++)
		queries[i] = (struct symbol_query){ OFFSET + i % 2 * 0x10, true };
	assert_int_equal(symbolizer_name_file(fixture->symbolizer, 0, queries, NR, answers), 0);
	for (size_t i = 0; i < NR; i++)
		assert_string_equal(answers[i].name, i % 2 ? "second" : "first");
	meanwhile = data_kb(fixture);
	fixture_expect(fixture, 1, OFFSET + 0x10, "second");
	fixture_expect(fixture, 0, OFFSET + 0x10, "second");
#ifndef __SANITIZE_ADDRESS__ /* which keeps what is freed */
	assert_in_range(meanwhile - before, 4000, 6000);
	assert_in_range(data_kb(fixture), 0, before + 1000);
#else
	(void)before;
	(void)meanwhile;
#endif
}

/* ---- death and delay ---- */

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void wait_gone(int pidfd)
{
	struct pollfd wanted = { .fd = pidfd, .events = POLLIN };

	assert_int_equal(poll(&wanted, 1, 10000), 1);
	close(pidfd);
}

static void kill_worker(struct fixture *fixture)
{
	int pid = symbolizer_worker_pid(fixture->symbolizer);
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);

	assert_true(pidfd >= 0);
	kill(pid, SIGKILL);
	wait_gone(pidfd);
}

SYMBOLIZER_TEST(after_the_workers_death_its_files_have_a_reason_and_the_next_works)
{
	struct symbol_query query = { OFFSET, true };
	struct symbol_answer answer;

	fixture_add(fixture, 0);
	fixture_add(fixture, 1);
	fixture_expect(fixture, 0, OFFSET, "first");
	fixture_expect(fixture, 1, OFFSET, "first");
	kill_worker(fixture);
	assert_int_equal(symbolizer_name_file(fixture->symbolizer, 0, &query, 1, &answer), -EIO);
	assert_int_equal(answer.status, SYMBOL_WORKER_DIED);
	fixture_expect_status(fixture, 1, SYMBOL_WORKER_DIED);
	fixture_add(fixture, 2);
	fixture_expect(fixture, 2, OFFSET, "first");
}

SYMBOLIZER_TEST(how_a_worker_ended_is_known)
{
	fixture_add(fixture, 0);
	fixture_expect(fixture, 0, OFFSET, "first");
	assert_null(symbolizer_last_end(fixture->symbolizer));
	kill_worker(fixture);
	fixture_expect_status(fixture, 0, SYMBOL_WORKER_DIED);
	assert_string_equal(symbolizer_last_end(fixture->symbolizer), "signal 9 (Killed)");
}

/* A process that may not raise its limits. */
static void keep_limits(void)
{
	cap_t capabilities = cap_get_proc();
	const cap_value_t resource = CAP_SYS_RESOURCE;

	cap_set_flag(capabilities, CAP_EFFECTIVE, 1, &resource, CAP_CLEAR);
	cap_set_flag(capabilities, CAP_PERMITTED, 1, &resource, CAP_CLEAR);
	cap_set_proc(capabilities);
	cap_free(capabilities);
}

/* Whether a worker that cannot be started has its reason; in a child. A user who is not root cannot even start the supervisor. */
static int check_no_processes(struct fixture *fixture)
{
	const struct rlimit none = { 0, 0 };
	const struct symbol_query query = { OFFSET, true };
	struct symbol_answer answer;
	struct symbolizer *symbolizer;

	keep_limits();
	if (setrlimit(RLIMIT_NPROC, &none))
		return 1;
	if (symbolizer_new(&(struct symbolizer_options){}, &symbolizer))
		return err_kind() == ERR_HOST && strstr(err_hint(), "ulimit -u") ? 0 : 2;
	if (symbolizer_await(symbolizer) != -EAGAIN)
		return 3;
	symbolizer_add_file(symbolizer, 0, elf_writer_fd(&fixture->writer), 0);
	if (symbolizer_name_file(symbolizer, 0, &query, 1, &answer) != -ECHILD || answer.status != SYMBOL_NOT_STARTED)
		return 4;
	return symbolizer_last_end(symbolizer) ? 5 : 0;
}

SYMBOLIZER_TEST(a_worker_that_cannot_be_started_did_not_die)
{
	int child, status;

	elf_writer_finish(&fixture->writer);
	child = fork();
	if (!child)
		_exit(check_no_processes(fixture));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

SYMBOLIZER_TEST(lost_files_are_opened_again_where_the_caller_can)
{
	fixture_start(fixture, &(struct symbolizer_options){ .open_again = fixture_open_again, .context = fixture });
	fixture->again_failed = 2;
	for (uint32_t file = 0; file < 4; file++) {
		fixture_add(fixture, file);
		fixture_expect(fixture, file, OFFSET, "first");
	}
	kill_worker(fixture);
	fixture_expect(fixture, 0, OFFSET + 0x10, "second");
	fixture_expect_status(fixture, 2, SYMBOL_WORKER_DIED);
	fixture_expect(fixture, 3, OFFSET + 0x10, "second");
}

SYMBOLIZER_TEST(the_kernel_is_named_by_the_next_worker)
{
	static const char list[] = "ffffffff81000000 T start\n";
	struct symbol_query query = { 0xffffffff81000010, true };
	struct symbol_answer answer;

	symbolizer_add_kernel(fixture->symbolizer, memory_file(list, sizeof(list) - 1));
	symbolizer_name_kernel(fixture->symbolizer, &query, 1, &answer);
	assert_int_equal(answer.status, SYMBOL_OK);
	kill_worker(fixture);
	symbolizer_name_kernel(fixture->symbolizer, &query, 1, &answer);
	assert_int_equal(answer.status, SYMBOL_OK);
}

static struct worker_link *link_of(struct fixture *fixture)
{
	return *(struct worker_link **)fixture->symbolizer;
}

/* Before, four lost workers ended all names of a run. */
SYMBOLIZER_TEST(after_four_lost_workers_there_is_a_pause)
{
	for (uint32_t file = 0; file < 4; file++) {
		fixture_add(fixture, file);
		fixture_expect(fixture, file, OFFSET, "first");
		kill_worker(fixture);
		fixture_expect_status(fixture, file, file < 3 ? SYMBOL_WORKER_DIED : SYMBOL_PAUSED);
	}
	assert_int_equal(symbolizer_worker_pid(fixture->symbolizer), -1);
	fixture_add(fixture, 4);
	fixture_expect_status(fixture, 4, SYMBOL_PAUSED);
	fixture_expect_status(fixture, 0, SYMBOL_WORKER_DIED);
	link_of(fixture)->paused_until_ms = 0; /* it is over */
	fixture_add(fixture, 5);
	fixture_expect(fixture, 5, OFFSET, "first");
}

SYMBOLIZER_TEST(what_came_in_a_pause_is_opened_again_after_it)
{
	fixture_start(fixture, &(struct symbolizer_options){ .open_again = fixture_open_again, .context = fixture });
	fixture->again_failed = UINT32_MAX;
	link_of(fixture)->nr_lost = 3;
	fixture_add(fixture, 0);
	fixture_expect(fixture, 0, OFFSET, "first");
	kill_worker(fixture);
	fixture_expect_status(fixture, 0, SYMBOL_PAUSED);
	fixture_add(fixture, 1);
	fixture_expect_status(fixture, 1, SYMBOL_PAUSED);
	link_of(fixture)->paused_until_ms = 0;
	fixture_expect(fixture, 0, OFFSET, "first");
	fixture_expect(fixture, 1, OFFSET, "first");
}

SYMBOLIZER_TEST(pauses_grow_to_a_ceiling)
{
	static const int64_t seconds[] = { 5, 10, 20, 40, 80, 160, 320, 320 };

	link_of(fixture)->nr_lost = 3;
	for (uint32_t i = 0; i < 8; i++) {
		int64_t left_ms;

		kill_worker(fixture);
		fixture_add(fixture, i);
		left_ms = link_of(fixture)->paused_until_ms - now_ms();
		assert_in_range(left_ms, seconds[i] * 1000 - 900, seconds[i] * 1000);
		link_of(fixture)->paused_until_ms = 0;
	}
}

/* ---- owners ---- */

/* The file in the hands of a user. */
static void add_of(struct fixture *fixture, uint32_t number, uid_t user, uint32_t root)
{
	int fd = elf_writer_fd(&fixture->writer);

	assert_int_equal(fchown(fd, user, user), 0);
	assert_int_equal(symbolizer_add_file(fixture->symbolizer, number, fd, root), 0);
}

static void start_for_owners(struct fixture *fixture)
{
	if (geteuid())
		skip(); /* it gives files away */
	fixture_start(fixture, &(struct symbolizer_options){ .open_again = fixture_open_again, .context = fixture });
	fixture->again_failed = UINT32_MAX;
	elf_writer_finish(&fixture->writer);
}

static struct worker_link *owner_of_file(struct fixture *fixture, size_t number)
{
	return ((struct worker_link **)fixture->symbolizer)[number];
}

static int nr_workers(struct fixture *fixture)
{
	struct link_shared *shared = link_of(fixture)->shared;
	int nr = 0;

	for (int i = 0; i < SUPERVISOR_SLOTS; i++)
		nr += shared->slots[i] && shared->slots[i]->socket >= 0;
	return nr;
}

SYMBOLIZER_TEST(workers_lost_with_files_of_one_owner_cost_no_other)
{
	start_for_owners(fixture);
	add_of(fixture, 0, 0, 0);
	fixture_expect(fixture, 0, OFFSET, "first");
	for (uint32_t i = 1; i <= 4; i++) {
		struct worker_link *hostile;
		int pid;

		add_of(fixture, i, 1000, 0);
		fixture_expect(fixture, i, OFFSET, "first");
		hostile = owner_of_file(fixture, 1);
		pid = hostile->pid;
		assert_int_not_equal(pid, link_of(fixture)->pid);
		kill(pid, SIGKILL);
		while (hostile->socket >= 0)
			worker_link_pump(hostile);
	}
	fixture_expect_status(fixture, 1, SYMBOL_PAUSED);
	fixture_expect(fixture, 0, OFFSET + 0x10, "second");
	assert_int_equal(link_of(fixture)->nr_lost, 0);
	add_of(fixture, 5, 1001, 0);
	fixture_expect(fixture, 5, OFFSET, "first");
	add_of(fixture, 6, 0, 7); /* root's in another root directory */
	fixture_expect(fixture, 6, OFFSET, "first");
	assert_int_equal(owner_of_file(fixture, 3)->owner.root, 7);
}

/* Whether the owner has a link of its own. */
static bool has_link(struct fixture *fixture, uid_t user)
{
	for (size_t i = 0; i < 256 && owner_of_file(fixture, i); i++)
		if (owner_of_file(fixture, i)->owner.uid == user)
			return true;
	return false;
}

/* Owners come and go. One has a file, one lost workers, one used up its time: they keep what is theirs. */
SYMBOLIZER_TEST(owners_without_files_make_room)
{
	enum {
		NR = 600
	};

	start_for_owners(fixture);
	for (uint32_t i = 1; i <= NR; i++) {
		add_of(fixture, i, i, 0);
		assert_true(has_link(fixture, i));
		if (i == 2)
			owner_of_file(fixture, i)->nr_lost = 3;
		if (i == 2)
			owner_of_file(fixture, i)->started_ms = now_ms();
		if (i == 3)
			owner_of_file(fixture, i)->left_ms = -100000;
		if (i > 1)
			symbolizer_drop(fixture->symbolizer, i);
	}
	for (uid_t user = 1; user <= 3; user++)
		assert_true(has_link(fixture, user));
	fixture_expect(fixture, 1, OFFSET, "first");
	add_of(fixture, NR + 1, 4, 0);
	fixture_expect(fixture, NR + 1, OFFSET, "first");
}

/* All that there may be are in use: further ones share a link, until somebody's files are dropped. */
SYMBOLIZER_TEST(owners_with_files_are_not_replaced)
{
	enum {
		MAX = 256
	};

	start_for_owners(fixture);
	for (uint32_t i = 1; i < MAX + 3; i++)
		add_of(fixture, i, i, 0);
	assert_true(has_link(fixture, MAX - 2));
	assert_false(has_link(fixture, MAX - 1));
	assert_false(has_link(fixture, MAX + 2));
	fixture_expect(fixture, 5, OFFSET, "first");
	symbolizer_drop(fixture->symbolizer, 5);
	owner_of_file(fixture, 5)->left_ms = 10000; /* as after some time */
	add_of(fixture, MAX + 3, MAX + 3, 0);
	assert_true(has_link(fixture, MAX + 3));
	fixture_expect(fixture, MAX + 2, OFFSET, "first");
}

/* With more owners than workers, each gets its names; the host's worker stays. */
SYMBOLIZER_TEST(at_most_eight_workers_run)
{
	int pid;

	start_for_owners(fixture);
	pid = symbolizer_worker_pid(fixture->symbolizer);
	for (uint32_t i = 0; i < 20; i++)
		add_of(fixture, i, i, 0);
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 20; i++) {
			fixture_expect(fixture, i, OFFSET, "first");
			assert_in_range(nr_workers(fixture), 1, 8);
		}
	assert_int_equal(nr_workers(fixture), 8);
	assert_int_equal(symbolizer_worker_pid(fixture->symbolizer), pid);
	assert_null(symbolizer_last_end(fixture->symbolizer));
	for (int i = 0; i < 20; i++)
		assert_int_equal(owner_of_file(fixture, (size_t)i)->nr_lost, 0);
}

/* The worker of user 1000 is asked until the time of that owner is over; after some time there is more. */
SYMBOLIZER_TEST(files_of_one_owner_are_not_waited_for_without_end)
{
	start_for_owners(fixture);
	add_of(fixture, 0, 0, 0);
	add_of(fixture, 1, 1000, 0);
	add_of(fixture, 2, 1000, 0);
	fixture_expect(fixture, 1, OFFSET, "first");
	worker_link_spend(owner_of_file(fixture, 1), now_ms() - 11000);
	worker_link_spend(link_of(fixture), now_ms() - 11000);
	fixture_expect_status(fixture, 2, SYMBOL_TIMEOUT);
	fixture_expect(fixture, 0, OFFSET, "first");
	assert_int_equal(owner_of_file(fixture, 1)->nr_lost, 0);
	for (int i = 0; i < 4000; i++) { /* 20 s, and a look every 5 ms */
		owner_of_file(fixture, 1)->spent_ms -= 5;
		worker_link_has_time(owner_of_file(fixture, 1));
	}
	fixture_expect(fixture, 2, OFFSET, "first");
}

SYMBOLIZER_TEST(names_of_one_owner_have_a_limit)
{
	struct symbol_lines lines;

	start_for_owners(fixture);
	add_of(fixture, 0, 0, 0);
	add_of(fixture, 1, 1000, 0);
	fixture_expect(fixture, 1, OFFSET, "first");
	assert_int_equal(owner_of_file(fixture, 1)->nr_text, sizeof("first"));
	owner_of_file(fixture, 1)->nr_text = 64 << 20;
	assert_int_equal(symbolizer_lines(fixture->symbolizer, 1, &(struct symbol_query){}, 1, 0, 0, &lines), -ENOMEM);
	fixture_expect_status(fixture, 1, SYMBOL_NO_MEMORY);
	fixture_expect(fixture, 0, OFFSET + 0x10, "second");
	add_of(fixture, 2, 2000, 0);
	link_of(fixture)->shared->names.nr_bytes = 512 << 20;
	fixture_expect_status(fixture, 2, SYMBOL_NO_MEMORY);
	fixture_expect(fixture, 0, OFFSET, "first"); /* nobody uses up what the host has */
}

/* A table of 5 MB of names stays open in the worker: files of 300 need more descriptors than it has. */
SYMBOLIZER_TEST(a_worker_without_descriptors_is_replaced)
{
	enum {
		FILLING = 40000,
		NR = 300
	};
	char name[121];

	memset(name, 'x', 120);
	name[120] = '\0';
	for (int i = 0; i < FILLING; i++)
		elf_writer_symbol(&fixture->writer, SYMTAB, name, 0, 0, STT_OBJECT, STB_GLOBAL);
	fixture_start(fixture, &(struct symbolizer_options){ .open_again = fixture_open_again, .context = fixture });
	fixture->again_failed = UINT32_MAX;
	for (uint32_t i = 0; i < NR; i++) {
		fixture_add(fixture, i);
		fixture_expect(fixture, i, OFFSET, "first");
	}
	fixture_expect(fixture, 0, OFFSET + 0x10, "second");
	assert_int_equal(link_of(fixture)->nr_lost, 0);
	assert_null(symbolizer_last_end(fixture->symbolizer));
}

/* A run may take days: what counts is how long a worker takes for one thing, not how much it does in its life. */
SYMBOLIZER_TEST(a_worker_that_answers_outlives_its_cpu_time)
{
	struct symbol_function *functions;
	size_t nr;
	int pid;

	fixture_start(fixture, &(struct symbolizer_options){ .cpu_seconds = 1 });
	symbolizer_add_file(fixture->symbolizer, 0, open("/proc/self/exe", O_RDONLY | O_CLOEXEC), 0);
	pid = symbolizer_worker_pid(fixture->symbolizer);
	while (sandbox_cpu_ms(pid) < 1700) {
		assert_int_equal(symbolizer_find(fixture->symbolizer, 0, "(a|b|c|.)*z+$", &functions, &nr), 0);
		free(functions);
	}
	assert_int_equal(symbolizer_worker_pid(fixture->symbolizer), pid);
}

SYMBOLIZER_TEST(the_cpu_time_of_a_worker_is_limited)
{
	char path[64], line[256], soft[32] = "";
	FILE *limits;

	fixture_start(fixture, &(struct symbolizer_options){ .cpu_seconds = 7 });
	fixture_add(fixture, 0);
	fixture_expect(fixture, 0, OFFSET, "first"); /* it is past its own preparations */
	snprintf(path, sizeof(path), "/proc/%d/limits", symbolizer_worker_pid(fixture->symbolizer));
	limits = fopen(path, "re");
	assert_non_null(limits);
	while (fgets(line, sizeof(line), limits))
		sscanf(line, "Max cpu time %31s", soft);
	fclose(limits);
	assert_string_equal(soft, "7");
}

/* One file in an hour that kills the worker must not end all names on the third day. */
SYMBOLIZER_TEST(replacements_of_long_ago_do_not_count)
{
	for (uint32_t file = 0; file < 6; file++) {
		fixture_add(fixture, file);
		fixture_expect(fixture, file, OFFSET, "first");
		link_of(fixture)->started_ms -= 600000;
		kill_worker(fixture);
		fixture_expect_status(fixture, file, SYMBOL_WORKER_DIED);
	}
	assert_true(symbolizer_worker_pid(fixture->symbolizer) > 0);
}

SYMBOLIZER_TEST(a_hanging_worker_costs_the_file_it_hangs_on_and_no_other)
{
	int pid, pidfd;

	fixture_start(fixture, &(struct symbolizer_options){ .timeout_ms = 2000 });
	pid = symbolizer_worker_pid(fixture->symbolizer);
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	kill(pid, SIGSTOP);
	for (uint32_t file = 0; file < 3; file++)
		fixture_add(fixture, file);
	fixture_expect(fixture, 2, OFFSET, "first"); /* by the second worker */
	fixture_expect(fixture, 1, OFFSET, "first");
	fixture_expect_status(fixture, 0, SYMBOL_TIMEOUT);
	wait_gone(pidfd); /* the supervisor has killed it */
}

SYMBOLIZER_TEST(a_question_that_hangs_is_answered_with_a_timeout)
{
	struct symbol_query query = { OFFSET, true };
	struct symbol_answer answer;

	fixture_start(fixture, &(struct symbolizer_options){ .timeout_ms = 2000 });
	fixture_add(fixture, 0);
	fixture_expect(fixture, 0, OFFSET, "first");
	kill(symbolizer_worker_pid(fixture->symbolizer), SIGSTOP);
	assert_int_equal(symbolizer_name_file(fixture->symbolizer, 0, &query, 1, &answer), -ETIMEDOUT);
	assert_int_equal(answer.status, SYMBOL_TIMEOUT);
	fixture_add(fixture, 1);
	fixture_expect(fixture, 1, OFFSET, "first");
}

SYMBOLIZER_TEST(handing_files_over_never_waits)
{
	struct rlimit limit, smaller = { 128, 0 };
	int64_t start_ms;
	int pid;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	smaller.rlim_max = limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &smaller), 0);
	elf_writer_finish(&fixture->writer);
	pid = symbolizer_worker_pid(fixture->symbolizer);
	kill(pid, SIGSTOP);
	start_ms = now_ms();
	for (uint32_t file = 0; file < 80; file++)
		fixture_add(fixture, file);
	assert_true(now_ms() - start_ms < 2000);
	kill(pid, SIGCONT);
	fixture_expect(fixture, 0, OFFSET, "first");
	fixture_expect(fixture, 63, OFFSET, "first");
	fixture_expect_status(fixture, 79, SYMBOL_NO_DESCRIPTORS); /* more than half of our descriptors at once */
	fixture_add(fixture, 80);
	fixture_expect(fixture, 80, OFFSET, "first");
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

SYMBOLIZER_TEST(supervisor_and_worker_end_with_their_caller)
{
	int pids[2], ends[2], child, pidfds[2];

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		struct symbolizer *symbolizer;

		symbolizer_new(&(struct symbolizer_options){}, &symbolizer);
		pids[0] = symbolizer_worker_pid(symbolizer);
		pids[1] = atoi(status_of(pids[0], "PPid"));
		if (write(ends[1], pids, sizeof(pids)) != sizeof(pids))
			_exit(1);
		pause();
	}
	assert_int_equal(read(ends[0], pids, sizeof(pids)), sizeof(pids));
	for (int i = 0; i < 2; i++)
		pidfds[i] = (int)syscall(SYS_pidfd_open, pids[i], 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	wait_gone(pidfds[0]);
	wait_gone(pidfds[1]);
	close(ends[0]);
	close(ends[1]);
	fixture_add(fixture, 0); /* ours is still there */
	fixture_expect(fixture, 0, OFFSET, "first");
}

SYMBOLIZER_TEST(nothing_is_left_behind)
{
	unsigned int before = nr_descriptors(getpid());

	for (int i = 0; i < 5; i++) {
		fixture_start(fixture, &(struct symbolizer_options){});
		fixture_add(fixture, 0);
		symbolizer_add_kernel(fixture->symbolizer, memory_file("a", 1));
		fixture_expect(fixture, 0, OFFSET, "first");
	}
	symbolizer_free(fixture->symbolizer);
	fixture->symbolizer = NULL;
	while (waitpid(-1, NULL, 0) > 0)
		; /* a supervisor that gets no CPU for a while is not waited for (supervisor.h), but ends all the same */
	assert_int_equal(errno, ECHILD);
	assert_true(nr_descriptors(getpid()) <= before);
}
