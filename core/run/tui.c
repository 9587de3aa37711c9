/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Uses sequences of ECMA-48 and xterm that all current terminals support, so no terminal database is needed: alternate screen (1049), no
 * line wrap (7), no cursor (25). Keys are read from /dev/tty, because the profile may come from standard input.
 *
 * A child, the guard, waits for the end of this process, and restores the terminal if this process was killed. It is started early: while
 * the kernel is kept from removing a probe, fork() hangs.
 *
 * No write blocks: a terminal that takes nothing (an ssh that hangs) must not delay the end of the run.
 */
#include "core/run/tui.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/host/signals.h"
#include "core/render/browser.h"

#define BEGIN "\x1b[?1049h\x1b[?7l\x1b[?25l"
#define CLEAR "\x1b[2J"
#define TO_END "\x1b[m\x1b[K"
#define END "\x1b[m\x1b[?25h\x1b[?7h\x1b[?1049l"

enum {
	CTRL_C = 3,
	CTRL_L = 12,
	CTRL_Z = 26,
	ESCAPE = 27,
	ESCAPE_WAIT_MS = 50, /* bytes that follow at once belong to a key; a lone byte is Escape */
	LAST_WAIT_MS = 500, /* for the last output, if the terminal blocks */
	MESSAGE_PIECE = 128, /* a terminal that is ready takes 256 bytes; "\n" is two */
};

struct tui {
	int fd, signals, watched; /* `watched` is readable if `signals` is, or `fd` while we have the terminal */
	int over; /* an eventfd: gives up output that the terminal does not take at once */
	bool is_taken, is_signalled, is_stopped;
	bool has_terminal; /* while is_taken: false while stopped or in the background */
	bool lacks_begin; /* BEGIN is not written yet */
	_Atomic bool *guarded; /* has_terminal, in memory shared with the guard */
	struct termios before;
	sigset_t mask_before;
	struct buf shown; /* lines on the screen; empty: unknown */
	pid_t guard; /* the child; 0: none */
	int notes, messages; /* a temporary file for stderr, and the original one; -1: stderr is unchanged */
};

enum put_wait {
	PUT_UNTIL_ASKED, /* until there is a signal, or `over` */
	PUT_LAST, /* for LAST_WAIT_MS */
};

static bool await_room(const struct tui *tui, enum put_wait how)
{
	struct pollfd waits[] = { { .fd = tui->fd, .events = POLLOUT },
				  { .fd = tui->signals, .events = POLLIN },
				  { .fd = tui->over, .events = POLLIN } };
	int nr;

	do
		nr = how == PUT_LAST ? poll(waits, 1, LAST_WAIT_MS) : poll(waits, 3, -1);
	while (nr < 0 && errno == EINTR);
	return nr > 0 && waits[0].revents;
}

