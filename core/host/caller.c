/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/caller.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/host/process.h"

static bool id_of(const char *name, unsigned int *ret_id)
{
	const char *text = getenv(name);
	char *end;
	unsigned long id;

	if (!text || *text < '0' || *text > '9')
		return false;
	id = strtoul(text, &end, 10);
	*ret_id = (unsigned int)id;
	return !*end && id < UINT_MAX;
}

void caller_done(struct caller *caller)
{
	free(caller->groups);
}

/*
 * The groups are those of the nearest ancestor process of that user, the shell that called sudo; only SUDO_GID if there is none.
 * getgrouplist() needs modules of the C library, which a static program cannot load.
 */
struct caller caller_find(void)
{
	struct caller caller = {};

	caller.other = geteuid() == 0 && id_of("SUDO_UID", &caller.uid) && id_of("SUDO_GID", &caller.gid) &&
		       caller.uid != 0;
	if (caller.other && !process_groups_of_caller(caller.uid, &caller.groups, &caller.nr_groups)) {
		caller.groups = xcalloc(1, sizeof(*caller.groups));
		caller.groups[caller.nr_groups++] = caller.gid;
	}
	return caller;
}

int caller_become(const struct caller *caller)
{
	if (!caller->other)
		return 0;
	if (setgroups(caller->nr_groups, caller->groups) || setresgid(caller->gid, caller->gid, caller->gid) ||
	    setresuid(caller->uid, caller->uid, caller->uid))
		return -errno;
	return 0;
}
