/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/files/debuginfod_asker.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/vec.h"
#include "core/files/opener.h"
#include "core/host/caller.h"

enum {
	NOBODY = 65534,
	SOCKET = 3, /* the only descriptor besides 0, 1 and 2, which are /dev/null */
	KILL_MS = 1000, /* the kernel's time to end a killed process */
	CPU_SECONDS = 20,
	DESCRIPTORS = 64,
	STATUS_NOT_FOUND = 127,
};

#define FILE_BYTES (4ull << 30)
#define MEMORY_BYTES (1ull << 30)

extern char **environ;

/* ---- descriptors and identity ---- */

static void keep_only(int socket)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 ||
	    (socket != SOCKET && dup3(socket, SOCKET, O_CLOEXEC) < 0) ||
	    syscall(SYS_close_range, SOCKET + 1, ~0U, 0) != 0)
		_exit(1);
}

/* Without CAP_SETPCAP the bounding set cannot be reduced; no_new_privs makes that harmless. Fails if we would stay root. */
static void become(const struct caller *caller)
{
	const struct caller nobody = { .other = true, .uid = NOBODY, .gid = NOBODY };
	const struct caller real = { .other = true, .uid = getuid(), .gid = getgid() };
	const struct caller *to = caller->other || geteuid() ? caller : getuid() ? &real : &nobody;
	cap_t none = cap_init();

	for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
		prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
	cap_reset_ambient();
	if (caller_become(to) || !none || cap_set_proc(none) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) || !geteuid())
		_exit(1);
	cap_free(none);
}

/* ---- environment ---- */

static bool is_kept(const char *variable)
{
	static const char *const kept[] = {
		"http_proxy=", "https_proxy=",   "HTTPS_PROXY=",  "all_proxy=",  "ALL_PROXY=", "no_proxy=",
		"NO_PROXY=",   "SSL_CERT_FILE=", "SSL_CERT_DIR=", "DEBUGINFOD_", "HOME=",      "XDG_CACHE_HOME=",
	};

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (!strncmp(variable, kept[i], strlen(kept[i])))
			return true;
	return false;
}

/* Keeps absolute directories only: relative ones depend on the working directory. */
static char *absolute_directories(const char *path)
{
	_cleanup_(buf_done) struct buf text = {};

	for (; path && *path; path += strcspn(path, ":"), path += *path == ':') {
		size_t length = strcspn(path, ":");

		if (*path == '/')
			buf_addf(&text, "%s%.*s", text.nr ? ":" : "", (int)length, path);
	}
	return xstrdup(text.nr ? buf_text(&text) : "/usr/bin:/bin");
}

/* Reads the file itself: getpwuid() needs modules of the C library, which a static program does not have. */
static char *home_of(uid_t uid)
{
	_cleanup_(fclosep) FILE *file = fopen("/etc/passwd", "re");
	struct passwd *entry;

	while (file && (entry = fgetpwent(file)))
		if (entry->pw_uid == uid)
			return xstrdup(entry->pw_dir);
	return NULL;
}

static bool may_write(const char *path)
{
	return path && *path == '/' && !access(path, W_OK | X_OK);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	remove(path);
	return 0;
}

/* Sets HOME, which decides where the cache is. Returns a directory that was made for it, or NULL. */
static char *set_home(bool is_other)
{
	const char *home = getenv(is_other ? "SUDO_HOME" : "HOME");
	_cleanup_(freep) char *said = home ? xstrdup(home) : is_other && getuid() != NOBODY ? home_of(getuid()) : NULL;
	char made[] = "/tmp/stacktool-debuginfod.XXXXXX";

	if (is_other)
		unsetenv("XDG_CACHE_HOME");
	if (is_other && !may_write(getenv("DEBUGINFOD_CACHE_PATH")))
		unsetenv("DEBUGINFOD_CACHE_PATH");
	if (said && (!is_other || may_write(said))) {
		setenv("HOME", said, 1);
		return NULL;
	}
	if (!mkdtemp(made))
		return NULL;
	setenv("HOME", made, 1);
	return xstrdup(made);
}

