// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waits for user locks, of `lock`. A thread that waits for a lock is inside futex(2): the registers with which it entered the kernel have
 * the address of the lock. So do those of the thread that wakes it, which releases the lock. No system call is traced for that.
 *
 * Whether memory at that address is a mutex is decided by the names of the waiter's functions, in user space. Here it is only read what a
 * mutex of glibc or musl would have there, and a thread id counts only if the process has such a thread.
 */
#include "bpf/arch.bpf.h"
#include "bpf/lock.h"
#include "bpf/switch.bpf.h"

/* The numbers of system calls, from include/uapi/asm-generic/unistd.h and syscall_64.tbl. */
enum {
#if defined(__TARGET_ARCH_x86)
	ST_CALL_FUTEX = 202,
#else
	ST_CALL_FUTEX = 98,
#endif
	ST_CALL_FUTEX_WAKE = 454, /* v6.7 */
	ST_CALL_FUTEX_WAIT = 455,
};

/* From include/uapi/linux/futex.h. */
enum {
	ST_FUTEX_WAIT = 0,
	ST_FUTEX_WAKE = 1,
	ST_FUTEX_LOCK_PI = 6,
	ST_FUTEX_WAIT_BITSET = 9,
	ST_FUTEX_WAIT_REQUEUE_PI = 11,
	ST_FUTEX_LOCK_PI2 = 13,
	ST_FUTEX_COMMAND = 127, /* without PRIVATE and CLOCK_REALTIME */
	ST_FUTEX_WAITERS = 1U << 31,
	ST_FUTEX_TID = 0x3fffffff,
};

#define ST_LOCKS_PI (1U << ST_FUTEX_LOCK_PI | 1U << ST_FUTEX_LOCK_PI2)
#define ST_WAITS (ST_LOCKS_PI | 1U << ST_FUTEX_WAIT | 1U << ST_FUTEX_WAIT_BITSET | 1U << ST_FUTEX_WAIT_REQUEUE_PI)

/* A call of futex(2). */
struct st_futex {
	__u64 address;
	__u32 command; /* a bit: 1 << FUTEX_* */
	__u32 value;
};

#define ST_FIELD(registers, field) \
	(st_config.task_access == TASK_ACCESS_BTF ? (registers)->field : BPF_CORE_READ((registers), field))

