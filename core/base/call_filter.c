/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/call_filter.h"

#include <unistd.h>

int call_filter_begin(const struct sock_filter *calls, size_t nr)
{
	const struct sock_fprog program = { .len = (unsigned short)nr, .filter = (struct sock_filter *)calls };

	if (!syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
		return 0;
	return errno == EINVAL || errno == ENOSYS ? 0 : -errno;
}
