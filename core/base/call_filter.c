/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/call_filter.h"

#include <unistd.h>

int call_filter_begin(const struct sock_filter *calls, size_t nr)
{
	const struct sock_fprog program = { .len = (unsigned short)nr, .filter = (struct sock_filter *)calls };
	long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);

	if (result > 0) /* a thread has another filter */
		return -EBUSY;
	/* EPERM: the filter of a container refuses seccomp() */
	return !result || errno == EINVAL || errno == ENOSYS || errno == EPERM ? 0 : -errno;
}
