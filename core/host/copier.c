/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/copier.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/call_filter.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/waiting.h"
#include "core/host/privilege.h"
#include "core/host/process.h"

enum {
	LOOK_MS = 20,
	LINE_MS = 1000,
	UNWANTED_MS = 3000,
	PIPE_BYTES = 1 << 20,
	PIECE_BYTES = 1 << 16,
};

static bool may_hang(int fd)
{
	struct stat status;
	struct statfs system;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode))
		return false;
	if (fstatfs(fd, &system)) /* a file system of the kernel can always answer */
		return true;
	switch ((uint32_t)system.f_type) {
	case FUSE_SUPER_MAGIC:
	case NFS_SUPER_MAGIC:
	case CIFS_SUPER_MAGIC:
	case SMB2_SUPER_MAGIC:
	case V9FS_MAGIC:
	case CEPH_SUPER_MAGIC:
	case AFS_SUPER_MAGIC:
		return true;
	}
	return false;
}

/* Its status is the errno of a write that failed. */
static _Noreturn void be_copier(int from)
{
	static const struct sock_filter calls[] = {
		CALLS_BEGIN,       CALLS_ALLOW(SYS_read), CALLS_ALLOW(SYS_write), CALLS_ALLOW(SYS_exit_group),
		CALLS_REFUSE_REST,
	};
	static char bytes[PIECE_BYTES];
	sigset_t all;
	ssize_t nr;

	prctl(PR_SET_NAME, "stacktool-write");
	sigfillset(&all); /* signals for the process group must not end it: it ends with its pipe */
	sigprocmask(SIG_SETMASK, &all, NULL);
	if (dup2(from, STDIN_FILENO) < 0 || syscall(SYS_close_range, STDERR_FILENO, ~0U, 0) ||
	    privilege_keep_writing(false))
		_exit(EIO);
#ifndef __SANITIZE_ADDRESS__
	if (call_filter_begin(calls, sizeof(calls) / sizeof(*calls)))
		_exit(EIO);
#endif
	while ((nr = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0)
		for (ssize_t done = 0, now; done < nr; done += now) {
			now = write(STDOUT_FILENO, bytes + done, (size_t)(nr - done));
			if (now <= 0)
				_exit(now < 0 ? errno : EIO);
		}
	_exit(0);
}

void copier_start(struct copier *copier)
{
	int ends[2];
	pid_t pid;

	if (!may_hang(STDOUT_FILENO) || pipe2(ends, O_CLOEXEC))
		return;
	fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
	pid = fork();
	if (!pid)
		be_copier(ends[0]);
	if (pid > 0 && dup2(ends[1], STDOUT_FILENO) >= 0)
		copier->pid = pid;
	close(ends[0]);
	close(ends[1]);
}

/* Its status of waitpid(); -1: it does not answer. */
static int await_end(const struct copier *copier)
{
	const struct timespec moment = { .tv_nsec = LOOK_MS * NSEC_PER_MSEC };
	int status = 0;

	for (unsigned int ms = 0; !waitpid(copier->pid, &status, WNOHANG); ms += LOOK_MS) {
		if (ms >= (waiting_is_unwanted() ? UNWANTED_MS : copier->patience_ms))
			return -1;
		if (ms == LINE_MS)
			copier->say_wait();
		process_continue(copier->pid);
		nanosleep(&moment, NULL);
	}
	return status;
}

int copier_end(struct copier *copier)
{
	int status;

	if (!copier->pid)
		return 0;
	fflush(stdout);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	status = await_end(copier);
	copier->pid = 0;
	if (status < 0)
		return fail(-ETIMEDOUT, "standard output: cannot be written: its file system does not answer");
	if (WIFSIGNALED(status))
		return fail(-EIO, "standard output: the process that writes it was killed");
	return WEXITSTATUS(status) ? fail_write(-WEXITSTATUS(status), "standard output") : 0;
}
