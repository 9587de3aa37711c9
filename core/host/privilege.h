/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Capabilities: reports missing ones, and drops those that are not needed after attaching. docs/internals/security.md has the reasons. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/buf.h"

/* 0 if this process may use BPF and perf events, else an ERR_HOST failure. privilege_note() reports what limits the result. */
int privilege_check(void);

/* Adds what the result will lack for each missing capability, separated by semicolons. Call it before privilege_drop(). */
void privilege_note(struct buf *ret_text);

/*
 * Drops all capabilities that are not needed after attaching, also from the bounding and ambient sets, and sets no_new_privs. The user's
 * command must have been forked before. 0 or a negative errno with a recorded cause: then the run must end.
 */
int privilege_drop(void);

/* For a process that only writes files: also keeps CAP_DAC_OVERRIDE, for other users' directories, and with `gives_away` CAP_CHOWN. */
int privilege_keep_writing(bool gives_away);

/* Adds a line for each capability that the process has: name and purpose. For --debug. */
void privilege_describe(struct buf *ret_text);

/* A capability that the tool uses; the strings are constants. */
struct privilege {
	const char *name; /* "CAP_BPF" */
	bool held; /* this one, or CAP_SYS_ADMIN if that implies it */
	bool essential; /* nothing can be collected without it */
	const char *purpose;
	const char *loss; /* what a result lacks without it; may be NULL */
};

/* Whether the process has CAP_SYS_PTRACE. */
bool privilege_may_trace(void);

/* Returns the capability number `index`; false: there are fewer. */
bool privilege_look(size_t index, struct privilege *ret_privilege);

/* Whether this process is in a user namespace that is not the initial one: its capabilities give no access to kernel events. */
bool privilege_in_user_namespace(void);

/*
 * Whether this process cannot open perf events because it lacks CAP_SYS_ADMIN and kernel.perf_event_paranoid is 3 or more. These are values
 * of Debian's kernels, for which CAP_PERFMON is not enough.
 */
bool privilege_is_kept_from_perf(long *ret_paranoid);
