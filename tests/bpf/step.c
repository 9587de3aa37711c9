/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/bpf/step.h"

#if defined(__x86_64__) && !defined(ST_WITHOUT_UNWINDER)

#pragma GCC diagnostic ignored "-Wunknown-pragmas" /* clang's, which moves offsets to the running kernel's */
#pragma GCC diagnostic ignored "-Wpointer-arith"
#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* functions that are global for the verifier */

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

/* ---- what the kernel does ---- */

static pid_t walked;
static size_t nr_reads;

static void *user_lookup(const void *map, const void *key);

static long user_read(void *to, uint32_t nr, const void *from)
{
	const struct iovec here = { to, nr }, there = { (void *)from, nr };

	nr_reads++;
	if (process_vm_readv(walked, &here, 1, &there, 1, 0) == (ssize_t)nr)
		return 0;
	memset(to, 0, nr); /* as the kernel does */
	return -EFAULT;
}

/* Only for what is not walked here: the numbers of elided frames. */
static long update_nothing(const void *map, const void *key, const void *value, uint64_t flags)
{
	return -E2BIG;
}

static uint64_t no_time(void)
{
	return 0;
}

static struct user_regs_struct walked_registers;

/* Of the kernel's memory, only the registers can be read. */
static long kernel_read(void *to, uint32_t nr, const void *from)
{
	if (from == &walked_registers) {
		memcpy(to, from, nr);
		return 0;
	}
	memset(to, 0, nr);
	return -EFAULT;
}

/* A task of which nothing can be read: it has met no uprobe. */
static uint64_t some_task(void)
{
	static uint64_t task[512];

	return (uint64_t)task;
}

#define __TARGET_ARCH_x86
#define __builtin_preserve_access_index(x) x
#define __builtin_preserve_field_info(...) 1
#define __builtin_preserve_type_info(...) 1
#define __builtin_preserve_enum_value(...) 1
#define __builtin_btf_type_id(...) 1
#include <bpf/bpf_helpers.h>
#define bpf_map_lookup_elem user_lookup
#define bpf_map_update_elem update_nothing
#define bpf_ktime_get_ns no_time
#define bpf_probe_read_user user_read
#define bpf_probe_read_kernel kernel_read
#define bpf_get_current_task some_task
#define bpf_get_current_task_btf (struct task_struct *)some_task
#define bpf_task_pt_regs(task) ((void)(task), (long)&walked_registers)
#define ST_DEFINE_MAPS
#include "bpf/unwind.bpf.c"
#include "bpf/unwind_deep.bpf.c"
#include "bpf/unwind_uprobes.bpf.c"
#include "bpf/uprobes.bpf.c"

/* Frames of interpreters are not walked here. */
int st_python_note(__u32 slot_index)
{
	return 0;
}

int st_python_few(__u32 slot_index, __u32 in_uprobes)
{
	return 0;
}

int st_python_walk(__u32 slot_index)
{
	return 0;
}

int st_php_walk(__u32 slot_index)
{
	return 0;
}

int st_interpreter_find(__u32 slot_index)
{
	return 0;
}

const volatile struct st_config st_config = { .unwind = ST_UNWIND_TABLES };

static struct st_slot one_slot;
static struct st_deep deep;
static struct st_recent recent; /* of one walk: another store begins with the same spaces */

static void *user_lookup(const void *map, const void *key)
{
	const uint32_t *number = key;

	if (map == &st_scratch)
		return &one_slot;
	if (map == &st_recent)
		return &recent;
	if (map == &st_deep)
		return &deep;
	if (map == &st_depths)
		return NULL;
	if (map == &st_slabs)
		return step_slab(*number);
	if (map == &st_processes)
		return step_process(*number);
	return (void *)map; /* a slab, and its only element */
}

/* ---- the walk ---- */

_Static_assert(sizeof(struct user_regs_struct) >= 8 * ST_NR_REGISTERS, "the registers that ptrace gives");

void step_walk(pid_t pid, const struct user_regs_struct *registers, struct step_walk *ret_walk)
{
	memset(&one_slot, 0, sizeof(one_slot));
	memset(&recent, 0, sizeof(recent));
	memset(&deep, 0, sizeof(deep));
	walked = pid;
	nr_reads = 0;
	one_slot.unwind.tgid = (uint32_t)pid;
	one_slot.unwind.has_registers = 1;
	walked_registers = *registers;
	st_unwind_walk(0);
	*ret_walk = (struct step_walk){
		.nr = one_slot.stack.head.nr_user,
		.end = one_slot.stack.head.user_end,
		.nr_reads = nr_reads,
	};
	memcpy(ret_walk->pc, one_slot.stack.frames, ret_walk->nr * sizeof(*ret_walk->pc));
}

#endif