static void reduce_environment(void)
{
	_cleanup_(freep) char *path = absolute_directories(getenv("PATH"));
	VEC(char *) kept = {};

	for (char **variable = environ; *variable; variable++)
		if (is_kept(*variable))
			vec_push(&kept, xstrdup(*variable));
	clearenv();
	for (size_t i = 0; i < kept.nr; i++)
		putenv(kept.data[i]);
	vec_done(&kept);
	setenv("PATH", path, 1);
	setenv("HOME", "/", 0);
}

/* ---- children ---- */

struct child {
	pid_t pid;
	int pidfd;
	int output; /* its standard output, or a socket with its answer */
};

/* Waits until the descriptor is readable. False when the time is over, or the other end of our socket is closed. */
static bool wait_for(int fd, int64_t deadline_ms)
{
	for (;;) {
		struct pollfd waits[] = { { .fd = fd, .events = POLLIN }, { .fd = SOCKET } };
		int64_t left = deadline_ms - clock_monotonic_ms();
		int nr = left > 0 ? poll(waits, 2, (int)left) : 0;

		if (nr > 0 && waits[0].revents)
			return true;
		if (!nr || (nr < 0 && errno != EINTR) || waits[1].revents)
			return false;
	}
}

/*
 * Starts a child that leads a group and is killed when we end. It runs `be`, which does not return, with ends[1]. The parent closes that
 * end, and end_child() the other one. False if the child cannot be started.
 */
static bool start_child(void (*be)(char *what, int output), char *what, const int ends[2], struct child *ret_child)
{
	pid_t parent = getpid(), pid = fork();

	if (!pid) {
		setpgid(0, 0);
		if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) || getppid() != parent)
			_exit(1);
		be(what, ends[1]);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return false;
	}
	setpgid(pid, pid);
	*ret_child = (struct child){ pid, (int)syscall(SYS_pidfd_open, pid, 0), ends[0] };
	return true;
}

/* Kills the child and its group, before waitpid() frees its number. Returns its status, or -1 if it had not ended by itself. */
static int end_child(struct child *child, bool has_ended)
{
	struct pollfd end = { .fd = child->pidfd, .events = POLLIN };
	int status;

	close(child->output);
	kill(-child->pid, SIGKILL);
	if (!has_ended && poll(&end, 1, KILL_MS) != 1)
		status = -1; /* it hangs in the kernel; do not wait */
	else if (waitpid(child->pid, &status, 0) != child->pid || !has_ended)
		status = -1;
	closep(&child->pidfd);
	return status;
}

static void limit(__rlimit_resource_t resource, rlim_t value)
{
	struct rlimit now;

	if (getrlimit(resource, &now))
		_exit(1);
	now.rlim_max = now.rlim_max < value ? now.rlim_max : value;
	now.rlim_cur = now.rlim_max;
	if (setrlimit(resource, &now))
		_exit(1);
}

/* No RLIMIT_NPROC: it counts all processes of the user. */
static void be_program(char *build_id, int output)
{
	char *words[] = { (char *)"debuginfod-find", (char *)"debuginfo", build_id, NULL };

	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, CPU_SECONDS);
	limit(RLIMIT_FSIZE, FILE_BYTES);
	limit(RLIMIT_NOFILE, DESCRIPTORS);
	limit(RLIMIT_AS, MEMORY_BYTES);
	if (dup2(output, 1) == 1)
		execvp(words[0], words);
	_exit(errno == ENOENT ? STATUS_NOT_FOUND : 1);
}

/* Reads the program's output up to its end. False if that takes too long or does not fit. */
static bool read_all(int output, int64_t deadline_ms, char *ret_text, size_t room)
{
	size_t nr = 0;

	while (nr + 1 < room && wait_for(output, deadline_ms)) {
		ssize_t got = read(output, ret_text + nr, room - 1 - nr);

		if (got <= 0) {
			ret_text[nr] = '\0';
			return !got;
		}
		nr += (size_t)got;
	}
	return false;
}

