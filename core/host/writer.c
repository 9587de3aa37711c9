/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/call_filter.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/names.h"
#include "core/base/replace.h"
#include "core/base/waiting.h"
#include "core/host/privilege.h"
#include "core/host/process.h"

enum {
	SOCKET = 3, /* besides 0 and 1, which are /dev/null, and 2, standard error */
	LOOK_MS = 100,
	LINE_MS = 1000,
	UNWANTED_MS = 3000, /* for an answer, if the user does not want to wait */
	END_MS = 2000,
	PIPE_BYTES = 1 << 20,
	PIECE_BYTES = 1 << 16,
};

enum wish {
	WRITER_BEGIN,
	WRITER_FINISH,
	WRITER_DROP,
	WRITER_REMOVE,
	WRITER_CHECK,
};

struct request {
	enum wish wish;
	char path[PATH_MAX];
};

struct answer {
	int err;
	struct err_saved cause;
	struct stat directory; /* with WRITER_CHECK */
	int fd; /* with WRITER_BEGIN; set by the receiver */
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

static bool receive_answer(int socket, struct answer *ret_answer)
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
	ret_answer->fd = -1;
	if (message.msg_controllen && passed.header.cmsg_type == SCM_RIGHTS)
		memcpy(&ret_answer->fd, CMSG_DATA(&passed.header), sizeof(ret_answer->fd));
	return nr == sizeof(*ret_answer);
}

/* ---- in the writer ---- */

static const struct sock_filter writer_calls[] = {
	CALLS_BEGIN,
	CALLS_ALLOW(SYS_recvfrom),
	CALLS_ALLOW(SYS_sendmsg),
	CALLS_ALLOW(SYS_pipe2),
	CALLS_ALLOW(SYS_read),
	CALLS_ALLOW(SYS_write),
	CALLS_ALLOW(SYS_openat),
	CALLS_ALLOW(SYS_newfstatat),
	CALLS_ALLOW(SYS_fstat),
	CALLS_ALLOW(SYS_faccessat),
	CALLS_ALLOW(SYS_faccessat2),
	CALLS_ALLOW(SYS_fcntl),
	CALLS_ALLOW(SYS_fsync),
	CALLS_ALLOW(SYS_fallocate),
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

/* A sanitizer makes system calls of its own, which no list here knows. */
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

/* Without /dev/null, as in a bare chroot, 0 and 1 are closed. */
static void keep_only(int socket)
{
	_cleanup_(closep) int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd <= 1; fd++)
		if (null < 0 || dup2(null, fd) < 0)
			close(fd);
	if ((socket != SOCKET && dup3(socket, SOCKET, O_CLOEXEC) < 0) ||
	    syscall(SYS_close_range, SOCKET + 1, ~0U, 0) != 0)
		_exit(1);
	null = -1;
}

/* The current file, with a copy of its path. */
struct begun {
	struct replacement file;
	char path[PATH_MAX];
	int content; /* the pipe; -1: all was read, or the file cannot be written */
	int err; /* why it cannot be written */
};

/* The caller gets the other end, non-blocking so that it can stop waiting. */
static int make_pipe(struct begun *begun, int *ret_pipe)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return fail(-errno, "pipe: %s", strerror(errno));
	fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	begun->content = ends[0];
	*ret_pipe = ends[1];
	return 0;
}

static int begin(struct begun *begun, const char *path, int *ret_pipe)
{
	int err;

	if (begun->file.out)
		return fail(-EBUSY, "'%s': another file is open", path);
	memcpy(begun->path, path, sizeof(begun->path));
	begun->err = 0;
	err = replace_begin(begun->path, &begun->file);
	if (!err) {
		err = make_pipe(begun, ret_pipe);
		if (err)
			replace_end(&begun->file, err);
	}
	if (err)
		begun->file.out = NULL;
	return err;
}

/* If the file cannot be written, the pipe is closed; the caller then requests the reason. */
static void take_content(struct begun *begun)
{
	static char bytes[PIECE_BYTES];
	ssize_t nr;

	if (begun->content < 0)
		return;
	while (!begun->err && (nr = read(begun->content, bytes, sizeof(bytes))) != 0) {
		errno = nr < 0 ? errno : EIO;
		if (nr < 0 || fwrite(bytes, 1, (size_t)nr, begun->file.out) != (size_t)nr)
			begun->err = -errno;
	}
	close(begun->content);
	begun->content = -1;
}

