/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/cli/finish.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/err.h"

/* Whether the other end of a pipe or socket is closed. poll() reports that even if errno was overwritten after the failed write. */
static bool reader_is_gone(FILE *out)
{
	struct pollfd descriptor = { .fd = fileno(out), .events = POLLOUT };

	return poll(&descriptor, 1, 0) == 1 && descriptor.revents & (POLLERR | POLLHUP);
}

int finish_output(FILE *out, int err)
{
	bool failed = ferror(out);
	int reason = errno ?: EIO; /* of an earlier write that failed, if nothing has changed errno since */

	if (fflush(out)) {
		failed = true;
		reason = errno;
	}
	if (!err || err == -EPIPE) /* the recorded cause, if any, is of an error that the run tolerated */
		err_clear();
	if (err_kind() != ERR_NONE || (!failed && !err))
		return err;
	if (err == -EPIPE || (failed && reader_is_gone(out))) {
		fputs("NOTE: output truncated: the reader closed the pipe\n", stderr);
		return 0;
	}
	if (!failed)
		return fail(err, "failed: %s", strerror(-err));
	return fail_write(err ? err : -reason, "standard output");
}
