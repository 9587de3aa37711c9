/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/host/privilege.c, each time in a child, because there is no way back. */
#include "core/host/privilege.h"

#include <sched.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "core/base/err.h"
#include "core/files/opener.h"
#include "core/host/process.h"
#include "tests/harness.h"

#define HAS(set, capability) (((set) >> (capability)) & 1)

static int run(int (*check)(void))
{
	int pid = fork(), status;

	if (!pid) {
		int result = check();

		if (result && err_cause()[0])
			fprintf(stderr, "%s (%s)\n", err_cause(), err_hint());
		fflush(stderr);
		_exit(result);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 200;
}

/* What the kernel says about this process, not libcap. */
static uint64_t status_set(const char *name)
{
	_cleanup_(fclosep) FILE *file = fopen("/proc/self/status", "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			return strtoull(line + strlen(name), NULL, 16);
	return UINT64_MAX;
}

static bool has_all_that_is_kept(void)
{
	uint64_t effective = status_set("CapEff:");

	if (HAS(effective, CAP_BPF) && HAS(effective, CAP_PERFMON) && HAS(effective, CAP_SYS_PTRACE) &&
	    HAS(effective, CAP_DAC_READ_SEARCH) && HAS(effective, CAP_CHECKPOINT_RESTORE) &&
	    HAS(effective, CAP_SYS_ADMIN))
		return true;
	print_message("this process has not the capabilities of root\n");
	return false;
}

static int drop_and_look(void)
{
	uint64_t expected = 1ULL << CAP_BPF | 1ULL << CAP_PERFMON | 1ULL << CAP_SYS_PTRACE |
			    1ULL << CAP_DAC_READ_SEARCH | 1ULL << CAP_CHECKPOINT_RESTORE;

	if (privilege_drop())
		return 1;
	if (status_set("CapEff:") != expected || status_set("CapPrm:") != expected)
		return 2;
	if (status_set("CapInh:") || status_set("CapAmb:"))
		return 3;
	if (status_set("CapBnd:") != expected)
		return 4;
	return status_set("NoNewPrivs:") == 1 ? 0 : 5;
}

TEST(only_what_is_needed_is_kept)
{
	if (!has_all_that_is_kept())
		skip();
	assert_int_equal(run(drop_and_look), 0);
}

static int hold(const cap_value_t *capabilities, int nr)
{
	cap_t set = cap_init();

	if (nr && (cap_set_flag(set, CAP_PERMITTED, nr, capabilities, CAP_SET) ||
		   cap_set_flag(set, CAP_EFFECTIVE, nr, capabilities, CAP_SET)))
		return -1;
	return cap_set_proc(set) || cap_free(set);
}

static int drop_with_sys_admin_only(void)
{
	static const cap_value_t held[] = { CAP_SYS_ADMIN, CAP_NET_ADMIN };

	if (hold(held, 2) || privilege_check() || privilege_drop())
		return 1;
	return status_set("CapEff:") == 1ULL << CAP_SYS_ADMIN ? 0 : 2;
}

TEST(sys_admin_stays_where_nothing_else_was_given)
{
	if (!has_all_that_is_kept())
		skip();
	assert_int_equal(run(drop_with_sys_admin_only), 0);
}

static int check_without_any(void)
{
	if (hold(NULL, 0) || privilege_check() != -EPERM || err_kind() != ERR_HOST)
		return 1;
	return strstr(err_cause(), "CAP_BPF and CAP_PERFMON") && err_hint()[0] ? 0 : 2;
}

static int check_without_one(void)
{
	static const cap_value_t held[] = { CAP_BPF };

	if (hold(held, 1) || privilege_check() != -EPERM)
		return 1;
	return strstr(err_cause(), "CAP_PERFMON") && !strstr(err_cause(), "CAP_BPF") ? 0 : 2;
}

static int note_what_is_poorer(void)
{
	static const cap_value_t held[] = { CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH };
	_cleanup_(buf_done) struct buf note = {};

	if (hold(held, 4) || privilege_check())
		return 1;
	privilege_note(&note);
	if (!strstr(buf_text(&note), "CAP_SYSLOG") || !strstr(buf_text(&note), "CAP_CHECKPOINT_RESTORE"))
		return 2;
	return strstr(buf_text(&note), "CAP_SYS_PTRACE") ? 3 : 0;
}

TEST(what_is_missing_is_named)
{
	if (!has_all_that_is_kept())
		skip();
	assert_int_equal(run(check_without_any), 0);
	assert_int_equal(run(check_without_one), 0);
	assert_int_equal(run(note_what_is_poorer), 0);
}

static int check_in_user_namespace(void)
{
	if (unshare(CLONE_NEWUSER))
		return 77;
	return privilege_check() == -EPERM && strstr(err_cause(), "user namespace") ? 0 : 1;
}

TEST(root_of_a_user_namespace_is_told_apart)
{
	int result = run(check_in_user_namespace);

	if (result == 77) {
		print_message("user namespaces cannot be made here\n");
		skip();
	}
	assert_int_equal(result, 0);
}

/* A process of another user with a file that only this user can read, deleted on top of it. */
static int start_stranger(const char *path, uint64_t *ret_code)
{
	int ends[2], pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		int fd = open(path, O_RDONLY);
		uint64_t code = (uintptr_t)mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

		unlink(path);
		if (setgid(65534) || setuid(65534) || write(ends[1], &code, sizeof(code)) != sizeof(code))
			_exit(99);
		pause();
	}
	assert_int_equal(read(ends[0], ret_code, sizeof(*ret_code)), sizeof(*ret_code));
	close(ends[0]);
	close(ends[1]);
	return pid;
}

static uint32_t stranger;
static uint64_t stranger_code;

static int reach_stranger_after_drop(void)
{
	struct opener_request request = {
		.tgid = stranger,
		.start = stranger_code,
		.end = stranger_code + 4096,
		.path = "/gone",
	};
	_cleanup_(closep) int root = -1, fd = -1, maps = -1;
	char path[64];

	if (privilege_drop())
		return 1;
	snprintf(path, sizeof(path), "/proc/%u/maps", stranger);
	maps = open(path, O_RDONLY);
	if (maps < 0)
		return 2;
	root = opener_root(stranger);
	if (root < 0)
		return 3;
	fd = opener_open(&request);
	if (fd < 0)
		return 4;
	if (process_living_task(stranger) != stranger || process_has_ended(stranger))
		return 5;
	return access("/proc/self/fd/0", F_OK) ? 6 : 0;
}

TEST(files_of_other_users_still_open_after_the_drop)
{
	static const char path[] = "/tmp/stacktool-private";
	char text[4096] = "private";
	int fd, result;

	if (!has_all_that_is_kept())
		skip();
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
	close(fd);
	stranger = (uint32_t)start_stranger(path, &stranger_code);
	result = run(reach_stranger_after_drop);
	kill((int)stranger, SIGKILL);
	waitpid((int)stranger, NULL, 0);
	assert_int_equal(result, 0);
}

static int describe(void)
{
	_cleanup_(buf_done) struct buf text = {};

	if (privilege_drop())
		return 1;
	privilege_describe(&text);
	return strstr(buf_text(&text), "CAP_BPF: ") && !strstr(buf_text(&text), "CAP_SYSLOG") &&
			       !strstr(buf_text(&text), "CAP_SYS_ADMIN")
		       ? 0
		       : 2;
}

TEST(what_is_kept_is_described)
{
	if (!has_all_that_is_kept())
		skip();
	assert_int_equal(run(describe), 0);
}
