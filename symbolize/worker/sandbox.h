/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Confines a forked child to what it needs to turn bytes into names.
 *
 * There are two levels. The supervisor, which only forks workers, gives up identity and privileges for good. A worker,
 * which reads untrusted files, also gives up the file system and all but some twenty system calls, and its memory and
 * CPU time are limited.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Closes every descriptor except `kept`, which becomes descriptor 3; 0, 1 and 2 become /dev/null. Returns 3 or -errno.
 */
int sandbox_keep_only(int kept);

/*
 * Drops all capabilities for good, and makes the process not dumpable. Root becomes a user and a group that no other
 * process has, chosen by the pid; if the user namespace lacks these, nobody; if it lacks that too, it keeps its own.
 */
int sandbox_drop_privileges(void);

/* Like sandbox_keep_only(), for a process whose 0, 1 and 2 are /dev/null already: opens nothing. */
int sandbox_keep_as_well(int kept);

/*
 * System calls of a process that only starts, ends and grants, and of what it forks until sandbox_confine(): others fail with EPERM. After
 * sandbox_drop_privileges(). 0 or a negative errno.
 */
int sandbox_filter_supervisor(void);

/* Whether this process can install system call filters. If not, workers run without a filter. */
bool sandbox_has_filter(void);

/* What the confinement of a child lacks on this host: bits of enum symbol_confinement (symbolize.h). */
unsigned int sandbox_lacks(void);

/*
 * Raises the limit of processes as far as possible, for the process that starts workers. Call it before it drops
 * privileges and changes its user.
 */
void sandbox_allow_processes(void);

/* Makes the process die with its parent and ignore signals of a terminal or a service manager, because the parent decides when to end. */
int sandbox_follow_parent(int parent_pid);

/* Raises the limit of descriptors to `wanted`, or as far as this process may. */
unsigned int sandbox_descriptors(unsigned int wanted);

/*
 * Sets the limits and, where the host has them, Landlock and the system call filter. Afterwards nothing can be opened.
 * `cpu_seconds`: the CPU time after which the process is killed, unless another process grants more. `descriptors`: how
 * many it may have. `memory_mb`: its address space.
 */
int sandbox_confine(unsigned int cpu_seconds, unsigned int descriptors, unsigned int memory_mb);

/* Grants a confined process of the same user this much CPU time from now on. 0 or a negative errno. */
int sandbox_grant_cpu(int pid, unsigned int cpu_seconds);

/* The CPU time of a process since its start, in milliseconds, or a negative errno; needs no privilege. */
int64_t sandbox_cpu_ms(int pid);
