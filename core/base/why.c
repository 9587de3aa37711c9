/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/why.h"

#include <errno.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/escape.h"

void why_add(struct buf *why, const char *format, ...)
{
	_cleanup_(buf_done) struct buf line = {};
	va_list arguments;

	if (!why)
		return;
	va_start(arguments, format);
	buf_vaddf(&line, format, arguments);
	va_end(arguments);
	escape_add(why, buf_text(&line), ESCAPE_LINE);
	buf_addc(why, '\n');
}

/* The meaning of the errors of opener.h. */
static const char *verdict(int fd)
{
	switch (fd) {
	case -ENOENT:
	case -ENOTDIR:
		return "no such file";
	case -ESRCH:
		return "the process has ended";
	case -ESTALE:
		return "not the file that is mapped";
	case -EINVAL:
	case -ELOOP:
		return "not a regular file, or a symbolic link";
	case -ENOEXEC:
		return "too short, or not a real file (procfs, sysfs)";
	default:
		return fd >= 0 ? "opened" : strerror(-fd);
	}
}

int why_opened(struct buf *why, const char *path, const char *where, int fd)
{
	why_add(why, "file %s%s%s: %s", path, *where ? " " : "", where, verdict(fd));
	return fd;
}
