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
		hint("the limit of processes is reached: raise 'ulimit -u', or pids.max of the cgroup (TasksMax= "
		     "of a service, --pids-limit of a container), by at least 8");
	return code;
}

int fail_write(int code, const char *what)
{
	struct rlimit limit;

	fail(code, "%s: cannot be written: %s", what, strerror(-code));
	if (code == -EFBIG && !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY)
		hint("the limit is %llu bytes per file: raise 'ulimit -f'", (unsigned long long)limit.rlim_cur);
	return code;
}
