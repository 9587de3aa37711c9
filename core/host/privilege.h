/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Capabilities: what this process lacks, said by name before the kernel refuses with a bare EPERM, and what it gives up
 * once everything is attached. docs/internals/security.md has the table with the reasons.
 *
 * Saved profiles (`report`), help and --install need none of this.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/buf.h"

/*
 * 0 when this process may load BPF programs and open perf events, or an ERR_HOST failure that names the capabilities
 * that are missing. What merely makes a result poorer is no failure: privilege_note().
 */
int privilege_check(void);

/*
 * What will be missing in the result because a capability is, one sentence each; nothing when all are there. To be asked
 * before privilege_drop().
 */
void privilege_note(struct buf *ret_text);

/*
 * Gives up every capability that is not needed until the end, in the bounding and ambient sets too, and the way back
 * (no_new_privs). A command of the user is started before, with all that the user has. 0 or a negative errno with a
 * recorded cause: then nothing should go on.
 */
int privilege_drop(void);

/* The same for a process that only writes files: it keeps CAP_DAC_OVERRIDE, as for a home directory under sudo. */
int privilege_keep_writing(void);

/* One line for each capability that is held now: its name and what it is for. For --debug. */
void privilege_describe(struct buf *ret_text);

/* One of the capabilities that the tool can use; the texts are constants. */
struct privilege {
	const char *name;    /* "CAP_BPF" */
	bool held;           /* or CAP_SYS_ADMIN in its place */
	bool essential;      /* nothing can be collected without it */
	const char *purpose; /* what it is for */
	const char *loss;    /* what a result lacks without it, or NULL */
};

/* Number `index` of them, false when there are fewer. */
bool privilege_look(size_t index, struct privilege *ret_privilege);

/* Whether this process is in a user namespace of its own, so that its capabilities do not reach the kernel's events. */
bool privilege_in_user_namespace(void);

/*
 * Whether kernel.perf_event_paranoid keeps perf events from all who lack CAP_SYS_ADMIN, and this process lacks it. Debian's
 * kernels do so from 3 on, whatever CAP_PERFMON says; others have no such value.
 */
bool privilege_is_kept_from_perf(long *ret_paranoid);