/* Returns the program's status, or -1 if it could not be started or was killed. Its output is in `ret_text`. */
static int run_program(char *build_id, int64_t deadline_ms, char *ret_text, size_t room)
{
	struct child child;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) || !start_child(be_program, build_id, ends, &child))
		return -1;
	return end_child(&child,
			 read_all(child.output, deadline_ms, ret_text, room) && wait_for(child.pidfd, deadline_ms));
}

/* ---- the file ---- */

static int send_answer(int socket, enum asker_answer answer, int fd)
{
	struct iovec part = { &answer, sizeof(answer) };
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {};
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fd >= 0) {
		control.header = (struct cmsghdr){ CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
		message.msg_control = control.room;
		message.msg_controllen = sizeof(control.room);
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int debuginfod_asker_receive(int socket, enum asker_answer *ret_answer, int *ret_fd)
{
	struct iovec part = { ret_answer, sizeof(*ret_answer) };
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {};
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.room,
		.msg_controllen = sizeof(control.room),
	};
	ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	const struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;

	*ret_fd = -1;
	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
	    header->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(ret_fd, CMSG_DATA(header), sizeof(int));
	if (got == (ssize_t)sizeof(*ret_answer) && (*ret_answer == ASKER_FILE) == (*ret_fd >= 0))
		return 0;
	closep(ret_fd);
	*ret_fd = -1;
	return got <= 0 ? -EPIPE : -EPROTO;
}

/* The last line, if that is an absolute path, else NULL. */
static char *path_of(char *text)
{
	size_t length = strlen(text);
	char *line;

	if (length && text[length - 1] == '\n')
		text[length - 1] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	return *line == '/' ? line : NULL;
}

static void be_opener(char *path, int socket)
{
	int fd = opener_open(&(struct opener_request){ .path = path });

	send_answer(socket, fd < 0 ? ASKER_NONE : ASKER_FILE, fd);
	_exit(0);
}

/* A child opens the file, because a file system can take long. */
static int open_file(char *path, int64_t deadline_ms)
{
	enum asker_answer answer;
	struct child child;
	int ends[2], fd = -1;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) || !start_child(be_opener, path, ends, &child))
		return -1;
	if (wait_for(child.output, deadline_ms))
		debuginfod_asker_receive(child.output, &answer, &fd);
	end_child(&child, false);
	return fd;
}

/* ---- requests ---- */

static void answer_request(struct asker_request *request)
{
	int64_t deadline_ms = clock_monotonic_ms() + request->time_ms;
	char text[2 * PATH_MAX];
	int status = run_program(request->build_id, deadline_ms, text, sizeof(text));
	char *path = status ? NULL : path_of(text);
	_cleanup_(closep) int fd = path ? open_file(path, deadline_ms) : -1;
	bool is_missing = status > 0 && WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_FOUND;

	send_answer(SOCKET, is_missing ? ASKER_MISSING : fd < 0 ? ASKER_NONE : ASKER_FILE, fd);
}

_Noreturn void debuginfod_asker_run(int socket, const struct caller *caller)
{
	struct asker_request request;
	uid_t before = geteuid();
	sigset_t none;
	char *made;

	prctl(PR_SET_NAME, "stacktool-ask");
	keep_only(socket);
	setsid(); /* else the program could type into our terminal (TIOCSTI) */
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	become(caller);
	if (chdir("/"))
		_exit(1);
	made = set_home(geteuid() != before);
	reduce_environment();
	while (recv(SOCKET, &request, sizeof(request), 0) == (ssize_t)sizeof(request)) {
		request.build_id[sizeof(request.build_id) - 1] = '\0';
		answer_request(&request);
	}
	if (made)
		nftw(made, remove_one, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	_exit(0);
}
