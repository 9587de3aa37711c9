/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user who called the tool through sudo. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct caller {
	bool other; /* there is one, and it is not the user of this process */
	uid_t uid;
	gid_t gid;
	gid_t *groups; /* owned */
	size_t nr_groups;
};

/* SUDO_UID and SUDO_GID count only if this process runs as root. caller_done() frees the groups. */
struct caller caller_find(void);
void caller_done(struct caller *caller);

/* Becomes that user for good; does nothing if there is none. 0 or a negative errno. */
int caller_become(const struct caller *caller);
