/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/descriptors.h"
#include "core/base/err.h"
#include "core/base/vec.h"

#define MAX_TEXT (1024UL * 1024)
#define MAX_ANCESTORS 256
#define INITIAL_PIDNS_INODE 0xeffffffc /* PROC_PID_INIT_INO, include/linux/proc_ns.h */

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL
#endif

/* ---- /proc/PID/stat and status ---- */

/* Reads a file of /proc/PID (0: self), up to 1 MiB: 65,536 groups take 720 kB of a status, and needed lines follow them. */
static int read_text(uint32_t pid, const char *name, struct buf *ret_text)
{
	_cleanup_(closep) int fd = -1;
	char process[16] = "self", path[64], piece[4096];
	ssize_t nr_read;

	if (pid)
		snprintf(process, sizeof(process), "%" PRIu32, pid);
	snprintf(path, sizeof(path), "/proc/%s/%s", process, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	nr_read = fd < 0 ? -1 : read(fd, piece, sizeof(piece));
	while (nr_read > 0 && ret_text->nr < MAX_TEXT) {
		buf_add(ret_text, piece, (size_t)nr_read);
		nr_read = read(fd, piece, sizeof(piece));
	}
	return nr_read < 0 ? -errno : 0;
}

/* The text after `name`, such as "\nUid:", in a status; "\n" if it is not there. */
static const char *line_of(const struct buf *status, const char *name)
{
	const char *at = strstr(buf_text(status), name);

	return at ? at + strlen(name) : "\n";
}

/* The number at index `n` of a line of a status, or the last one if there are fewer; 0: none. */
static uint32_t number_of_line(const struct buf *status, const char *name, int n)
{
	const char *at = line_of(status, name);
	unsigned long number = 0;

	for (int i = 0; i <= n && *at != '\n' && *at; i++) {
		char *end;

		number = strtoul(at, &end, 10);
		at = end + strspn(end, "\t ");
	}
	return (uint32_t)number;
}

char process_state(uint32_t pid)
{
	_cleanup_(buf_done) struct buf status = {};

	return read_text(pid, "status", &status) ? '\0' : *line_of(&status, "\nState:\t");
}

void process_continue(pid_t pid)
{
	if (process_state((uint32_t)pid) == 'T')
		kill(pid, SIGCONT);
}

static bool is_dead(uint32_t pid)
{
	char state = process_state(pid);

	return state == 'Z' || state == 'X';
}

static bool has_memory(uint32_t pid)
{
	return !strchr("ZX", process_state(pid)); /* strchr() also finds the 0 of an unknown state */
}

uint32_t process_living_task(uint32_t tgid)
{
	char path[64];
	uint32_t living = tgid;
	const struct dirent *entry;
	_cleanup_(closedirp) DIR *tasks = NULL;

	if (has_memory(tgid))
		return tgid;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", tgid);
	tasks = opendir(path);
	while (tasks && living == tgid && (entry = readdir(tasks))) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (tid && tid != tgid && has_memory(tid))
			living = tid;
	}
	return living;
}

int process_identity(uint32_t tgid, uint32_t *ret_inner_tgid, uint32_t *ret_user)
{
	_cleanup_(buf_done) struct buf status = {};

	if (read_text(tgid, "status", &status))
		return -ESRCH;
	*ret_inner_tgid = number_of_line(&status, "\nNStgid:", INT_MAX);
	if (!*ret_inner_tgid)
		*ret_inner_tgid = tgid; /* a kernel without pid namespaces */
	*ret_user = number_of_line(&status, "\nUid:", 1);
	return 0;
}

uint32_t process_inner_tid(uint32_t tid)
{
	_cleanup_(buf_done) struct buf status = {};
	uint32_t inner = read_text(tid, "status", &status) ? 0 : number_of_line(&status, "\nNSpid:", INT_MAX);

	return inner ?: tid;
}

/* "Groups:\t24 27 1000 " */
static void read_groups(const struct buf *status, gid_t **ret_groups, size_t *ret_nr)
{
	const char *at = line_of(status, "\nGroups:");
	VEC(gid_t) groups = {};
	char *end;

	for (at += strspn(at, "\t "); *at >= '0' && *at <= '9'; at = end + strspn(end, " "))
		vec_push(&groups, (gid_t)strtoul(at, &end, 10));
	*ret_groups = groups.data;
	*ret_nr = groups.nr;
}

bool process_groups_of_caller(uint32_t user, gid_t **ret_groups, size_t *ret_nr)
{
	_cleanup_(buf_done) struct buf status = {};
	uint32_t pid = (uint32_t)getppid();

	for (int depth = 0; depth < MAX_ANCESTORS && pid && !read_text(pid, "status", &status); depth++) {
		if (strstr(buf_text(&status), "\nUid:") && number_of_line(&status, "\nUid:", 0) == user) {
			read_groups(&status, ret_groups, ret_nr);
			return true;
		}
		pid = number_of_line(&status, "\nPPid:", 0);
		buf_clear(&status);
	}
	return false;
}

