/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sequences of ECMA-48 and of xterm that every terminal of today knows, so no database of terminals is needed: alternate screen
 * (1049), no line wrap (7), no cursor (25). The keyboard is /dev/tty, for the profile may come from the standard input.
 */
#include "core/tui.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/render/browser.h"

#define BEGIN "\x1b[?1049h\x1b[?7l\x1b[?25l"
#define END "\x1b[?25h\x1b[?7h\x1b[?1049l"

enum {
	CTRL_C = 3,
	ESCAPE = 27,
	ESCAPE_WAIT_MS = 50, /* what follows at once belongs to a key, what does not was Escape */
};

struct terminal {
	int fd, signals;
	struct termios before;
	sigset_t mask_before;
	struct browser *browser;
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

static int next_byte(const struct terminal *terminal, int wait_ms)
{
	struct pollfd wait = { .fd = terminal->fd, .events = POLLIN };
	unsigned char byte;

	if (poll(&wait, 1, wait_ms) <= 0 || read(terminal->fd, &byte, 1) != 1)
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

static int read_sequence(const struct terminal *terminal)
{
	int byte = next_byte(terminal, ESCAPE_WAIT_MS), number = 0;

	if (byte != '[' && byte != 'O')
		return KEY_ESCAPE;
	byte = next_byte(terminal, ESCAPE_WAIT_MS);
	for (; byte >= '0' && byte <= ';'; byte = next_byte(terminal, ESCAPE_WAIT_MS))
		number = byte <= '9' && number < 100 ? number * 10 + byte - '0' : number;
	return key_of_sequence(number, byte);
}

static int read_key(const struct terminal *terminal)
{
	int byte = next_byte(terminal, 0);

	if (byte < 0 || byte == CTRL_C)
		return KEY_QUIT;
	if (byte == ESCAPE)
		return read_sequence(terminal);
	if (byte == '\r' || byte == '\n')
		return KEY_ENTER;
	return byte == 0x7f || byte == '\b' ? KEY_BACKSPACE : byte;
}

/* ---- the screen ---- */

static void take_size(const struct terminal *terminal)
{
	struct winsize size = {};

	if (!ioctl(terminal->fd, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		browser_resize(terminal->browser, size.ws_row, size.ws_col);
}

static int draw(const struct terminal *terminal)
{
	_cleanup_(buf_done) struct buf screen = {};

	browser_draw(terminal->browser, &screen);
	return put(terminal->fd, screen.data, screen.nr);
}

/* A new size is taken; any other signal ends. */
static bool take_signal(const struct terminal *terminal)
{
	struct signalfd_siginfo info;

	if (read(terminal->signals, &info, sizeof(info)) != sizeof(info) || info.ssi_signo != SIGWINCH)
		return false;
	take_size(terminal);
	return true;
}

static int serve(const struct terminal *terminal)
{
	struct pollfd wait[] = { { .fd = terminal->fd, .events = POLLIN },
				 { .fd = terminal->signals, .events = POLLIN } };
	bool goes_on = true;
	int err = 0;

	while (goes_on && !err) {
		err = draw(terminal);
		if (err || (poll(wait, 2, -1) < 0 && errno != EINTR))
			break;
		if (wait[1].revents)
			goes_on = take_signal(terminal);
		else if (wait[0].revents)
			goes_on = browser_press(terminal->browser, read_key(terminal));
	}
	return err;
}

/* ---- before and after ---- */

static int enter(struct terminal *terminal)
{
	struct termios raw;
	sigset_t mask;

	terminal->fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (terminal->fd < 0 || tcgetattr(terminal->fd, &terminal->before))
		return fail(-errno, "argument --tui: there is no terminal: %s", strerror(errno));
	sigemptyset(&mask);
	sigaddset(&mask, SIGWINCH);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigprocmask(SIG_BLOCK, &mask, &terminal->mask_before);
	terminal->signals = signalfd(-1, &mask, SFD_CLOEXEC);
	raw = terminal->before;
	cfmakeraw(&raw);
	if (terminal->signals < 0 || tcsetattr(terminal->fd, TCSAFLUSH, &raw))
		return fail(-errno, "argument --tui: %s", strerror(errno));
	return put(terminal->fd, BEGIN, strlen(BEGIN));
}

static void leave(const struct terminal *terminal)
{
	if (put(terminal->fd, END, strlen(END)) || tcsetattr(terminal->fd, TCSAFLUSH, &terminal->before))
		return; /* it has gone */
}

int tui_browse(const struct tree *tree, const struct graph_caption *caption)
{
	_cleanup_(browser_done) struct browser browser;
	struct terminal terminal = { .fd = -1, .signals = -1, .browser = &browser };
	int err;

	browser_init(&browser, tree, caption);
	err = enter(&terminal);
	if (!err) {
		take_size(&terminal);
		err = serve(&terminal);
		leave(&terminal);
		sigprocmask(SIG_SETMASK, &terminal.mask_before, NULL);
	}
	closep(&terminal.fd);
	closep(&terminal.signals);
	return err && !err_cause()[0] ? fail(err, "terminal: %s", strerror(-err)) : err;
}