static int end(struct begun *begun, int err)
{
	struct replacement file = begun->file;

	begun->file.out = NULL;
	if (!file.out)
		return 0;
	if (begun->err) {
		_cleanup_(freep) char *what = xasprintf("'%s'", begun->path);

		fail_write(begun->err, what);
	}
	return replace_end(&file, begun->err ?: err);
}

static int carry_out(const struct request *request, struct begun *begun, struct stat *ret_directory, int *ret_pipe)
{
	switch (request->wish) {
	case WRITER_BEGIN:
		return begin(begun, request->path, ret_pipe);
	case WRITER_FINISH:
		return end(begun, 0);
	case WRITER_DROP:
		end(begun, -ECANCELED);
		return begun->err;
	case WRITER_REMOVE:
		return replace_remove(request->path);
	case WRITER_CHECK:
		return replace_file_check(request->path, ret_directory);
	}
	return -EINVAL;
}

static _Noreturn void be_writer(int socket, const struct writer_options *options)
{
	static struct request request;
	static struct begun begun = { .content = -1 };
	sigset_t all;
	int err = 0;

	prctl(PR_SET_NAME, "stacktool-write");
	sigfillset(&all); /* signals to the process group must not end the writer; it ends with its socket */
	sigprocmask(SIG_SETMASK, &all, NULL);
	keep_only(socket);
	if (confine())
		_exit(1);
	while (!err && recv(SOCKET, &request, sizeof(request), 0) == (ssize_t)sizeof(request)) {
		_cleanup_(closep) int pipe = -1;
		struct answer answer = {};

		request.path[sizeof(request.path) - 1] = '\0';
		err_clear();
		if (options->fits(options->context, request.path))
			answer.err = carry_out(&request, &begun, &answer.directory, &pipe);
		else
			answer.err = fail(-EPERM, "'%s': is not a file of this run", request.path);
		answer.cause = err_save();
		err = send_answer(&answer, pipe);
		closep(&pipe);
		pipe = -1;
		take_content(&begun);
	}
	end(&begun, -ECANCELED);
	_exit(0);
}

/* ---- in the caller ---- */

static struct writer *writers;
static struct request request; /* the last one */

/* Also true before the run begins. */
static bool run_is_over(void)
{
	return request.wish == WRITER_CHECK || clock_monotonic_ns() >= writers->end_ns ||
	       waiting_left_ns() != UINT64_MAX;
}

/* Waits for a descriptor. False: the writer does not answer, and the run is over or the user does not want to wait. */
static bool await(struct writer_process *process, int fd, short events)
{
	struct pollfd wait = { .fd = fd, .events = events };
	unsigned int unwanted_ms = 0, over_ms = 0;
	int nr_ready = 0;

	while (!process->hangs && nr_ready <= 0) {
		nr_ready = poll(&wait, 1, LOOK_MS);
		if (nr_ready) /* or a signal came */
			continue;
		process_continue(process->pid);
		unwanted_ms += waiting_is_unwanted() ? LOOK_MS : 0;
		over_ms += run_is_over() ? LOOK_MS : 0;
		process->hangs = unwanted_ms >= UNWANTED_MS || over_ms >= writers->options.patience_ms;
		if (over_ms == LINE_MS && !unwanted_ms && writers->options.say_wait)
			writers->options.say_wait(request.path);
	}
	return !process->hangs;
}

/* Sends the request and takes the answer. -EIO: the writer has ended. -ETIMEDOUT closes the socket, so a late answer is not read. */
static int exchange(struct writer_process *process, struct answer *ret_answer)
{
	if (send(process->socket, &request, sizeof(request), MSG_NOSIGNAL) == (ssize_t)sizeof(request) &&
	    await(process, process->socket, POLLIN) && receive_answer(process->socket, ret_answer))
		return 0;
	closep(&process->socket);
	process->socket = -1;
	return process->hangs ? -ETIMEDOUT : -EIO;
}

static bool is_in_hung_directory(const char *path)
{
	size_t nr = (size_t)(path_name(path) - path);

	return writers->hung[0] && nr == (size_t)(path_name(writers->hung) - writers->hung) &&
	       !memcmp(path, writers->hung, nr);
}

static int fail_hung(const char *path)
{
	return fail(-ETIMEDOUT, "'%s': cannot be written: its file system does not answer", path);
}