/* Field 22 of stat is start_boottime. The comm, field 2, can contain spaces and parentheses: the last ')' ends it. */
static int read_start(uint32_t pid, uint64_t *ret_boot_ns)
{
	_cleanup_(buf_done) struct buf text = {};
	int err = read_text(pid, "stat", &text);
	const char *at = strrchr(buf_text(&text), ')');
	unsigned long long ticks;

	if (err)
		return err;
	for (int field = 3; at && field <= 22; field++)
		at = strchr(at + 1, ' ');
	if (!at || sscanf(at, "%llu", &ticks) != 1)
		return -EBADMSG;
	*ret_boot_ns = ticks * (NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK));
	return 0;
}

/* Subtracts all time for which the host was suspended. The part of it after the start makes the result too early, never too late. */
int process_start_time(uint32_t tgid, uint64_t *ret_start_ns)
{
	uint64_t now_ns = clock_monotonic_ns(), slept_ns = clock_now_ns(CLOCK_BOOTTIME) - now_ns, start_ns;
	int err = read_start(tgid, &start_ns);

	if (err)
		return err;
	*ret_start_ns = start_ns > slept_ns ? start_ns - slept_ns : 0;
	return 0;
}

/* Parses "boottime SECONDS NANOSECONDS". /proc adds this offset. */
static bool has_clocks_of_its_own(void)
{
	_cleanup_(buf_done) struct buf offsets = {};
	const char *at;

	if (read_text(0, "timens_offsets", &offsets))
		return false; /* no time namespaces */
	at = strstr(buf_text(&offsets), "boottime");
	at = at ? at + strlen("boottime") : "";
	return at[strspn(at, " \t0")] != '\n';
}

int process_start_boot(uint32_t pid, uint64_t *ret_start_ns)
{
	int err = read_start(pid, ret_start_ns);

	if (!err && has_clocks_of_its_own())
		*ret_start_ns = 0;
	return err;
}

/* ---- existence ---- */

bool process_has_ended(uint32_t tgid)
{
	/* kill() takes 0 and negative numbers for groups */
	return !tgid || tgid > INT_MAX || (kill((pid_t)tgid, 0) && errno == ESRCH);
}

int process_exists(uint32_t tgid)
{
	_cleanup_(buf_done) struct buf status = {};
	uint32_t owner;

	if (process_has_ended(tgid))
		return fail(-ESRCH, "process %" PRIu32 ": no such process", tgid);
	owner = read_text(tgid, "status", &status) ? 0 : number_of_line(&status, "\nTgid:", 0);
	if (owner && owner != tgid) {
		fail(-ESRCH, "process %" PRIu32 ": no such process: it is a thread of process %" PRIu32, tgid, owner);
		hint("use the option for threads, or give the id of its process");
		return -ESRCH;
	}
	if (is_dead(process_living_task(tgid)))
		return fail(-ESRCH, "process %" PRIu32 ": has ended (zombie)", tgid);
	return 0;
}

/* kill() also accepts ids of threads. */
int process_thread_exists(uint32_t tid)
{
	if (process_has_ended(tid))
		return fail(-ESRCH, "thread %" PRIu32 ": no such thread", tid);
	if (is_dead(tid))
		return fail(-ESRCH, "thread %" PRIu32 ": has ended (zombie)", tid);
	return 0;
}

#define MOST_NAMED 8

/* process_require() for one list. */
static int require(const char *what, int (*exists)(uint32_t id), const uint32_t *ids, size_t nr,
		   struct buf *ret_missing)
{
	VEC(uint32_t) missing = {};
	int err = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!exists(ids[i]))
			continue;
		err_clear();
		vec_push(&missing, ids[i]);
	}
	if (missing.nr && missing.nr == nr) {
		err = exists(ids[0]);
	} else if (missing.nr) {
		buf_addf(ret_missing, "%zu of %zu %s %s not found (", missing.nr, nr, what,
			 missing.nr == 1 ? "is" : "are");
		for (size_t i = 0; i < missing.nr && i < MOST_NAMED; i++)
			buf_addf(ret_missing, "%s%" PRIu32, i ? ", " : "", missing.data[i]);
		buf_adds(ret_missing, missing.nr > MOST_NAMED ? ", …)" : ")");
	}
	vec_done(&missing);
	return err;
}

int process_require(const uint32_t *tgids, size_t nr_tgids, const uint32_t *tids, size_t nr_tids,
		    struct buf *ret_missing)
{
	return require("processes", process_exists, tgids, nr_tgids, ret_missing)
		       ?: require("threads", process_thread_exists, tids, nr_tids, ret_missing);
}

/* ---- namespaces ---- */

int process_pidns(uint64_t *ret_device, uint64_t *ret_inode)
{
	struct stat status;

	if (stat("/proc/self/ns/pid", &status))
		return fail_host(-errno, "/proc/self/ns/pid: %s", strerror(errno));
	if (status.st_ino == INITIAL_PIDNS_INODE)
		return 0;
	/* the kernel's dev_t has the major number above 20 bits; that of stat() has not */
	*ret_device = (uint64_t)major(status.st_dev) << 20 | minor(status.st_dev);
	*ret_inode = status.st_ino;
	return 1;
}

