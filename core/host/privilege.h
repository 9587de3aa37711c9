/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Capabilities: names those that this process lacks, before the kernel refuses with EPERM, and gives up those that it does not need
 * after attaching. docs/internals/security.md has the table with the reasons.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/buf.h"

/*
 * 0 if this process may load BPF programs and open perf events, else an ERR_HOST failure that names the missing capabilities. Those
 * without which only a part of the result is missing are left to privilege_note().
 */
int privilege_check(void);

/*
 * Adds what the result will lack for each missing capability, separated by semicolons; nothing if none is missing. To be called
 * before privilege_drop().
 */
void privilege_note(struct buf *ret_text);

/*
 * Gives up all capabilities that are not needed after attaching, also in the bounding and ambient sets, and sets no_new_privs. The
 * user's command must have been forked before. 0 or a negative errno with a recorded cause: then the run must end.
 */
int privilege_drop(void);

/*
 * The same for a process that only writes files. It keeps CAP_DAC_OVERRIDE, to write into directories of other users,
 * and CAP_CHOWN if it gives its files to another user.
 */
int privilege_keep_writing(bool gives_away);

/* Adds a line for each capability that is held: its name and purpose. For --debug. */
void privilege_describe(struct buf *ret_text);

/* A capability that the tool uses; the texts are constants. */
struct privilege {
	const char *name; /* "CAP_BPF" */
	bool held; /* or CAP_SYS_ADMIN in its place */
	bool essential; /* nothing can be collected without it */
	const char *purpose;
	const char *loss; /* what a result lacks without it, or NULL */
};

/* Whether the process has CAP_SYS_PTRACE. */
bool privilege_may_trace(void);

/* Gets number `index` of the capabilities; false if there are fewer. */
bool privilege_look(size_t index, struct privilege *ret_privilege);

/* Whether this process is in a user namespace of its own, whose capabilities do not give access to kernel events. */
bool privilege_in_user_namespace(void);

/*
 * Whether this process may not open perf events because it lacks CAP_SYS_ADMIN and kernel.perf_event_paranoid is 3 or more. Debian's
 * kernels have these values, for which CAP_PERFMON is not enough.
 */
bool privilege_is_kept_from_perf(long *ret_paranoid);
