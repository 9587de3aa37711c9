/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/host/command.c */
#include "core/host/command.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/host/process.h"
#include "core/host/signals.h"
#include "tests/harness.h"

static int status_of(char *const *words)
{
	struct command *command = NULL;
	int status;

	err_clear();
	assert_int_equal(command_start(words, &command), 0);
	command_release(command);
	status = command_wait(command);
	command_free(command);
	return status;
}

static int status_of_script(const char *script)
{
	char *const words[] = { "sh", "-c", (char *)script, NULL };

	return status_of(words);
}

TEST(the_status_is_that_of_env)
{
	char *const folder[] = { "/etc", NULL };

	assert_int_equal(status_of_script("exit 0"), 0);
	assert_int_equal(status_of_script("exit 7"), 7);
	assert_int_equal(status_of_script("kill -9 $$"), 137);
	assert_int_equal(status_of_script("kill -TERM $$"), 143);
	assert_int_equal(status_of(folder), 126);
	assert_string_equal(err_cause(), "command '/etc': cannot be executed: Permission denied");
}

TEST(what_nobody_may_execute_is_not_started)
{
	char *const words[] = { "/etc/passwd", NULL };
	struct command *command = NULL;

	assert_int_equal(command_start(words, &command), -EACCES);
	assert_null(command);
	assert_string_equal(err_cause(), "command '/etc/passwd': cannot be executed: Permission denied");
	assert_int_equal(command_status_of(-EACCES), 126);
	assert_int_equal(command_status_of(-ENOENT), 127);
	assert_int_equal(command_status_of(-EMFILE), -1);
}

TEST(a_missing_command_is_not_started)
{
	char *const words[] = { "st-no-such-command", NULL };
	struct command *command = NULL;

	assert_int_equal(command_start(words, &command), -ENOENT);
	assert_null(command);
	assert_string_equal(err_cause(), "command 'st-no-such-command': not found");
}

TEST(a_missing_interpreter_has_the_status_of_env)
{
	char path[] = "/tmp/st-command.XXXXXX";
	char *const words[] = { path, NULL };
	int fd = mkstemp(path);

	assert_int_equal(write(fd, "#!/st-no-such-file\n", 19), 19);
	fchmod(fd, 0755);
	close(fd);
	assert_int_equal(status_of(words), 127);
	unlink(path);
}

TEST(nothing_is_executed_before_it_is_let_go)
{
	char path[] = "/tmp/st-command.XXXXXX", script[64];
	char *const words[] = { "sh", "-c", script, NULL };
	struct command *command = NULL;

	close(mkstemp(path));
	snprintf(script, sizeof(script), "rm %s", path);
	assert_int_equal(command_start(words, &command), 0);
	assert_int_equal(kill((pid_t)command_pid(command), 0), 0);
	command_free(command); /* which waits for its end */
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(status_of(words), 0);
	assert_int_equal(access(path, F_OK), -1);
}

TEST(it_is_the_user_who_called_sudo)
{
	if (geteuid() != 0)
		skip();
	setenv("SUDO_UID", "65534", 1);
	setenv("SUDO_GID", "65533", 1);
	assert_int_equal(status_of_script("[ $(id -u) = 65534 ] && [ $(id -g) = 65533 ] && [ $(id -G) = 65533 ]"), 0);
	assert_int_equal(status_of_script("grep -q '^CapEff:[^1-9a-f]*$' /proc/self/status"), 0);
	setenv("SUDO_UID", "nobody", 1);
	assert_int_equal(status_of_script("[ $(id -u) = 0 ]"), 0);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	assert_int_equal(status_of_script("[ $(id -u) = 0 ]"), 0);
}

TEST(signals_are_those_of_a_shell)
{
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(status_of_script("kill -PIPE $$; exit 0"), 128 + SIGPIPE);
	signal(SIGPIPE, SIG_DFL);
}

/* The tool is killed while its command runs: the command is told to end. */
TEST(it_does_not_outlive_the_tool)
{
	int pids[2];
	char *const words[] = { "sleep", "100", NULL };
	struct command *command = NULL;
	uint32_t pid = 0;
	char end;
	pid_t tool;

	assert_int_equal(pipe2(pids, 0), 0); /* the command holds it open until it ends */
	tool = fork();
	if (!tool) {
		if (command_start(words, &command) || command_release(command))
			_exit(1);
		pid = command_pid(command);
		if (write(pids[1], &pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
		pause();
	}
	close(pids[1]);
	assert_int_equal(read(pids[0], &pid, sizeof(pid)), sizeof(pid));
	kill(tool, SIGKILL);
	waitpid(tool, NULL, 0);
	assert_int_equal(read(pids[0], &end, 1), 0);
	close(pids[0]);
}

/* When it waits: nothing is left to do for a child that is let go, or for sleep(1). */
static void stop(pid_t pid)
{
	siginfo_t info;

	while (process_state((uint32_t)pid) != 'S')
		sched_yield();
	kill(pid, SIGSTOP);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOWAIT), 0);
}