static __always_inline void *st_current_registers(void)
{
#if defined(__TARGET_ARCH_x86)
	return st_task_registers((struct task_struct *)bpf_get_current_task());
#else
	if (bpf_core_enum_value_exists(enum bpf_func_id___of_registers, BPF_FUNC_task_pt_regs___of_registers))
		return (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	return 0;
#endif
}

/* The call that the current thread is in. 0, or -1: another one, or none. */
static __always_inline int st_read_futex(struct st_futex *ret_futex)
{
	struct pt_regs___of_call *registers = st_current_registers();
	__u64 second;
	__u32 call;

	if (!registers || st_config.task_access == TASK_ACCESS_NONE || st_is_32bit_call())
		return -1;
	if (bpf_core_field_exists(registers->orig_ax)) {
		call = ST_FIELD(registers, orig_ax);
		ret_futex->address = ST_FIELD(registers, di);
		second = ST_FIELD(registers, si);
		ret_futex->value = ST_FIELD(registers, dx);
	} else if (bpf_core_field_exists(registers->syscallno)) {
		call = ST_FIELD(registers, syscallno);
		ret_futex->address = ST_FIELD(registers, orig_x0);
		second = ST_FIELD(registers, regs[1]);
		ret_futex->value = ST_FIELD(registers, regs[2]);
	} else {
		return -1;
	}
	ret_futex->command = 1U << (second & ST_FUTEX_COMMAND & 31);
	if (call == ST_CALL_FUTEX_WAIT) {
		ret_futex->command = 1U << ST_FUTEX_WAIT;
		ret_futex->value = second;
	} else if (call == ST_CALL_FUTEX_WAKE) {
		ret_futex->command = 1U << ST_FUTEX_WAKE;
	} else if (call != ST_CALL_FUTEX) {
		return -1;
	}
	return 0;
}

__noinline int st_lock_waits(void)
{
	struct st_futex futex = {};

	return !st_read_futex(&futex) && (futex.command & ST_WAITS) != 0;
}

/* ---- threads of a process ---- */

static __always_inline __u64 st_thread_key(__u32 own)
{
	return ST_THREAD_KEY(bpf_get_current_pid_tgid() >> 32, own);
}

__noinline int st_lock_thread(__u32 tid)
{
	struct task_struct *task;
	__u32 own = 0, level;
	struct pid *pid;
	__u64 key;

	if (st_config.task_access == TASK_ACCESS_BTF) { /* of an array, only the first element can be dereferenced */
		task = (struct task_struct *)bpf_get_current_task_btf();
		pid = task->thread_pid;
		own = !pid || pid->level ? 0 : task->pid;
	} else if (st_config.task_access == TASK_ACCESS_PROBE_READ) {
		pid = BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), thread_pid);
		level = BPF_CORE_READ(pid, level);
		bpf_probe_read_kernel(&own, sizeof(own),
				      (void *)((__u64)pid + bpf_core_field_offset(struct pid, numbers) +
					       (__u64)level * bpf_core_type_size(struct upid) +
					       bpf_core_field_offset(struct upid, nr)));
	}
	key = st_thread_key(own);
	if (own && (int)bpf_map_update_elem(&st_threads, &key, &tid, BPF_ANY))
		return -(int)own;
	return own;
}

__noinline int st_lock_forget(__u32 own)
{
	__u64 key = st_thread_key(own);

	return bpf_map_delete_elem(&st_threads, &key);
}

/* ---- owners ---- */

/* A mutex of glibc, whose waiters wait at its first member. */
struct st_mutex {
	__u32 lock, count, owner, nusers, kind;
};

#define ST_MUTEX_KINDS 0x400 /* more than all flags of `kind` */
#define ST_MUTEX_WAITED 2 /* `lock` of an ordinary mutex that others wait for */
#define ST_MUSL_WAITED (ST_FUTEX_WAITERS | 16) /* the same in musl: it has no owner */

/* The owner as a mutex at this address would have it, by its id in its own pid namespace; 0: none. */
static __always_inline __u32 st_owner_at(const struct st_futex *futex)
{
	struct st_mutex mutex = {};

	if (!st_config.unwind && !st_config.walk_frames)
		return 0; /* user memory cannot be read */
	if (bpf_probe_read_user(&mutex, sizeof(mutex), (void *)futex->address))
		return 0;
	if (futex->command & ST_LOCKS_PI)
		return mutex.lock & ST_FUTEX_TID;
	if (futex->value & ST_FUTEX_WAITERS)
		return futex->value == ST_MUSL_WAITED ? 0 : futex->value & ST_FUTEX_TID;
	if (futex->value != ST_MUTEX_WAITED || !mutex.nusers || mutex.kind >= ST_MUTEX_KINDS)
		return 0;
	return mutex.owner;
}

__noinline int st_lock_note(__u32 slot_index)
{
	struct st_slot *slot = st_slot_at(slot_index);
	struct st_futex futex = {};
	__u32 *owner;
	__u64 key;

	if (!slot || st_read_futex(&futex))
		return 0;
	ST_LOCK(&slot->stack.head) = futex.address;
	if (!(futex.command & ST_WAITS))
		return 0;
	ST_LOCK_WAITS(&slot->stack.head) = 1;
	key = st_thread_key(st_owner_at(&futex));
	owner = (__u32)key ? bpf_map_lookup_elem(&st_threads, &key) : 0;
	ST_LOCK_OWNER(&slot->stack.head) = owner ? *owner : 0;
	return 0;
}
