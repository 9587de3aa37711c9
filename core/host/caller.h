/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user who called the tool, where root runs it for somebody else. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct caller {
	bool other; /* than the one we are */
	uid_t uid;
	gid_t gid;
	gid_t *groups; /* owned */
	size_t nr_groups;
};

/* Only root can have been called through sudo: SUDO_UID and SUDO_GID count for no one else. */
struct caller caller_find(void);
void caller_done(struct caller *caller);

/* Becomes that user for good, if it is another one. 0 or a negative errno. */
int caller_become(const struct caller *caller);