TEST(a_stopped_child_that_is_not_let_go_ends)
{
	char *const words[] = { "true", NULL };
	struct command *command = NULL;
	pid_t pid;

	assert_int_equal(command_start(words, &command), 0);
	pid = (pid_t)command_pid(command);
	stop(pid);
	command_free(command);
	assert_int_equal(kill(pid, 0), -1);
}

/* It does not execute anything, so the wait for that is over when a signal comes. */
TEST(a_signal_ends_the_wait_for_a_stopped_child)
{
	char *const words[] = { "true", NULL };
	struct command *command = NULL;
	sigset_t mask, before;
	pid_t pid;

	assert_int_equal(command_start(words, &command), 0);
	pid = (pid_t)command_pid(command);
	stop(pid);
	signals_that_end(&mask);
	sigprocmask(SIG_BLOCK, &mask, &before);
	raise(SIGINT);
	assert_int_equal(command_release(command), -ECANCELED);
	assert_string_equal(err_cause(), "command 'true': a signal came before it was executed: it is stopped");
	command_free(command);
	assert_int_equal(kill(pid, 0), -1);
	sigprocmask(SIG_SETMASK, &before, NULL); /* takes the signal */
	signals_spare_first();
}

/* A signal may come between the execution and our notice of it. */
TEST(a_command_that_was_just_executed_is_not_killed)
{
	char script[96];
	char *const words[] = { "sh", "-c", script, NULL };
	struct command *command = NULL;
	int said[2], ends[2], status;
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(said, 0), 0);
	assert_int_equal(pipe2(ends, 0), 0);
	assert_int_equal(fcntl(ends[1], F_SETFD, FD_CLOEXEC), 0);
	snprintf(script, sizeof(script), "trap 'exit 3' TERM; echo >&%d; read line <&%d; exit 0", said[1], ends[0]);
	assert_int_equal(command_start(words, &command), 0);
	pid = (pid_t)command_pid(command);
	assert_int_equal(command_let_go(command), 0);
	assert_int_equal(read(said[0], &byte, 1), 1);
	command_free(command);
	close(ends[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	close(ends[0]);
	close(said[0]);
	close(said[1]);
}

static void release_and_stop(struct command *command)
{
	if (command_release(command))
		_exit(1);
	stop((pid_t)command_pid(command));
}

/* Until nobody has the other end of the pipe open, and that is: until the command has ended. */
static void await_end(int fd)
{
	char end;

	assert_int_equal(read(fd, &end, 1), 1);
	assert_int_equal(read(fd, &end, 1), 0);
	close(fd);
}

TEST(a_stopped_command_does_not_outlive_the_tool)
{
	static const struct {
		bool is_executed, is_killed;
	} cases[] = { { true, false }, { false, true } }; /* nothing continues an executed one after SIGKILL */

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *const words[] = { "sleep", "100", NULL };
		struct command *command = NULL;
		int ends[2];
		pid_t tool;

		assert_int_equal(pipe2(ends, 0), 0);
		tool = fork();
		if (!tool) {
			close(ends[0]);
			if (command_start(words, &command))
				_exit(1);
			if (cases[i].is_executed)
				release_and_stop(command);
			else
				stop((pid_t)command_pid(command));
			if (write(ends[1], "s", 1) != 1)
				_exit(1);
			if (cases[i].is_killed)
				raise(SIGKILL);
			command_free(command);
			_exit(0);
		}
		close(ends[1]);
		waitpid(tool, NULL, 0);
		await_end(ends[0]);
	}
}

TEST(in_a_hurry_it_is_not_waited_for)
{
	char *const words[] = { "sleep", "100", NULL };
	struct command *command = NULL;

	assert_int_equal(command_start(words, &command), 0);
	assert_int_equal(command_release(command), 0);
	command_hurry(command);
	assert_int_equal(command_wait(command), -1);
	kill((pid_t)command_pid(command), SIGKILL);
	assert_int_equal(command_wait(command), 137);
	command_free(command);
}

TEST(a_signal_before_the_waiting_ends_it)
{
	char *const words[] = { "sleep", "100", NULL };
	struct command *command = NULL;

	assert_int_equal(command_start(words, &command), 0);
	assert_int_equal(command_release(command), 0);
	raise(SIGINT);
	assert_int_equal(command_wait(command), -1);
	kill((pid_t)command_pid(command), SIGKILL);
	assert_int_equal(command_wait(command), 137);
	command_free(command);
	signals_spare_first();
}

int main(void)
{
	signals_spare_first(); /* as at the end of a collection: a command is waited for */
	return run_all_tests();
}
