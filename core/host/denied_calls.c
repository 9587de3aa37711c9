/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/denied_calls.h"

#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>

#include "core/base/call_filter.h"
#include "core/base/err.h"

/* Missing in headers of older distributions. */
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_setxattrat
#define SYS_setxattrat 463
#define SYS_removexattrat 466
#endif
#ifndef SYS_open_tree_attr
#define SYS_open_tree_attr 467
#endif
#ifndef SYS_file_setattr
#define SYS_file_setattr 469
#endif

#define WRITING (O_ACCMODE | O_CREAT | O_TRUNC)

static const struct sock_filter calls[] = {
	CALLS_BEGIN,
	/* files for writing */
	CALLS_REFUSE_BITS(SYS_openat, 2, WRITING),
	CALLS_REFUSE_BITS(SYS_open_by_handle_at, 2, WRITING),
	CALLS_REFUSE(SYS_openat2), /* its flags are in memory, which a filter cannot read */
	CALLS_REFUSE(SYS_truncate),
	/* names and attributes of files */
	CALLS_REFUSE(SYS_renameat),
	CALLS_REFUSE(SYS_renameat2),
	CALLS_REFUSE(SYS_linkat),
	CALLS_REFUSE(SYS_symlinkat),
	CALLS_REFUSE(SYS_unlinkat),
	CALLS_REFUSE(SYS_mkdirat),
	CALLS_REFUSE(SYS_mknodat),
	CALLS_REFUSE(SYS_fchmod),
	CALLS_REFUSE(SYS_fchmodat),
	CALLS_REFUSE(SYS_fchmodat2),
	CALLS_REFUSE(SYS_fchown),
	CALLS_REFUSE(SYS_fchownat),
	CALLS_REFUSE(SYS_setxattr),
	CALLS_REFUSE(SYS_lsetxattr),
	CALLS_REFUSE(SYS_fsetxattr),
	CALLS_REFUSE(SYS_setxattrat),
	CALLS_REFUSE(SYS_removexattr),
	CALLS_REFUSE(SYS_lremovexattr),
	CALLS_REFUSE(SYS_fremovexattr),
	CALLS_REFUSE(SYS_removexattrat),
	CALLS_REFUSE(SYS_file_setattr),
	/* other processes, and what they have open */
	CALLS_REFUSE(SYS_process_vm_writev),
	CALLS_REFUSE(SYS_process_madvise),
	CALLS_REFUSE(SYS_pidfd_getfd),
#ifndef __SANITIZE_ADDRESS__ /* the leak checker attaches to us and executes a symbolizer */
	CALLS_REFUSE(SYS_execve),
	CALLS_REFUSE(SYS_execveat),
#endif
	/* services that trust our user id, and input for our terminal's shell */
	CALLS_REFUSE(SYS_socket),
	CALLS_REFUSE(SYS_socketpair),
	CALLS_REFUSE(SYS_connect),
	CALLS_REFUSE(SYS_bind),
	CALLS_REFUSE_VALUES(SYS_ioctl, 1, TIOCSTI, TIOCLINUX),
	/* calls that bypass filters */
	CALLS_REFUSE(SYS_io_uring_setup),
	CALLS_REFUSE(SYS_io_uring_enter),
	CALLS_REFUSE(SYS_io_uring_register),
	/* mounts and namespaces */
	CALLS_REFUSE(SYS_mount),
	CALLS_REFUSE(SYS_umount2),
	CALLS_REFUSE(SYS_pivot_root),
	CALLS_REFUSE(SYS_chroot),
	CALLS_REFUSE(SYS_fsopen),
	CALLS_REFUSE(SYS_fspick),
	CALLS_REFUSE(SYS_open_tree),
	CALLS_REFUSE(SYS_open_tree_attr),
	CALLS_REFUSE(SYS_move_mount),
	CALLS_REFUSE(SYS_mount_setattr),
	CALLS_REFUSE(SYS_setns),
	CALLS_REFUSE(SYS_unshare),
	CALLS_REFUSE_BITS(SYS_clone, 0, CALLS_NAMESPACES),
	CALLS_IF(SYS_clone3, 1), /* its flags are in memory; after ENOSYS the C library calls clone() */
	CALLS_RETURN(SECCOMP_RET_ERRNO | ENOSYS),
	/* modules, other kernels, keys */
	CALLS_REFUSE(SYS_init_module),
	CALLS_REFUSE(SYS_finit_module),
	CALLS_REFUSE(SYS_delete_module),
	CALLS_REFUSE(SYS_kexec_load),
	CALLS_REFUSE(SYS_kexec_file_load),
	CALLS_REFUSE(SYS_add_key),
	CALLS_REFUSE(SYS_request_key),
	CALLS_REFUSE(SYS_keyctl),
#ifdef __x86_64__ /* older forms of the calls above */
	CALLS_REFUSE_BITS(SYS_open, 1, WRITING),
	CALLS_REFUSE(SYS_creat),
	CALLS_REFUSE(SYS_rename),
	CALLS_REFUSE(SYS_link),
	CALLS_REFUSE(SYS_symlink),
	CALLS_REFUSE(SYS_unlink),
	CALLS_REFUSE(SYS_mkdir),
	CALLS_REFUSE(SYS_rmdir),
	CALLS_REFUSE(SYS_mknod),
	CALLS_REFUSE(SYS_chmod),
	CALLS_REFUSE(SYS_chown),
	CALLS_REFUSE(SYS_lchown),
#endif
	CALLS_ALLOW_REST,
};

/* Denied later than the others: a command is held with it at its start. */
static const struct sock_filter ptrace_call[] = {
	CALLS_BEGIN,
#ifndef __SANITIZE_ADDRESS__
	CALLS_REFUSE(SYS_ptrace),
#endif
	CALLS_ALLOW_REST,
};

static int begin(const struct sock_filter *filter, size_t nr)
{
	int err = call_filter_begin(filter, nr);

	return err ? fail(err, "system call filter: %s", strerror(-err)) : 0;
}

int denied_calls_begin_but_ptrace(void)
{
	return begin(calls, sizeof(calls) / sizeof(*calls));
}

int denied_calls_add_ptrace(void)
{
	return begin(ptrace_call, sizeof(ptrace_call) / sizeof(*ptrace_call));
}
