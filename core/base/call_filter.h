/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Seccomp filters as constant arrays of BPF instructions: nothing is computed at start.
 *
 * 	static const struct sock_filter calls[] = { CALLS_BEGIN, CALLS_ALLOW(SYS_read), CALLS_REFUSE_REST };
 *
 * A refused call fails with EPERM, also each call of another architecture (32-bit, x32). Calls newer than this program fail with ENOSYS.
 */
#pragma once

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define CALLS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CALLS_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the number of this architecture: linux/audit.h"
#endif

/* The first system call number unknown here: after file_setattr. From 424 on, calls have the same number on all architectures. */
#define CALLS_FIRST_UNKNOWN 470

#define CALLS_REFUSED (SECCOMP_RET_ERRNO | EPERM)
#define CALLS_RETURN(action) BPF_STMT(BPF_RET | BPF_K, (action))
#define CALLS_LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define CALLS_IF(nr, if_not) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (nr), 0, (if_not))

#define CALLS_BEGIN                                                                                                   \
	CALLS_LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CALLS_ARCHITECTURE, 1, 0), CALLS_RETURN(CALLS_REFUSED), \
		CALLS_LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, CALLS_FIRST_UNKNOWN, 0, 1),                       \
		CALLS_RETURN(SECCOMP_RET_ERRNO | ENOSYS)
#define CALLS_ALLOW(nr) CALLS_IF(nr, 1), CALLS_RETURN(SECCOMP_RET_ALLOW)
#define CALLS_REFUSE(nr) CALLS_IF(nr, 1), CALLS_RETURN(CALLS_REFUSED)
/*
 * Refuses a call if its argument `index` has one of the bits, or is one of the two values; else allows it. Only the lower half of the
 * argument counts, as for an int.
 */
#define CALLS_REFUSE_BITS(nr, index, bits)                                                            \
	CALLS_IF(nr, 4), CALLS_LOAD(args[index]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1), \
		CALLS_RETURN(CALLS_REFUSED), CALLS_ALLOW_REST
#define CALLS_REFUSE_VALUES(nr, index, first, second)                                                 \
	CALLS_IF(nr, 5), CALLS_LOAD(args[index]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (first), 1, 0), \
		CALLS_IF(second, 1), CALLS_RETURN(CALLS_REFUSED), CALLS_ALLOW_REST
#define CALLS_NAMESPACES \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
#define CALLS_REFUSE_REST CALLS_RETURN(CALLS_REFUSED)
#define CALLS_ALLOW_REST CALLS_RETURN(SECCOMP_RET_ALLOW)

/*
 * Installs the filter for all threads of this process and their descendants; no_new_privs must be set. Returns 0, also where filters are
 * missing (the kernel has none, or the filter of a container refuses seccomp()), or a negative errno.
 */
int call_filter_begin(const struct sock_filter *calls, size_t nr);