static bool take_next(void)
{
	if (writers->current + 1 == WRITERS)
		return false;
	writers->current++;
	return true;
}

/* Lets the current writer carry out a request. If it has ended or does not answer, the next takes over, but no file that was begun. */
static int ask(enum wish wish, const char *path, struct answer *ret_answer)
{
	bool is_first = wish == WRITER_BEGIN || wish == WRITER_REMOVE || wish == WRITER_CHECK;
	int err;

	if (strlen(path) >= sizeof(request.path))
		return fail(-ENAMETOOLONG, "'%s': %s", path, strerror(ENAMETOOLONG));
	if (is_in_hung_directory(path))
		return fail_hung(path);
	if (writers->processes[writers->current].hangs)
		return fail(-ETIMEDOUT,
			    "'%s': cannot be written: the processes that write files wait for other file systems",
			    path);
	request.wish = wish;
	memcpy(request.path, path, strlen(path) + 1);
	do
		err = exchange(&writers->processes[writers->current], ret_answer);
	while (err == -EIO && is_first && take_next());
	if (err == -ETIMEDOUT) {
		memcpy(writers->hung, request.path, sizeof(writers->hung));
		take_next();
		return fail_hung(path);
	}
	if (err)
		return fail(err, "'%s': cannot be written: the process that writes files has ended", path);
	if (ret_answer->err)
		err_restore(&ret_answer->cause);
	return ret_answer->err;
}

/* ---- the stream ---- */

static ssize_t send_content(void *cookie, const char *bytes, size_t nr)
{
	struct writer_process *process = cookie;
	size_t sent = 0;

	while (sent < nr) {
		ssize_t now = write(process->content, bytes + sent, nr - sent);
		int err = now < 0 ? errno : 0;

		if (!err)
			sent += (size_t)now;
		else if (err == EAGAIN && !await(process, process->content, POLLOUT))
			err = ETIMEDOUT;
		if (err && err != EAGAIN && err != EINTR) {
			errno = err;
			break;
		}
	}
	return (ssize_t)sent;
}

static int close_content(void *cookie)
{
	struct writer_process *process = cookie;

	closep(&process->content);
	process->content = -1;
	return 0;
}

static int ask_begin(const char *path, FILE **ret_out)
{
	static const cookie_io_functions_t pipe = { .write = send_content, .close = close_content };
	struct answer answer;
	int err = ask(WRITER_BEGIN, path, &answer);
	struct writer_process *process = &writers->processes[writers->current];

	if (err)
		return err;
	if (answer.fd < 0)
		return fail(-EMFILE, "'%s': %s", path, strerror(EMFILE));
	process->content = answer.fd;
	*ret_out = xcheck(fopencookie(process, "w", pipe));
	return 0;
}

static int ask_end(const char *path, bool is_whole)
{
	struct answer answer;

	return ask(is_whole ? WRITER_FINISH : WRITER_DROP, path, &answer);
}

static int ask_remove(const char *path)
{
	struct answer answer;

	return ask(WRITER_REMOVE, path, &answer);
}

static int ask_check(const char *path, struct stat *ret_directory)
{
	struct answer answer = {};
	int err = ask(WRITER_CHECK, path, &answer);

	*ret_directory = answer.directory;
	return err;
}

/* ---- start and end ---- */

static int start_one(struct writer_process *process, const struct writer_options *options)
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
		be_writer(ends[1], options);
	close(ends[1]);
	*process = (struct writer_process){ .pid = pid, .socket = ends[0], .content = -1 };
	return 0;
}

int writer_start(struct writer *writer, const struct writer_options *options)
{
	static const struct replace_agent agent = { ask_begin, ask_end, ask_remove, ask_check };

	for (size_t i = 0; i < WRITERS; i++) {
		int err = start_one(&writer->processes[i], options);

		if (err)
			return err;
	}
	writer->options = *options;
	writer->end_ns = UINT64_MAX;
	writers = writer;
	replace_by(&agent);
	return 0;
}

void writer_run_ends(struct writer *writer, uint64_t end_ns)
{
	writer->end_ns = end_ns;
}

/* The writer ends when its socket is closed. One that hangs in a file system is killed, and left if that does not help. */
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
		if (!writer->processes[i]
			     .hangs) /* a writer that hangs removes its unfinished file when its file system answers again */
			await_end(writer->processes[i].pid);
		writer->processes[i].pid = 0;
	}
}
