/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Once everything is attached, the process that reads rings and target files no longer needs the system calls that execute programs,
 * write to other processes, open files for writing, change names, mounts or namespaces, or reach a service. They fail with
 * EPERM from then on.
 *
 * All threads have the filter, and every process that is forked or cloned later: the helpers that close links and read memory. The
 * command of the user, the supervisor of the symbol workers, the writers and the asker of debuginfod are forked before.
 */
#pragma once

/*
 * In two steps: all calls but ptrace(), which holds a command at its start, and ptrace(). no_new_privs must be set
 * (privilege_drop()). 0, also where there are no seccomp filters (stacktool doctor reports that), or a
 * negative errno with a recorded cause.
 */
int denied_calls_begin_but_ptrace(void);
int denied_calls_add_ptrace(void);
