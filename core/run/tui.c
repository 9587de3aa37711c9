/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sequences of ECMA-48 and of xterm that every terminal of today knows, so no database of terminals is needed:
 * alternate screen (1049), no line wrap (7), no cursor (25). The keyboard is /dev/tty, for the profile may come from
 * the standard input.
 */
#include "core/run/tui.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/host/signals.h"

#define BEGIN "\x1b[?1049h\x1b[?7l\x1b[?25l"
#define END "\x1b[?25h\x1b[?7h\x1b[?1049l"

enum {
	CTRL_C = 3,
	ESCAPE = 27,
	ESCAPE_WAIT_MS = 50, /* what follows at once belongs to a key, what does not was Escape */
};

struct tui {
	int fd, signals, watched; /* `watched` is readable when one of the others is */
	bool is_taken, is_signalled;
	struct termios before;
	sigset_t mask_before;
	int notes, messages; /* where stderr goes meanwhile, and where it went; -1 as ever */
};

static int put(int fd, const char *bytes, size_t nr)
{
	while (nr) {
		ssize_t written = write(fd, bytes, nr);

		if (written < 0 && errno != EINTR)
			return -errno;
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

/* ESC [ numbers letter, or ESC O letter. */
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
	int byte = next_byte(tui, 0);

	if (byte < 0 || byte == CTRL_C)
		return KEY_QUIT;
	if (byte == ESCAPE)
		return read_sequence(tui);
	if (byte == '\r' || byte == '\n')
		return KEY_ENTER;
	return byte == 0x7f || byte == '\b' ? KEY_BACKSPACE : byte;
}

/* ---- the screen ---- */

void tui_fit(const struct tui *tui, struct browser *browser)
{
	struct winsize size = {};

	if (!ioctl(tui->fd, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		browser_resize(browser, size.ws_row, size.ws_col);
}

int tui_draw(const struct tui *tui, const struct browser *browser)
{
	_cleanup_(buf_done) struct buf screen = {};
	int err;

	browser_draw(browser, &screen);
	err = put(tui->fd, screen.data, screen.nr);
	return err ? fail(err, "terminal: %s", strerror(-err)) : 0;
}

/* A new size is taken; any other signal ends. */
static bool take_signal(struct tui *tui, struct browser *browser)
{
	struct signalfd_siginfo info;

	if (read(tui->signals, &info, sizeof(info)) != sizeof(info))
		return true; /* someone else has taken it */
	if (info.ssi_signo != SIGWINCH) {
		tui->is_signalled = true;
		return false;
	}
	tui_fit(tui, browser);
	return true;
}

bool tui_take(struct tui *tui, struct browser *browser)
{
	struct pollfd wait[] = { { .fd = tui->fd, .events = POLLIN }, { .fd = tui->signals, .events = POLLIN } };

	if (poll(wait, 2, 0) <= 0)
		return true;
	if (wait[1].revents)
		return take_signal(tui, browser);
	return browser_press(browser, read_key(tui));
}

bool tui_is_signalled(const struct tui *tui)
{
	return tui->is_signalled;
}

int tui_serve(struct tui *tui, struct browser *browser)
{
	struct pollfd wait = { .fd = tui->watched, .events = POLLIN };
	bool goes_on = true;
	int err = 0;

	tui_fit(tui, browser);
	while (goes_on && !err) {
		err = tui_draw(tui, browser);
		if (!err && poll(&wait, 1, -1) > 0)
			goes_on = tui_take(tui, browser);
	}
	return err;
}

/* ---- before and after ---- */

int tui_check(void)
{
	_cleanup_(closep) int fd = -1;

	if (!isatty(STDOUT_FILENO))
		return fail_usage("argument --tui: standard output is not a terminal");
	fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return fail_usage("argument --tui: no controlling terminal: %s", strerror(errno));
	return 0;
}

static int watch(struct tui *tui, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(tui->watched, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int open_all(struct tui *tui)
{
	sigset_t mask;

	signals_that_end(&mask);
	sigaddset(&mask, SIGHUP); /* with nohup(1), too: without the terminal there is nothing to do */
	sigaddset(&mask, SIGQUIT);
	sigaddset(&mask, SIGWINCH);
	sigprocmask(SIG_BLOCK, &mask, &tui->mask_before);
	tui->fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	tui->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	tui->watched = epoll_create1(EPOLL_CLOEXEC);
	if (tui->fd < 0 || tui->signals < 0 || tui->watched < 0 || tcgetattr(tui->fd, &tui->before))
		return -errno;
	return watch(tui, tui->fd) ?: watch(tui, tui->signals);
}

int tui_new(struct tui **ret_tui)
{
	struct tui *tui = xcalloc(1, sizeof(*tui));
	int err;

	*tui = (struct tui){ .fd = -1, .signals = -1, .watched = -1, .notes = -1, .messages = -1 };
	err = open_all(tui);
	if (err) {
		tui_free(tui);
		return fail(err, "argument --tui: the terminal cannot be used: %s", strerror(-err));
	}
	*ret_tui = tui;
	return 0;
}

int tui_fd(const struct tui *tui)
{
	return tui->watched;
}

/* A note on the screen would be overwritten by the next drawing. */
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

static void give_messages(struct tui *tui)
{
	char text[4096];
	ssize_t nr;

	if (tui->messages < 0)
		return;
	fflush(stderr);
	dup2(tui->messages, STDERR_FILENO);
	for (off_t at = 0; (nr = pread(tui->notes, text, sizeof(text), at)) > 0; at += nr)
		if (put(STDERR_FILENO, text, (size_t)nr))
			break;
	close(tui->messages);
	tui->messages = -1;
}

int tui_begin(struct tui *tui)
{
	struct termios raw = tui->before;
	int err;

	cfmakeraw(&raw);
	if (tcsetattr(tui->fd, TCSAFLUSH, &raw))
		return fail(-errno, "argument --tui: %s", strerror(errno));
	tui->is_taken = true;
	keep_messages(tui);
	err = put(tui->fd, BEGIN, strlen(BEGIN));
	return err ? fail(err, "terminal: %s", strerror(-err)) : 0;
}

void tui_end(struct tui *tui)
{
	if (!tui->is_taken)
		return;
	tui->is_taken = false;
	if (!put(tui->fd, END, strlen(END)))
		tcsetattr(tui->fd, TCSAFLUSH, &tui->before); /* unless the terminal is lost */
	give_messages(tui);
}

void tui_free(struct tui *tui)
{
	if (!tui)
		return;
	tui_end(tui);
	sigprocmask(SIG_SETMASK, &tui->mask_before, NULL);
	closep(&tui->fd);
	closep(&tui->signals);
	closep(&tui->watched);
	closep(&tui->notes);
	free(tui);
}
