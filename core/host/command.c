/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/descriptors.h"
#include "core/base/err.h"
#include "core/host/caller.h"
#include "core/host/process.h"
#include "core/host/signals.h"

/* As in env(1). */
#define STATUS_CANNOT_EXECUTE 126
#define STATUS_NOT_FOUND 127
#define STATUS_SIGNAL 128
#define LOOK_MS 20 /* how often to check for signals */
#define MOMENT_NS (10 * NSEC_PER_MSEC)
#define MOMENTS 200 /* two seconds */

struct command {
	char *const *words;
	pid_t pid;
	uid_t user; /* that executes it */
	int go_fd; /* a byte lets the child execute; closed without one, the child ends */
	int answer_fd; /* gets the errno of a failed exec; a successful exec closes it */
	bool executed, ended, refused, hurry;
	int status;
};

/* ---- the child ---- */

/* Restores signals and limits: main.c ignores two signals, and collecting raises the limit of open files. */
static void restore_circumstances(void)
{
	signals_as_before();
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	descriptors_restore();
}

/* A change of the user clears PR_SET_PDEATHSIG, so it is set again. Until exec it is SIGKILL, which also ends a stopped process. */
__attribute__((noreturn)) static void be_command(char *const *words, const struct caller *caller, int go_fd,
						 int answer_fd, pid_t parent)
{
	char go;
	int err;

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	err = caller_become(caller);
	restore_circumstances();
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != parent || read(go_fd, &go, 1) != 1)
		_exit(0);
	if (!err) {
		prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
		execvp(words[0], words);
		err = -errno;
	}
	_exit(write(answer_fd, &err, sizeof(err)) == sizeof(err) && err == -ENOENT ? STATUS_NOT_FOUND
										   : STATUS_CANNOT_EXECUTE);
}

/* ---- the parent ---- */

static bool nobody_may_execute(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) && !(status.st_mode & 0111);
}

/*
 * -ENOENT: execvp() would find no file; -EACCES: only files that nobody may execute; else 0. The child reports other errors, because it may
 * be another user, who reaches other files; it has the same PATH.
 */
static int find(const char *word)
{
	const char *folders = strchr(word, '/') ? "" : getenv("PATH");
	_cleanup_(freep) char *text = xstrdup(folders ? folders : "/bin:/usr/bin");
	char *rest = text, *folder;
	int err = -ENOENT;

	while ((folder = strsep(&rest, ":"))) {
		_cleanup_(freep) char *path = *folder ? xasprintf("%s/%s", folder, word) : xstrdup(word);

		if (access(path, F_OK) && (errno == ENOENT || errno == ENOTDIR))
			continue;
		if (!nobody_may_execute(path))
			return 0;
		err = -EACCES;
	}
	return err;
}

static int fail_to_execute(int err, const char *word)
{
	return err == -ENOENT ? fail(err, "command '%s': not found", word)
			      : fail(err, "command '%s': cannot be executed: %s", word, strerror(-err));
}

int command_status_of(int err)
{
	return err == -ENOENT ? STATUS_NOT_FOUND : err == -EACCES ? STATUS_CANNOT_EXECUTE : -1;
}

