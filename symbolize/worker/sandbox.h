/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a forked child gives up everything it does not need to turn bytes into names.
 *
 * Two steps, for two processes. The supervisor, which only forks workers, gives up identity and privileges for good. A
 * worker, which reads what strangers wrote, further gives up the file system, all but some twenty system calls, and
 * unbounded memory and CPU time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Closes every descriptor but `kept`, which becomes descriptor 3; 0, 1 and 2 become /dev/null. Returns 3 or -errno. */
int sandbox_keep_only(int kept);

/* No capabilities now or later, user and group nobody where that is possible, not dumpable, no way back. */
int sandbox_drop_privileges(void);

/* Whether this process can install system call filters. Where it cannot, a worker runs unfiltered. */
bool sandbox_has_filter(void);

/* What a child that gives everything up keeps all the same: bits of enum symbol_confinement (symbolize.h). */
unsigned int sandbox_lacks(void);

/* As many processes as may be, for one that starts workers: before privileges go, and the user changes. */
void sandbox_allow_processes(void);

/* Dies with its parent; ignores what a terminal or a service manager sends, for the parent decides when to end. */
int sandbox_follow_parent(int parent_pid);

/* As many descriptors as are wanted, or as this process may have. */
unsigned int sandbox_descriptors(unsigned int wanted);

/*
 * Limits, and where the host has them, Landlock and the system call filter. Nothing can be opened afterwards. `cpu_seconds`
 * is the CPU time after which the process is killed, unless another process grants more, `descriptors` how many it may have,
 * and `memory_mb` its address space.
 */
int sandbox_confine(unsigned int cpu_seconds, unsigned int descriptors, unsigned int memory_mb);

/* From outside: so much CPU time from now on for a confined process of the same user. 0 or a negative errno. */
int sandbox_grant_cpu(int pid, unsigned int cpu_seconds);

/* What a process has used of the CPU in its life, in milliseconds, or a negative errno; no privilege is needed. */
int64_t sandbox_cpu_ms(int pid);
