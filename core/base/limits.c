/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/limits.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "core/base/err.h"

int fail_start(int code, const char *what)
{
	fail_host(code, "%s: cannot be started: %s", what, strerror(-code));
	if (code == -EAGAIN)
		hint("no more processes are allowed: raise 'ulimit -u', or pids.max of the control group (TasksMax= of a "
		     "service, --pids-limit of a container), by 8 at least");
	return code;
}

int fail_write(int code, const char *what)
{
	struct rlimit limit;

	fail(code, "%s: cannot be written: %s", what, strerror(-code));
	if (code == -EFBIG && !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY)
		hint("files may have %llu bytes at most: raise 'ulimit -f'", (unsigned long long)limit.rlim_cur);
	return code;
}
