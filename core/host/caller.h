/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user who called the tool through sudo. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct caller {
	bool other; /* the tool was called by another user than root */
	uid_t uid;
	gid_t gid;
	gid_t *groups; /* owned */
	size_t nr_groups;
};

/* Reads SUDO_UID and SUDO_GID, only if this process runs as root. caller_done() frees the groups. */
struct caller caller_find(void);
void caller_done(struct caller *caller);

/* Becomes that user irrevocably; does nothing without one. 0 or a negative errno. */
int caller_become(const struct caller *caller);
