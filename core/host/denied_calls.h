/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The system calls that are denied after attaching. The process that reads ring buffers and target files no longer needs to execute
 * programs, write to other processes, open files for writing, change names, mounts or namespaces, or reach a service. Such calls then fail
 * with EPERM.
 *
 * The filter is inherited by all threads and by processes that are forked or cloned later: the helpers that close links and read memory.
 * The user's command, the supervisor of the symbol workers, the writers and the process that runs debuginfod-find are forked before.
 */
#pragma once

/*
 * Two steps: all calls but ptrace(), and ptrace(), which holds a command at its start. privilege_drop() must have set no_new_privs. 0, also
 * on kernels without seccomp filters (which stacktool doctor reports), or a negative errno with a recorded cause.
 */
int denied_calls_begin_but_ptrace(void);
int denied_calls_add_ptrace(void);