/* NSpid lists our pid in the namespace of /proc and in each one below it down to ours: one number if they are the same. */
int process_require_proc(void)
{
	_cleanup_(buf_done) struct buf status = {};
	int err = read_text(0, "status", &status);
	char *end;

	if (err == -EMFILE || err == -ENFILE)
		return fail(err, "/proc/self/status: cannot be opened: %s", strerror(-err));
	if (err) {
		fail_host(-ENOENT, "/proc: not mounted, or it does not show this process");
		hint("in a new pid namespace: mount -t proc proc /proc, or unshare --mount-proc");
		return -ENOENT;
	}
	strtoul(line_of(&status, "\nNSpid:"), &end, 10);
	if (*end == '\n') /* also without the line: CONFIG_PID_NS is not set */
		return 0;
	fail_host(-EXDEV, "/proc: shows the processes of another pid namespace");
	hint("mount -t proc proc /proc, or unshare --mount-proc");
	return -EXDEV;
}

struct watched {
	uint32_t pid;
	int fd; /* negative: none; process_watch_left() checks the process */
	bool ended;
	bool was_dead; /* when the watch began */
};

struct process_watch {
	int epoll_fd;
	VEC(struct watched) watched;
};

static int watch_one(struct process_watch *watch, uint32_t pid, bool is_thread)
{
	struct watched watched = { .pid = pid };
	struct epoll_event readable = { .events = EPOLLIN, .data.u64 = watch->watched.nr };

	watched.fd = (int)syscall(SYS_pidfd_open, pid, is_thread ? PIDFD_THREAD : 0);
	watched.fd = watched.fd < 0 ? -errno : watched.fd;
	watched.was_dead = (is_thread ? process_thread_exists : process_exists)(pid) || watched.fd == -ENOENT;
	err_clear();
	if (watched.was_dead || watched.fd == -ESRCH) {
		closep(&watched.fd);
		watched.ended = true;
	} else if (watched.fd < 0 && watched.fd != -EINVAL && watched.fd != -ENOSYS && watched.fd != -EPERM) {
		return fail(watched.fd, "%s %" PRIu32 ": pidfd_open: %s", is_thread ? "thread" : "process", pid,
			    strerror(-watched.fd));
	}
	vec_push(&watch->watched, watched);
	if (watched.fd >= 0 && epoll_ctl(watch->epoll_fd, EPOLL_CTL_ADD, watched.fd, &readable))
		return fail(-errno, "process %" PRIu32 ": epoll: %s", pid, strerror(errno));
	return 0;
}

int process_watch_new(const uint32_t *tgids, size_t nr_tgids, const uint32_t *tids, size_t nr_tids,
		      struct process_watch **ret_watch)
{
	struct process_watch *watch = xcalloc(1, sizeof(*watch));
	int err = 0;

	descriptors_allow(nr_tgids + nr_tids);
	watch->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (watch->epoll_fd < 0)
		err = fail(-errno, "epoll_create: %s", strerror(errno));
	for (size_t i = 0; !err && i < nr_tgids; i++)
		err = watch_one(watch, tgids[i], false);
	for (size_t i = 0; !err && i < nr_tids; i++)
		err = watch_one(watch, tids[i], true);
	if (err)
		process_watch_free(watch);
	else
		*ret_watch = watch;
	return err;
}

void process_watch_free(struct process_watch *watch)
{
	if (!watch)
		return;
	for (size_t i = 0; i < watch->watched.nr; i++)
		closep(&watch->watched.data[i].fd);
	vec_done(&watch->watched);
	closep(&watch->epoll_fd);
	free(watch);
}

int process_watch_fd(const struct process_watch *watch)
{
	return watch->epoll_fd;
}

/* Closes the pidfd of each process that has ended: it would stay readable, and the caller's epoll would return at once. */
static void take_ended(struct process_watch *watch)
{
	struct epoll_event events[16];
	int nr;

	do {
		nr = epoll_wait(watch->epoll_fd, events, 16, 0);
		for (int i = 0; i < nr; i++) {
			struct watched *watched = &watch->watched.data[events[i].data.u64];

			watched->ended = true;
			closep(&watched->fd);
		}
	} while (nr > 0);
}

bool process_watch_has_ended(const struct process_watch *watch, size_t index)
{
	const struct watched *watched = index < watch->watched.nr ? &watch->watched.data[index] : NULL;

	return watched && watched->ended && !watched->was_dead;
}

size_t process_watch_left(struct process_watch *watch)
{
	size_t nr_left = 0;

	take_ended(watch);
	for (size_t i = 0; i < watch->watched.nr; i++) {
		struct watched *watched = &watch->watched.data[i];

		if (watched->fd < 0 && !watched->ended)
			watched->ended = process_has_ended(watched->pid);
		nr_left += !watched->ended;
	}
	return nr_left;
}
