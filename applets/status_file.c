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

static const char option[] = "--status-file";

/* The length of the option in an argument, which may be abbreviated; 0: it is another option. */
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

/* end = NULL: it is still running. */
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

/* A new file at first, which also decides whose it is. After that the file stays, because its directory may become out of reach. */
int status_file_begin(const char *path, const char *applet)
{
	_cleanup_(buf_done) struct buf text = {};
	int err, fd;

	describe(applet, NULL, &text);
	err = replace_file(path, text.data, text.nr);
	if (err)
		return err;
	fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? fail(-errno, "'%s': cannot be opened: %s", path, strerror(errno)) : fd;
}

int status_file_end(int fd, const struct run_end *end)
{
	_cleanup_(closep) int file = fd;
	_cleanup_(buf_done) struct buf text = {};
	size_t done = 0;

	describe(end->applet, end, &text);
	if (ftruncate(file, 0))
		return -errno;
	while (done < text.nr) {
		ssize_t nr = pwrite(file, text.data + done, text.nr - done, (off_t)done);

		if (nr <= 0)
			return nr ? -errno : -EIO;
		done += (size_t)nr;
	}
	return 0;
}