int command_start(char *const *words, struct command **ret_command)
{
	_cleanup_(caller_done) struct caller caller = caller_find();
	int go[2] = { -1, -1 }, answers[2] = { -1, -1 };
	pid_t parent = getpid(), pid;
	int err = find(words[0]);

	if (err)
		return fail_to_execute(err, words[0]);
	if (pipe2(go, O_CLOEXEC) || pipe2(answers, O_CLOEXEC))
		return fail(-errno, "command: pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		return fail_start(-errno, "command");
	if (!pid) {
		close(go[1]);
		close(answers[0]);
		be_command(words, &caller, go[0], answers[1], parent);
	}
	signals_say_end_of_command();
	close(go[0]);
	close(answers[1]);
	*ret_command = xcalloc(1, sizeof(**ret_command));
	**ret_command = (struct command){ .words = words,
					  .pid = pid,
					  .user = caller.other ? caller.uid : geteuid(),
					  .go_fd = go[1],
					  .answer_fd = answers[0] };
	return 0;
}

static bool reap(struct command *command)
{
	while (!command->ended) {
		pid_t pid = waitpid(command->pid, &command->status, WNOHANG);

		if (!pid)
			return false;
		command->ended = pid == command->pid || errno != EINTR;
	}
	return true;
}

static bool is_stopped(const struct command *command)
{
	return process_state((uint32_t)command->pid) == 'T';
}

/* Whether it is a set-user-id program, to which the kernel does not send the signal of PR_SET_PDEATHSIG. */
static bool is_other_user(const struct command *command)
{
	uint32_t inner_pid, user;

	return !process_identity((uint32_t)command->pid, &inner_pid, &user) && user != command->user;
}

static void wait_a_moment(void)
{
	const struct timespec moment = { .tv_nsec = MOMENT_NS };

	nanosleep(&moment, NULL);
}

/* Whether exec has succeeded: it closes the child's end of the pipe without an answer. */
static bool has_executed(const struct command *command)
{
	struct pollfd answer = { .fd = command->answer_fd, .events = POLLIN };

	return poll(&answer, 1, 0) == 1 && !(answer.revents & POLLIN);
}

/*
 * Ends a child that waits. If it is another user, kill() may be refused; but it ends when go_fd is closed. For that, a stopped child must
 * be continued, which is always permitted in a session.
 */
static void end_waiting(struct command *command)
{
	bool is_killed = !kill(command->pid, SIGKILL);

	closep(&command->go_fd);
	command->go_fd = -1;
	for (int i = 0; i < MOMENTS && !reap(command); i++) {
		if (!is_killed)
			process_continue(command->pid);
		wait_a_moment();
	}
}

/* Ends a child that was let go, by SIGTERM because it may execute the command at any moment. Once it does, it is not waited for. */
static void end_let_go(struct command *command)
{
	int signal_number = is_stopped(command) ? SIGKILL : SIGTERM;
	bool is_told = !has_executed(command) && !kill(command->pid, signal_number);

	for (int i = 0; is_told && i < MOMENTS && !reap(command) && !has_executed(command); i++) {
		process_continue(command->pid);
		wait_a_moment();
	}
	if (is_told && !reap(command) && !has_executed(command))
		kill(command->pid, SIGKILL);
}

void command_free(struct command *command)
{
	if (!command)
		return;
	if (command->go_fd >= 0 && !reap(command))
		end_waiting(command);
	else if (!command->executed && !reap(command))
		end_let_go(command);
	if (!reap(command) && is_other_user(command))
		kill(command->pid, SIGTERM);
	if (!reap(command))
		process_continue(command->pid); /* else it would not take the signal of PR_SET_PDEATHSIG */
	closep(&command->go_fd);
	closep(&command->answer_fd);
	free(command);
}

uint32_t command_pid(const struct command *command)
{
	return (uint32_t)command->pid;
}

int command_let_go(struct command *command)
{
	if (command->go_fd < 0)
		return 0;
	if (write(command->go_fd, "g", 1) != 1)
		return fail(-errno, "command '%s': the process that was to execute it has ended", command->words[0]);
	close(command->go_fd);
	command->go_fd = -1;
	return 0;
}

/* False: a signal that ends us came first. A stopped child does not answer. */
static bool await_answer(const struct command *command)
{
	struct pollfd answer = { .fd = command->answer_fd, .events = POLLIN };

	while (poll(&answer, 1, LOOK_MS) <= 0)
		if (signals_end_has_come())
			return false;
	return true;
}

int command_release(struct command *command)
{
	int err = command_let_go(command);
	ssize_t nr;

	if (err)
		return err;
	if (!await_answer(command))
		return fail(-ECANCELED, "command '%s': a signal came before it was executed%s", command->words[0],
			    is_stopped(command) ? ": it is stopped" : "");
	do
		nr = read(command->answer_fd, &err, sizeof(err));
	while (nr < 0 && errno == EINTR);
	command->executed = true;
	command->refused = nr == sizeof(err);
	if (!command->refused)
		return 0;
	return fail_to_execute(err, command->words[0]);
}

bool command_refused(const struct command *command)
{
	return command->refused;
}

void command_hurry(struct command *command)
{
	command->hurry = true;
}

/* Waits for at most two seconds. */
static bool reap_soon(struct command *command)
{
	for (int i = 0; i < MOMENTS && !reap(command); i++)
		wait_a_moment();
	return command->ended;
}

static void wait_patiently(struct command *command)
{
	sigset_t mask, before;

	signals_that_end(&mask);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, &before);
	command->hurry |= !signals_first_is_spared();
	while (!command->hurry && !reap(command)) {
		int signal_number = sigwaitinfo(&mask, NULL);

		command->hurry = signal_number > 0 && signal_number != SIGCHLD;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

int command_wait(struct command *command)
{
	wait_patiently(command);
	if (!reap_soon(command))
		return -1;
	return WIFSIGNALED(command->status) ? STATUS_SIGNAL + WTERMSIG(command->status) : WEXITSTATUS(command->status);
}