/* Writes bytes. -EAGAIN: the terminal has not taken all, and the rest is given up. */
static int put(const struct tui *tui, const char *bytes, size_t nr, enum put_wait how)
{
	while (nr) {
		ssize_t written = write(tui->fd, bytes, nr);

		if (written < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (written < 0 && errno == EAGAIN && !await_room(tui, how))
			return -EAGAIN;
		if (written > 0) {
			bytes += written;
			nr -= (size_t)written;
		}
	}
	return 0;
}

/* ---- keys ---- */

static int next_byte(const struct tui *tui, int wait_ms)
{
	struct pollfd wait = { .fd = tui->fd, .events = POLLIN };
	unsigned char byte;

	if (poll(&wait, 1, wait_ms) <= 0 || read(tui->fd, &byte, 1) != 1)
		return -1;
	return byte;
}

/* The key of ESC [ numbers letter, or ESC O letter. */
static int key_of_sequence(int number, int letter)
{
	static const struct {
		char letter;
		int number, key;
	} keys[] = {
		{ 'A', 0, KEY_UP },      { 'B', 0, KEY_DOWN }, { 'C', 0, KEY_RIGHT },     { 'D', 0, KEY_LEFT },
		{ 'H', 0, KEY_HOME },    { 'F', 0, KEY_END },  { '~', 1, KEY_HOME },      { '~', 4, KEY_END },
		{ '~', 5, KEY_PAGE_UP }, { '~', 7, KEY_HOME }, { '~', 6, KEY_PAGE_DOWN }, { '~', 8, KEY_END },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (keys[i].letter == letter && (letter != '~' || keys[i].number == number))
			return keys[i].key;
	return 0;
}

static int read_sequence(const struct tui *tui)
{
	int byte = next_byte(tui, ESCAPE_WAIT_MS), number = 0;

	if (byte != '[' && byte != 'O')
		return KEY_ESCAPE;
	byte = next_byte(tui, ESCAPE_WAIT_MS);
	for (; byte >= '0' && byte <= ';'; byte = next_byte(tui, ESCAPE_WAIT_MS))
		number = byte <= '9' && number < 100 ? number * 10 + byte - '0' : number;
	return key_of_sequence(number, byte);
}

static int read_key(const struct tui *tui)
{
	int byte;

	errno = 0;
	byte = next_byte(tui, 0);
	if (byte < 0 && errno == EAGAIN)
		return 0;
	if (byte < 0 || byte == CTRL_C)
		return KEY_QUIT;
	if (byte == ESCAPE)
		return read_sequence(tui);
	if (byte == '\r' || byte == '\n')
		return KEY_ENTER;
	if (byte == '\t')
		return KEY_TAB;
	return byte == 0x7f || byte == '\b' ? KEY_BACKSPACE : byte;
}

/* ---- the screen ---- */

bool tui_size(const struct tui *tui, size_t *ret_rows, size_t *ret_columns)
{
	struct winsize size = {};

	if (ioctl(tui->fd, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		return false;
	*ret_rows = size.ws_row;
	*ret_columns = size.ws_col;
	return true;
}

/* ---- stopping and continuing ---- */

static int watch(struct tui *tui, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(tui->watched, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/* Does not wait until the terminal has taken earlier output. */
static int take_terminal(struct tui *tui)
{
	struct termios raw = tui->before;
	int err;

	cfmakeraw(&raw);
	if (tcsetattr(tui->fd, TCSANOW, &raw))
		return -errno;
	*tui->guarded = true;
	tcflush(tui->fd, TCIFLUSH);
	err = tui->has_terminal ? 0 : watch(tui, tui->fd);
	tui->has_terminal = true;
	buf_clear(&tui->shown);
	err = err ?: put(tui, BEGIN, strlen(BEGIN), PUT_LAST);
	tui->lacks_begin = err == -EAGAIN;
	return tui->lacks_begin ? 0 : err;
}

static void restore(const struct tui *tui)
{
	const int err = put(tui, END, strlen(END), PUT_LAST);

	if (!err || err == -EAGAIN)
		tcsetattr(tui->fd, TCSANOW, &tui->before); /* unless the terminal is lost */
}

/* Records that another job has the terminal now. */
static void leave_terminal(struct tui *tui)
{
	if (tui->has_terminal)
		epoll_ctl(tui->watched, EPOLL_CTL_DEL, tui->fd, NULL);
	tui->has_terminal = false;
	*tui->guarded = false;
}

static void give_terminal(struct tui *tui)
{
	if (tui->has_terminal)
		restore(tui);
	leave_terminal(tui);
}

static bool is_in_background(const struct tui *tui)
{
	const pid_t foreground = tcgetpgrp(tui->fd);

	return foreground >= 0 && foreground != getpgrp();
}

/* Takes the terminal back unless we are in the background. Returns whether we have it. If it is lost, writing to it will fail. */
static bool take_back(struct tui *tui)
{
	if (is_in_background(tui))
		return false;
	take_terminal(tui);
	return true;
}

/* Stops the process; returns when it is continued. The kernel does not stop a job that no shell would continue. */
static void suspend(void)
{
	const struct sigaction by_default = { .sa_handler = SIG_DFL };
	struct sigaction action_before;
	sigset_t stop, mask_before;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigaction(SIGTSTP, &by_default, &action_before);
	pthread_sigmask(SIG_UNBLOCK, &stop, &mask_before);
	raise(SIGTSTP);
	pthread_sigmask(SIG_SETMASK, &mask_before, NULL);
	sigaction(SIGTSTP, &action_before, NULL);
}

/* Stops as the shell expects: the terminal is restored, and SIGCONT continues the whole job. */
static void stop(struct tui *tui)
{
	give_terminal(tui);
	tui->is_stopped = true;
	suspend();
	take_back(tui);
}

/* Called when the process is continued. In the background (bg) it stops again, because there is nothing to do without the terminal. */
static void go_on(struct tui *tui)
{
	if (tui->is_stopped) /* also the helpers, if only this process was continued */
		kill(0, SIGCONT);
	tui->is_stopped = false;
	if (!tui->is_taken || take_back(tui))
		return;
	leave_terminal(tui);
	if (!signals_end_is_pending())
		suspend();
	take_back(tui);
}

static size_t line_length(const char *lines)
{
	return strcspn(lines, "\n");
}

int tui_show(struct tui *tui, const char *screen)
{
	_cleanup_(buf_done) struct buf changes = {};
	const char *before, *line = screen;
	int err;

	if (!tui->has_terminal && !take_back(tui))
		return 0;
	before = tui->shown.nr ? buf_text(&tui->shown) : NULL;
	if (!before)
		buf_adds(&changes, tui->lacks_begin ? BEGIN CLEAR : CLEAR);
	for (int row = 1;; row++) {
		const size_t nr = line_length(line), nr_before = before ? line_length(before) : 0;

		if (!before || nr != nr_before || memcmp(line, before, nr)) {
			buf_addf(&changes, "\x1b[%d;1H", row);
			buf_add(&changes, line, nr);
			buf_adds(&changes, TO_END);
		}
		if (before)
			before = before[nr_before] ? before + nr_before + 1 : NULL;
		if (!line[nr])
			break;
		line += nr + 1;
	}
	buf_clear(&tui->shown);
	buf_adds(&tui->shown, screen);
	err = put(tui, changes.data, changes.nr, PUT_UNTIL_ASKED);
	if (err)
		buf_clear(&tui->shown);
	else
		tui->lacks_begin = false;
	return err && err != -EAGAIN ? fail(err, "terminal: %s", strerror(-err)) : 0;
}

/* ---- keys and signals ---- */

static int take_signal(struct tui *tui)
{
	struct signalfd_siginfo info;

	if (read(tui->signals, &info, sizeof(info)) != sizeof(info))
		return 0; /* another reader took it */
	switch (info.ssi_signo) {
	case SIGTSTP:
		stop(tui);
		return KEY_REDRAW;
	case SIGCONT:
		go_on(tui);
		return KEY_REDRAW;
	case SIGWINCH:
		buf_clear(&tui->shown);
		return KEY_REDRAW;
	default:
		tui->is_signalled = true;
		return KEY_QUIT;
	}
}

static int take_key(struct tui *tui)
{
	int key = read_key(tui);

	if (key == CTRL_Z)
		kill(0, SIGTSTP); /* to the whole job; take_signal() gets it too */
	if (key != CTRL_L)
		return key == CTRL_Z ? 0 : key;
	buf_clear(&tui->shown);
	return KEY_REDRAW;
}

int tui_take(struct tui *tui)
{
	struct pollfd wait[] = { { .fd = tui->has_terminal ? tui->fd : -1, .events = POLLIN },
				 { .fd = tui->signals, .events = POLLIN } };

	if (poll(wait, 2, 0) <= 0)
		return 0;
	return wait[1].revents ? take_signal(tui) : take_key(tui);
}

void tui_give_up(struct tui *tui)
{
	eventfd_write(tui->over, 1);
}

bool tui_is_signalled(const struct tui *tui)
{
	return tui->is_signalled;
}

/* ---- the guard ---- */

/*
 * Waits until the parent has ended, and restores the terminal if the parent had it; a stopped parent has not. A parent that is not killed
 * ends the guard first (end_guard()), so a guard that sees the parent's end knows that it was killed.
 *
 * The kernel reports the end by SIGUSR1 (PR_SET_PDEATHSIG) with the parent as sender; a signal of another sender does not count. That
 * happens before the shell learns of the end, so the shell prints on its own screen.
 */
static void guard(const struct tui *tui, pid_t parent)
{
	siginfo_t from = {};
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL); /* also SIGTTOU: it may write from the background */
	syscall(SYS_close_range, 0, (unsigned int)tui->fd - 1, 0);
	syscall(SYS_close_range, (unsigned int)tui->fd + 1, ~0U, 0);
	sigemptyset(&all);
	sigaddset(&all, SIGUSR1);
	while (getppid() == parent && from.si_pid != parent)
		sigwaitinfo(&all, &from);
	if (*tui->guarded)
		restore(tui);
	_exit(0);
}

static void start_guard(struct tui *tui)
{
	const pid_t parent = getpid();
	sigset_t before;

	signals_hold(&before); /* SIGUSR1 stays pending until the child waits for it */
	tui->guard = fork();
	if (!tui->guard) {
		prctl(PR_SET_NAME, "stacktool-tty");
		if (prctl(PR_SET_PDEATHSIG, SIGUSR1) || getppid() != parent)
			_exit(1);
		guard(tui, parent);
	}
	signals_release(&before);
	if (tui->guard < 0)
		tui->guard = 0;
}

static void end_guard(struct tui *tui)
{
	if (!tui->guard)
		return;
	kill(tui->guard, SIGKILL);
	waitpid(tui->guard, NULL, 0);
	tui->guard = 0;
}

/* ---- start and end ---- */

int tui_check(void)
{
	_cleanup_(closep) int fd = -1;
	const char *term = getenv("TERM");

	if (!isatty(STDOUT_FILENO)) {
		int err = fail_usage("the screen needs a terminal, but standard output is not one");

		hint("'stacktool profile' and the other applets print a report without --tui");
		return err;
	}
	if (!term || !*term || !strcmp(term, "dumb"))
		return fail_usage("the screen needs a terminal that can move its cursor, but TERM is '%s'",
				  term ? term : "");
	fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return fail_usage("the screen needs a controlling terminal: %s", strerror(errno));
	return 0;
}

bool tui_has_colors(void)
{
	const char *refused = getenv("NO_COLOR");

	return !refused || !*refused;
}

bool tui_is_utf8(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const char *value = getenv(variables[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

static int open_all(struct tui *tui)
{
	sigset_t mask;
	void *shared = mmap(NULL, sizeof(*tui->guarded), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	signals_that_end(&mask);
	sigaddset(&mask, SIGHUP); /* under nohup(1) too: there is nothing to do without the terminal */
	sigaddset(&mask, SIGQUIT);
	sigaddset(&mask, SIGWINCH);
	sigaddset(&mask, SIGTSTP);
	sigaddset(&mask, SIGCONT);
	sigprocmask(SIG_BLOCK, &mask, &tui->mask_before);
	if (shared == MAP_FAILED)
		return -errno;
	tui->guarded = shared;
	tui->fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	tui->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	tui->watched = epoll_create1(EPOLL_CLOEXEC);
	tui->over = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (tui->fd < 0 || tui->signals < 0 || tui->watched < 0 || tui->over < 0 || tcgetattr(tui->fd, &tui->before))
		return -errno;
	return watch(tui, tui->signals);
}

int tui_new(struct tui **ret_tui)
{
	struct tui *tui = xcalloc(1, sizeof(*tui));
	int err;

	*tui = (struct tui){ .fd = -1, .signals = -1, .watched = -1, .over = -1, .notes = -1, .messages = -1 };
	err = open_all(tui);
	if (err) {
		tui_free(tui);
		return fail(err, "the terminal cannot be used: %s", strerror(-err));
	}
	start_guard(tui);
	*ret_tui = tui;
	return 0;
}

int tui_fd(const struct tui *tui)
{
	return tui->watched;
}

/* Redirects stderr to a file: messages on the screen would be overwritten. */
static void keep_messages(struct tui *tui)
{
	if (!isatty(STDERR_FILENO))
		return;
	fflush(stderr);
	tui->notes = memfd_create("notes", MFD_CLOEXEC);
	tui->messages = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (tui->notes >= 0 && tui->messages >= 0 && dup2(tui->notes, STDERR_FILENO) >= 0)
		return;
	closep(&tui->messages);
	tui->messages = -1;
}

/* Waits with a limit: the descriptor is shared, so it is not non-blocking. */
static bool put_message(const char *text, size_t nr)
{
	struct pollfd wait = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&wait, 1, LAST_WAIT_MS) > 0 && write(STDERR_FILENO, text, nr) == (ssize_t)nr;
}

static void give_messages(struct tui *tui)
{
	char text[MESSAGE_PIECE];
	ssize_t nr;

	if (tui->messages < 0)
		return;
	fflush(stderr);
	dup2(tui->messages, STDERR_FILENO);
	for (off_t at = 0; (nr = pread(tui->notes, text, sizeof(text), at)) > 0; at += nr)
		if (!put_message(text, (size_t)nr))
			break;
	close(tui->messages);
	tui->messages = -1;
}

int tui_begin(struct tui *tui)
{
	int err;

	keep_messages(tui);
	tui->is_taken = true;
	err = take_terminal(tui);
	return err ? fail(err, "terminal: %s", strerror(-err)) : 0;
}

void tui_end(struct tui *tui)
{
	if (!tui->is_taken)
		return;
	tui->is_taken = false;
	give_terminal(tui);
	end_guard(tui);
	give_messages(tui);
}

void tui_free(struct tui *tui)
{
	if (!tui)
		return;
	tui_end(tui);
	end_guard(tui);
	if (tui->guarded)
		munmap((void *)tui->guarded, sizeof(*tui->guarded));
	sigprocmask(SIG_SETMASK, &tui->mask_before, NULL);
	closep(&tui->fd);
	closep(&tui->signals);
	closep(&tui->watched);
	closep(&tui->over);
	closep(&tui->notes);
	buf_done(&tui->shown);
	free(tui);
}
