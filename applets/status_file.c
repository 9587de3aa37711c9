/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/status_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/replace.h"
#include "core/host/signals.h"

static const char option[] = "--status-file";

/* The length of the option's name, perhaps abbreviated, in an argument; 0: it is another option. */
static size_t option_length(const char *argument)
{
	const size_t length = strcspn(argument, "=");

	return length >= strlen("--status") && length < sizeof(option) && !strncmp(argument, option, length) ? length
													     : 0;
}

const char *status_file_find(int argc, char **argv)
{
	const char *path = NULL;

	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		const size_t length = option_length(argv[i]);

		if (!length)
			continue;
		if (argv[i][length] == '=')
			path = argv[i] + length + 1;
		else if (i + 1 < argc && strcmp(argv[i + 1], "--"))
			path = argv[i + 1];
	}
	return path && *path ? path : NULL;
}

static void add_status(struct json *json, const char *key, int status)
{
	if (status >= 0)
		json_number(json, key, (uint64_t)status);
	else
		json_text(json, key, NULL);
}

/* `end` NULL: the run has not ended. */
static void describe(const char *applet, const struct run_end *end, struct buf *text)
{
	struct json json = { .text = text };

	json_begin(&json, NULL, '{');
	json_text(&json, "format", "stacktool-status");
	json_number(&json, "version", 1);
	json_text(&json, "applet", applet);
	json_text(&json, "state", end ? "ended" : "running");
	if (end) {
		json_number(&json, "status", (uint64_t)end->status);
		json_number(&json, "own_status", (uint64_t)end->own_status);
		json_text(&json, "reason", end->reason);
		json_text(&json, "message", end->message);
		add_status(&json, "command_status", end->command_status);
	}
	json_end(&json, '}');
	buf_addc(text, '\n');
}

static int write_whole(int fd, const char *text, size_t nr)
{
	size_t done = 0;

	if (ftruncate(fd, 0))
		return -errno;
	while (done < nr) {
		ssize_t written = pwrite(fd, text + done, nr - done, (off_t)done);

		if (written <= 0)
			return written ? -errno : -EIO;
		done += (size_t)written;
	}
	return 0;
}

/* ---- the end by a signal: its handler only writes prepared texts ---- */

#define ANY_STATUS 999 /* placeholder in the prepared texts */
#define DIGITS 3

static struct {
	int fd;
	struct text {
		char bytes[512];
		size_t nr;
	} texts[2]; /* indexed by is_attached */
} prepared;

static void prepare(bool is_attached, const char *applet)
{
	const struct run_end end = {
		.applet = applet,
		.status = ANY_STATUS,
		.own_status = ANY_STATUS,
		.reason = "signal",
		.message = is_attached ? "ended by a signal: what was counted is not reported, or only in part"
				       : "stopped by a signal before anything was attached: nothing was counted",
		.command_status = -1,
	};
	_cleanup_(buf_done) struct buf text = {};
	struct text *to = &prepared.texts[is_attached];

	describe(applet, &end, &text);
	to->nr = text.nr < sizeof(to->bytes) ? text.nr : 0;
	memcpy(to->bytes, text.data, to->nr);
}

/* Writes the status, with leading blanks. */
static void put_status(char *digits, int status)
{
	for (int i = DIGITS - 1; i >= 0; i--, status /= 10)
		digits[i] = status || i == DIGITS - 1 ? (char)('0' + status % 10) : ' ';
}

static void write_prepared(int status, bool is_attached)
{
	static const char any[DIGITS + 1] = "999";
	struct text *text = &prepared.texts[is_attached];
	char *digits;

	while ((digits = memmem(text->bytes, text->nr, any, DIGITS)))
		put_status(digits, status);
	if (text->nr && write_whole(prepared.fd, text->bytes, text->nr))
		return; /* nobody can be told */
}

/* Creates the file, which also sets its owner. Later the same file is changed, because its directory may become unreachable. */
int status_file_begin(const char *path, const char *applet)
{
	_cleanup_(signals_release) sigset_t before;
	_cleanup_(buf_done) struct buf text = {};
	int err, fd;

	signals_hold(&before); /* a signal after this would leave a file that says "running" for ever */
	describe(applet, NULL, &text);
	err = replace_file(path, text.data, text.nr);
	if (err)
		return err;
	fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fail(-errno, "'%s': cannot be opened: %s", path, strerror(errno));
	prepared.fd = fd;
	prepare(false, applet);
	prepare(true, applet);
	signals_tell_end(write_prepared);
	return fd;
}

int status_file_end(int fd, const struct run_end *end)
{
	_cleanup_(closep) int file = fd;
	_cleanup_(buf_done) struct buf text = {};

	describe(end->applet, end, &text);
	return write_whole(file, text.data, text.nr);
}
