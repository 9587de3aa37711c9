/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/call_filter.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/replace.h"
#include "core/base/waiting.h"
#include "core/host/privilege.h"
#include "core/host/process.h"

enum {
	SOCKET = 3, /* the only descriptor apart from 0 to 2, which are /dev/null */
	LOOK_MS = 100,
	UNWANTED_MS = 3000, /* for an answer that the user does not want to wait for */
	END_MS = 2000,
};

enum wish {
	WRITER_BEGIN,
	WRITER_FINISH,
	WRITER_DROP,
	WRITER_REMOVE,
};

struct request {
	enum wish wish;
	char path[PATH_MAX];
};

struct answer {
	int err;
	struct err_saved cause;
};

/* Room for one descriptor. */
union passed {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static int send_answer(const struct answer *answer, int fd)
{
	union passed passed = {};
	struct iovec bytes = { (void *)answer, sizeof(*answer) };
	struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1 };

	if (fd >= 0) {
		passed.header = (struct cmsghdr){ CMSG_LEN(sizeof(fd)), SOL_SOCKET, SCM_RIGHTS };
		memcpy(CMSG_DATA(&passed.header), &fd, sizeof(fd));
		message.msg_control = &passed;
		message.msg_controllen = sizeof(passed);
	}
	return sendmsg(SOCKET, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static bool receive_answer(int socket, struct answer *ret_answer, int *ret_fd)
{
	union passed passed = {};
	struct iovec bytes = { ret_answer, sizeof(*ret_answer) };
	struct msghdr message = {
		.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &passed, .msg_controllen = sizeof(passed)
	};
	ssize_t nr;

	do
		nr = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	while (nr < 0 && errno == EINTR);
	*ret_fd = -1;
	if (message.msg_controllen && passed.header.cmsg_type == SCM_RIGHTS)
		memcpy(ret_fd, CMSG_DATA(&passed.header), sizeof(*ret_fd));
	return nr == sizeof(*ret_answer);
}

/* ---- in the writer ---- */

static const struct sock_filter writer_calls[] = {
	CALLS_BEGIN,
	CALLS_ALLOW(SYS_recvfrom),
	CALLS_ALLOW(SYS_sendmsg),
	CALLS_ALLOW(SYS_openat),
	CALLS_ALLOW(SYS_newfstatat),
	CALLS_ALLOW(SYS_fstat),
	CALLS_ALLOW(SYS_faccessat),
	CALLS_ALLOW(SYS_faccessat2),
	CALLS_ALLOW(SYS_fcntl),
	CALLS_ALLOW(SYS_fsync),
	CALLS_ALLOW(SYS_fchown),
	CALLS_ALLOW(SYS_renameat),
	CALLS_ALLOW(SYS_unlinkat),
#ifdef SYS_unlink
	CALLS_ALLOW(SYS_unlink),
#endif
	CALLS_ALLOW(SYS_lseek),
	CALLS_ALLOW(SYS_close),
	CALLS_ALLOW(SYS_getrandom),
	CALLS_ALLOW(SYS_getpid),
	CALLS_ALLOW(SYS_getuid),
	CALLS_ALLOW(SYS_getgid),
	CALLS_ALLOW(SYS_geteuid),
	CALLS_ALLOW(SYS_getegid),
	CALLS_ALLOW(SYS_prlimit64),
	CALLS_ALLOW(SYS_brk),
	CALLS_ALLOW(SYS_munmap),
	CALLS_ALLOW(SYS_mmap),
	CALLS_ALLOW(SYS_mremap),
	CALLS_ALLOW(SYS_madvise),
	CALLS_ALLOW(SYS_futex),
	CALLS_ALLOW(SYS_rt_sigprocmask),
	CALLS_ALLOW(SYS_rt_sigreturn),
	CALLS_ALLOW(SYS_exit_group),
	CALLS_REFUSE_REST,
};

/* The filter of a sanitized build would have to know what the sanitizer calls. */
#ifdef __SANITIZE_ADDRESS__
#define SANITIZED true
#else
#define SANITIZED false
#endif

static int confine(void)
{
	int err = privilege_keep_writing(replace_gives_away());

	return err || SANITIZED ? err : call_filter_begin(writer_calls, sizeof(writer_calls) / sizeof(*writer_calls));
}

static void keep_only(int socket)
{
	_cleanup_(closep) int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
	    (socket != SOCKET && dup3(socket, SOCKET, O_CLOEXEC) < 0) ||
	    syscall(SYS_close_range, SOCKET + 1, ~0U, 0) != 0)
		_exit(1);
	null = -1;
}

/* The file that was begun. It keeps its own path, because a later request may have another one. */
struct begun {
	struct replacement file;
	char path[PATH_MAX];
};

static int begin(struct begun *begun, const char *path)
{
	if (begun->file.out)
		return fail(-EBUSY, "'%s': another file is open", path);
	memcpy(begun->path, path, sizeof(begun->path));
	return replace_begin(begun->path, &begun->file);
}

static int end(struct begun *begun, int err)
{
	struct replacement file = begun->file;

	begun->file.out = NULL;
	return file.out ? replace_end(&file, err) : 0;
}

static int carry_out(const struct request *request, struct begun *begun)
{
	switch (request->wish) {
	case WRITER_BEGIN:
		return begin(begun, request->path);
	case WRITER_FINISH:
		return end(begun, 0);
	case WRITER_DROP:
		return end(begun, -ECANCELED);
	case WRITER_REMOVE:
		return replace_remove(request->path);
	}
	return -EINVAL;
}

static _Noreturn void be_writer(int socket, bool (*fits)(const void *context, const char *path), const void *context)
{
	static struct request request;
	static struct begun begun;
	sigset_t all;
	int err = 0;

	prctl(PR_SET_NAME, "stacktool-write");
	sigfillset(&all); /* signals for the process group must not end it: it ends with its socket */
	sigprocmask(SIG_SETMASK, &all, NULL);
	keep_only(socket);
	if (confine())
		_exit(1);
	while (!err && recv(SOCKET, &request, sizeof(request), 0) == (ssize_t)sizeof(request)) {
		struct answer answer = {};

		request.path[sizeof(request.path) - 1] = '\0';
		err_clear();
		if (fits(context, request.path))
			answer.err = carry_out(&request, &begun);
		else
			answer.err = fail(-EPERM, "'%s': is not a file of this run", request.path);
		answer.cause = err_save();
		err = send_answer(&answer, request.wish == WRITER_BEGIN && !answer.err ? fileno(begun.file.out) : -1);
	}
	end(&begun, -ECANCELED);
	_exit(0);
}

/* ---- in the caller ---- */

static struct writer *writers;

/* False: it does not answer, and the user does not want to wait. */
static bool await_answer(const struct writer_process *process)
{
	struct pollfd answer = { .fd = process->socket, .events = POLLIN };
	int waited_ms = 0;

	while (waited_ms < UNWANTED_MS && poll(&answer, 1, LOOK_MS) <= 0) {
		process_continue(process->pid);
		waited_ms += waiting_is_unwanted() ? LOOK_MS : 0;
	}
	return waited_ms < UNWANTED_MS;
}

/* False if the writer has ended or does not answer. An answer that comes later would be taken for that to another request. */
static bool exchange(struct writer_process *process, const struct request *request, struct answer *ret_answer,
		     int *ret_fd)
{
	if (send(process->socket, request, sizeof(*request), MSG_NOSIGNAL) == (ssize_t)sizeof(*request) &&
	    await_answer(process) && receive_answer(process->socket, ret_answer, ret_fd))
		return true;
	closep(&process->socket);
	process->socket = -1;
	return false;
}

/* The next writer takes over, but not a file that its predecessor has begun. */
static int ask(enum wish wish, const char *path, int *ret_fd)
{
	bool is_first = wish == WRITER_BEGIN || wish == WRITER_REMOVE;
	static struct request request;
	struct answer answer;

	if (strlen(path) >= sizeof(request.path))
		return fail(-ENAMETOOLONG, "'%s': %s", path, strerror(ENAMETOOLONG));
	request.wish = wish;
	memcpy(request.path, path, strlen(path) + 1);
	while (!exchange(&writers->processes[writers->current], &request, &answer, ret_fd)) {
		if (!is_first || writers->current + 1 == WRITERS)
			return fail(-EIO, "'%s': cannot be written: the process that writes files %s", path,
				    waiting_is_unwanted() ? "has ended, or does not answer" : "has ended");
		writers->current++;
	}
	if (answer.err)
		err_restore(&answer.cause);
	return answer.err;
}

static int ask_begin(const char *path, int *ret_fd)
{
	int err = ask(WRITER_BEGIN, path, ret_fd);

	return !err && *ret_fd < 0 ? fail(-EMFILE, "'%s': %s", path, strerror(EMFILE)) : err;
}

static int ask_end(const char *path, bool is_whole)
{
	int fd;

	return ask(is_whole ? WRITER_FINISH : WRITER_DROP, path, &fd);
}

static int ask_remove(const char *path)
{
	int fd;

	return ask(WRITER_REMOVE, path, &fd);
}

static int start_one(struct writer_process *process, bool (*fits)(const void *context, const char *path),
		     const void *context)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return fail(-errno, "socket: %s", strerror(errno));
	pid = fork();
	if (pid < 0) {
		int err = fail_start(-errno, "the process that writes files");

		close(ends[0]);
		close(ends[1]);
		return err;
	}
	if (!pid)
		be_writer(ends[1], fits, context);
	close(ends[1]);
	*process = (struct writer_process){ pid, ends[0] };
	return 0;
}

int writer_start(struct writer *writer, bool (*fits)(const void *context, const char *path), const void *context)
{
	static const struct replace_agent agent = { ask_begin, ask_end, ask_remove };

	for (size_t i = 0; i < WRITERS; i++) {
		int err = start_one(&writer->processes[i], fits, context);

		if (err)
			return err;
	}
	writers = writer;
	replace_by(&agent);
	return 0;
}

/* It ends with its socket. One that hangs in a file system is killed, and left if that does not help. */
static void await_end(pid_t pid)
{
	const struct timespec moment = { .tv_nsec = NSEC_PER_MSEC };

	for (int ms = 0; ms < END_MS && !waitpid(pid, NULL, WNOHANG); ms++) {
		process_continue(pid);
		if (ms == END_MS / 2)
			kill(pid, SIGKILL);
		nanosleep(&moment, NULL);
	}
}

void writer_stop(struct writer *writer)
{
	replace_by(NULL);
	for (size_t i = 0; i < WRITERS && writer->processes[i].pid; i++) {
		closep(&writer->processes[i].socket);
		await_end(writer->processes[i].pid);
		writer->processes[i].pid = 0;
	}
}
