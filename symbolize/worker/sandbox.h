/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Confines a forked child.
 *
 * There are two levels. The supervisor, which only forks workers, permanently drops identity and privileges. A worker, which reads
 * untrusted files, also loses the file system and all but some twenty system calls, and has limits of memory and CPU time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Closes every descriptor except `kept`, which becomes descriptor 3; 0, 1 and 2 become /dev/null. Returns 3 or a negative errno. */
int sandbox_keep_only(int kept);

/*
 * Permanently drops all capabilities, and makes the process not dumpable. Root becomes a user and a group that no other process has,
 * derived from the pid; if the user namespace lacks that id, nobody (65534); if it lacks 65534, root keeps its ids. Returns 0 or a negative
 * errno.
 */
int sandbox_drop_privileges(void);

/* Like sandbox_keep_only(), but opens nothing: 0, 1 and 2 are already /dev/null. */
int sandbox_keep_as_well(int kept);

/*
 * Installs the system call filter of the supervisor. Its children inherit it until sandbox_confine(). Other calls fail with EPERM. Call it
 * after sandbox_drop_privileges(). Returns 0 or a negative errno.
 */
int sandbox_filter_supervisor(void);

/* Returns whether this process can install system call filters. If not, workers run without a filter. */
bool sandbox_has_filter(void);

/* Returns the missing parts of a child's confinement on this host: bits of enum symbol_confinement (symbolize.h). */
unsigned int sandbox_lacks(void);

/* Raises the process limit as far as possible. The supervisor calls it before it drops privileges and changes its user. */
void sandbox_allow_processes(void);

/*
 * Makes the process die with its parent and ignore signals of a terminal or a service manager, because the parent decides when the process
 * ends. Returns 0 or a negative errno.
 */
int sandbox_follow_parent(int parent_pid);

/* Returns `wanted`, or the hard limit of descriptors if that is lower. */
unsigned int sandbox_descriptors(unsigned int wanted);

/*
 * Sets the limits and, where the host has them, Landlock and the system call filter. Afterwards the process cannot open anything.
 * `cpu_seconds`: CPU time after which the kernel kills the process, unless another process grants more. `descriptors`: their maximum
 * number. `memory_mb`: address space. Returns 0 or a negative errno.
 */
int sandbox_confine(unsigned int cpu_seconds, unsigned int descriptors, unsigned int memory_mb);

/* Grants a confined process of the same user `cpu_seconds` of CPU time from now on. Returns 0 or a negative errno. */
int sandbox_grant_cpu(int pid, unsigned int cpu_seconds);

/* Returns the CPU time of a process since its start in milliseconds, or a negative errno. Needs no privilege. */
int64_t sandbox_cpu_ms(int pid);
