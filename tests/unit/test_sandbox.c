/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a confined process can still do, and what it cannot. */
#include "symbolize/symbolize.h"
#include "symbolize/worker/sandbox.h"

#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/harness.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

typedef bool action(void);

/* Attempts something in a confined child; the wait status of the child, which exits 0 when it succeeded. */
static int run_confined(action *attempt)
{
	int status, child = fork();

	if (child == 0) {
		if (sandbox_drop_privileges() || sandbox_confine(60, 256, 512))
			_exit(2);
		_exit(attempt() ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static bool open_a_file(void)
{
	return open("/dev/null", O_RDONLY) >= 0;
}

static bool look_at_a_path(void)
{
	struct stat status;

	return stat("/etc/passwd", &status) == 0;
}

static bool make_a_socket(void)
{
	return socket(AF_INET, SOCK_DGRAM, 0) >= 0;
}

static bool fork_a_child(void)
{
	return fork() >= 0;
}

static bool run_a_program(void)
{
	return execl("/bin/true", "true", NULL) == 0;
}

static bool kill_somebody(void)
{
	return kill(getppid(), 0) == 0;
}

static bool become_root(void)
{
	return setuid(0) == 0;
}

static bool raise_a_limit(void)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	return setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

static bool map_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

static bool make_data_executable(void)
{
	void *data = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (data == MAP_FAILED || mprotect(data, 4096, PROT_READ))
		return true; /* these are allowed */
	return !mprotect(data, 4096, PROT_READ | PROT_EXEC);
}

TEST(what_the_worker_does_not_need_ends_it)
{
	static action *const actions[] = { open_a_file,   look_at_a_path,      make_a_socket, fork_a_child,
					   run_a_program, kill_somebody,       become_root,   raise_a_limit,
					   map_code,      make_data_executable };

	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++) {
		int status = run_confined(actions[i]);

		if (SANITIZED) /* the softer cage refuses instead */
			assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 1);
		else
			assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
	}
}

static bool use_memory(void)
{
	for (size_t nr_bytes = 16; nr_bytes < 64u << 20; nr_bytes *= 2) {
		char *memory = malloc(nr_bytes);

		if (!memory)
			return false;
		memset(memory, 1, nr_bytes);
		memory = realloc(memory, nr_bytes + nr_bytes / 2);
		if (!memory)
			return false;
		free(memory);
	}
	return true;
}

TEST(ordinary_work_goes_on)
{
	int status = run_confined(use_memory);

	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* The address space of a sanitized program cannot be limited. */
#if !SANITIZED
static bool take_a_gigabyte(void)
{
	return mmap(NULL, 1u << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

TEST(memory_is_limited)
{
	int status;

	status = run_confined(take_a_gigabyte);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}
#endif

/* Which descriptors from 0 to 9 are open after sandbox_keep_only(), as bits. */
static int descriptors_left(int kept, bool close_standard)
{
	int status, child = fork();

	if (child == 0) {
		int open_ones = 0;

		if (close_standard)
			for (int fd = 0; fd < 3; fd++)
				if (fd != kept)
					close(fd);
		if (sandbox_keep_only(kept) != 3)
			_exit(255);
		for (int fd = 0; fd < 8; fd++)
			open_ones |= (fcntl(fd, F_GETFD) >= 0) << fd;
		_exit(open_ones);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WEXITSTATUS(status);
}

TEST(one_descriptor_is_kept_and_becomes_the_fourth)
{
	int pair[2], high;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	high = fcntl(pair[0], F_DUPFD, 100);
	assert_int_equal(descriptors_left(pair[0], false), 0x0f);
	assert_int_equal(descriptors_left(pair[1], false), 0x0f);
	assert_int_equal(descriptors_left(high, false), 0x0f);
	if (!SANITIZED)
		assert_int_equal(descriptors_left(pair[0], true), 0x0f);
	close(high);
	close(pair[0]);
	close(pair[1]);
}

static int wait_for(int child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static bool maps_all_users(void)
{
	_cleanup_(closep) int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
	unsigned int inside, outside, nr = 0;
	char line[64] = "";

	assert_true(read(fd, line, sizeof(line) - 1) > 0);
	return sscanf(line, "%u %u %u", &inside, &outside, &nr) == 3 && nr == UINT32_MAX;
}

/* The user and the group that a child gets. */
static void drop_in_child(uid_t *ret_user, gid_t *ret_group)
{
	uid_t *ids = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int child;

	assert_true(ids != MAP_FAILED);
	child = fork();
	if (!child) {
		int err = sandbox_drop_privileges();

		ids[0] = getuid();
		ids[1] = getgid();
		_exit(err || kill(getppid(), 0) == 0);
	}
	assert_int_equal(WEXITSTATUS(wait_for(child)), 0);
	*ret_user = ids[0];
	*ret_group = ids[1];
	munmap(ids, 4096);
}

/* So nobody's processes cannot kill it, nor it another one. */
TEST(each_is_a_user_of_its_own)
{
	uid_t users[2];
	gid_t groups[2];

	if (geteuid() || !maps_all_users()) {
		print_message("SKIP: not root of a user namespace with all users\n");
		skip();
	}
	for (int i = 0; i < 2; i++)
		drop_in_child(&users[i], &groups[i]);
	assert_int_not_equal(users[0], users[1]);
	for (int i = 0; i < 2; i++) {
		assert_in_range(users[i], 0x70000000, 0x7ffdffff);
		assert_int_equal(groups[i], users[i]);
	}
}

#if !SANITIZED /* a sanitized build has no filter there */
static bool supervise(void)
{
	int ends[2], status, child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		return false;
	child = fork();
	if (!child)
		_exit(0);
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

static bool make_a_namespace(void)
{
	return syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL) >= 0;
}

static bool execute(void)
{
	execl("/bin/true", "true", (char *)NULL);
	return errno != EPERM;
}

/* The process that starts workers can do that, and little else. */
TEST(the_supervisor_starts_and_ends_processes_only)
{
	static action *const refused[] = { open_a_file, look_at_a_path, make_a_socket, make_a_namespace, execute };
	int status, child = fork();

	if (!child) {
		if (sandbox_drop_privileges() || sandbox_filter_supervisor() || !supervise())
			_exit(100);
		for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
			if (refused[i]() || errno != EPERM)
				_exit(1 + (int)i);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}
#endif

TEST(an_orphan_notices_at_once)
{
	assert_int_equal(sandbox_follow_parent(getppid() + 1), -ESRCH);
}

/* sandbox_lacks() of a process for which the kernel seems to lack this call. */
static unsigned int lacks_without(int call)
{
	int status, child = fork();

	if (!child) {
		scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

		if (!filter || seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), call, 0) || seccomp_load(filter))
			_exit(99);
		_exit((int)sandbox_lacks());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return (unsigned int)WEXITSTATUS(status);
}

TEST(a_kernel_without_filters_or_landlock_is_noticed)
{
	bool has_landlock = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
	unsigned int lacks = has_landlock ? 0 : CONFINED_WITHOUT_LANDLOCK;

	if (!SANITIZED)
		assert_int_equal(sandbox_lacks(), lacks);
	assert_true(sandbox_has_filter());
	assert_int_equal(lacks_without(SCMP_SYS(seccomp)), lacks | CONFINED_WITHOUT_FILTER);
	assert_int_equal(lacks_without(SCMP_SYS(landlock_create_ruleset)), CONFINED_WITHOUT_LANDLOCK);
}
