// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds out where a thread is that a uprobe has moved: bpf/uprobes.bpf.h. */
#include "bpf/uprobes.bpf.h"

#if defined(__TARGET_ARCH_x86)

#define ST_COPY_BYTES 128 /* UPROBE_XOL_SLOT_BYTES, arch/x86/include/asm/uprobes.h */
#define ST_INSTANCES_MAX 64 /* MAX_URETPROBE_DEPTH, kernel/events/uprobes.c */
#define ST_PART_INSTANCES 4

/*
 * The trampoline of return probes: an int3, or from 6.11 on a system call (uretprobe_trampoline_entry in arch/x86/kernel/uprobes.c, commit
 * ff474a78cef5 ("uprobe: Add uretprobe syscall to speed up return probe")):
 *
 *   push %rax; push %rcx; push %r11; mov $__NR_uretprobe,%rax; syscall; pop %r11; pop %rcx; ret
 *
 * The system call writes the original return address over the saved %rax, where the replaced address was. ST_RETURN_PUSHED has two bits for
 * each byte of the code: for a thread at that byte, the distance in words from sp - 8 to this place.
 */
#define ST_RETURN_BYTES 17
#define ST_RETURN_AFTER 13 /* offset after the system call */
#define ST_RETURN_PUSHED 0x1bfffffa4ULL
#define ST_RETURN_FIRST 0x4fc0c74853415150ULL
#define ST_RETURN_SECOND 0x595b41050f000001ULL

/*
 * The trampoline of optimized uprobes: from 6.18 on, the kernel replaces a 5-byte nop by a call to it (uprobe_trampoline_entry):
 *
 *   push %rcx; push %r11; push %rax; mov $__NR_uprobe,%rax; syscall; pop %rax; pop %r11; pop %rcx; ret
 *
 * Later kernels replace 10 bytes by lea -0x80(%rsp),%rsp and the call, and the code ends with ret $0x80. ST_ENTRY_PUSHED has two bits for
 * each byte of the code: the number of words that have been pushed when the thread is there.
 */
#define ST_ENTRY_BYTES 18
#define ST_ENTRY_PUSHED 0x1afffff94ULL
#define ST_ENTRY_FIRST 0x50c0c74850534151ULL
#define ST_ENTRY_SECOND 0x5b4158050f000001ULL
#define ST_ENTRY_MOST 24 /* bytes pushed at the system call */
#define ST_ENTRY_RET 0xc359 /* pop %rcx; ret */
#define ST_ENTRY_RET_RED_ZONE 0x0080c259
#define ST_RED_ZONE 128
#define ST_LEA_AND_CALL 0xe88024648d48ULL
#define ST_CALL_BYTES 5

#define ST_INT3 0xcc
#define ST_CALL 0xe8
#define ST_RET 0xc3
#define ST_PUSH_BP 0x55
#define ST_ENDBR 0xfa1e0f /* its last three bytes */
#define ST_HIGH_BITS 0x8080808080808080ULL
#define ST_LOW_BITS 0x0101010101010101ULL
#define ST_PUSH_BP_MOV_SP_BP 0xe5894855

static __always_inline struct st_uprobes *st_uprobes_at(__u32 slot_index)
{
	struct st_slot *slot = 0;

	/* A kernel without uprobes does not have the types. */
	if (bpf_core_field_exists(struct task_struct, utask) && st_config.walk_frames)
		slot = st_slot_at(slot_index);
	return slot ? &slot->uprobes : 0;
}

/* Whether this user address is that of the trampoline of return probes. */
__noinline int st_uprobes_is_return(__u32 slot_index, __u64 address)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct st_uprobes *uprobes = st_uprobes_at(slot_index);

	if (!uprobes || address & (ST_PAGE_BYTES - 1))
		return 0;
	if (!uprobes->trampoline)
		uprobes->trampoline = BPF_CORE_READ(task, mm, uprobes_state.xol_area, vaddr);
	return address && uprobes->trampoline == address;
}

/* Whether the thread executes the copy. Until the kernel moves it back, it is in the copy, or where a jump in the copy led. */
static __always_inline int st_is_stepping(const struct uprobe_task *task)
{
	__u32 state = BPF_CORE_READ(task, state);

	return state >= bpf_core_enum_value(enum uprobe_task_state, UTASK_SSTEP) &&
	       state <= bpf_core_enum_value(enum uprobe_task_state, UTASK_SSTEP_TRAPPED) &&
	       BPF_CORE_READ(task, active_uprobe);
}

__noinline int st_uprobes_begin(__u32 slot_index, __u64 uprobe_task)
{
	const struct uprobe_task *task = (const struct uprobe_task *)uprobe_task;
	struct st_uprobes *uprobes = st_uprobes_at(slot_index);

	if (!uprobes)
		return 0;
	uprobes->trampoline = 0;
	uprobes->left = 2 * ST_INSTANCES_MAX / ST_PART_INSTANCES;
	uprobes->cursor = (__u64)BPF_CORE_READ(task, return_instances);
	uprobes->copy = BPF_CORE_READ(task, xol_vaddr);
	uprobes->copy_bytes = 0;
	if (uprobes->copy) {
		uprobes->original = BPF_CORE_READ(task, vaddr);
		uprobes->copy_bytes = st_is_stepping(task) ? ST_COPY_BYTES : 1;
	}
	return 0;
}

/* Whether a number can be a user address. */
static __always_inline int st_is_user(__u64 address)
{
	return address - ST_PAGE_BYTES < (1ULL << 56) - ST_PAGE_BYTES;
}

/* Checks the next return_instance: 1 if it belongs to `sp`, 0 if not, -1 at the end of the list. */
static __always_inline int st_look_at_instance(struct st_uprobes *uprobes)
{
	const struct return_instance *instance = (const struct return_instance *)*(volatile __u64 *)&uprobes->next;

	if (!instance)
		return -1;
	if (BPF_CORE_READ(instance, stack) == uprobes->sp)
		return 1;
	uprobes->next = (__u64)BPF_CORE_READ(instance, next);
	return 0;
}

/* Checks a few return_instances: 1 found, 0 not yet, -1 end of the list. */
__noinline int st_uprobes_part(__u32 slot_index)
{
	struct st_uprobes *uprobes = st_uprobes_at(slot_index);
	int found = 0;

	if (!uprobes || !uprobes->left)
		return -1;
	uprobes->left--;
	for (int i = 0; i < ST_PART_INSTANCES && !found; i++)
		found = st_look_at_instance(uprobes);
	return found;
}

/*
 * Searches the return_instances from `cursor` on for that of `sp`. Returns 1 if found: `pc` is the original address, and `cursor` is after
 * it.
 */
__noinline int st_uprobes_find(__u32 slot_index)
{
	struct st_uprobes *uprobes = st_uprobes_at(slot_index);
	const struct return_instance *instance;
	__u64 address;
	int found = 0;

	if (!uprobes)
		return 0;
	uprobes->next = uprobes->cursor;
	for (int i = 0; i < ST_INSTANCES_MAX && !found; i += ST_PART_INSTANCES)
		found = st_uprobes_part(slot_index);
	if (found <= 0)
		return 0;
	instance = (const struct return_instance *)uprobes->next;
	address = BPF_CORE_READ(instance, orig_ret_vaddr);
	if (!st_is_user(address))
		return 0;
	uprobes->pc = address;
	uprobes->cursor = (__u64)BPF_CORE_READ(instance, next);
	return 1;
}

/* Corrects `pc` if it is in the copy of an instruction or after it, which is the address that a call in the copy pushes. */
static __always_inline int st_leave_copy(struct st_uprobes *uprobes)
{
	__u64 in_copy = uprobes->pc - uprobes->copy;

	if (in_copy >= uprobes->copy_bytes)
		return 0;
	uprobes->pc = uprobes->original + in_copy;
	return 1;
}

__noinline int st_uprobes_return(__u32 slot_index)
{
	struct st_uprobes *uprobes = st_uprobes_at(slot_index);

	if (!uprobes)
		return 0;
	if (st_leave_copy(uprobes))
		return 1;
	if (!st_uprobes_is_return(slot_index, uprobes->pc))
		return 0;
	if (st_uprobes_find(slot_index))
		return 1;
	uprobes->pc++;
	return -1;
}

static __always_inline int st_read_code(struct st_uprobes *uprobes, __u64 address, __u32 nr)
{
	return (int)bpf_probe_read_user(uprobes->code, nr, (void *)address);
}

/* Searches the returns that the kernel has removed from its list: the last address may not be on the stack yet. */
static __always_inline int st_find_over(struct st_uprobes *uprobes, __u32 slot_index)
{
	struct uprobe_task *task = (struct uprobe_task *)st_uprobe_task();
	__u64 cursor = uprobes->cursor;
	int found;

	if (!bpf_core_field_exists(task->ri_pool))
		return 0;
	uprobes->cursor = (__u64)BPF_CORE_READ(task, ri_pool);
	found = st_uprobes_find(slot_index);
	uprobes->cursor = cursor;
	return found;
}

/* Finds the return whose address was at `at`, or at sp - 8: the system call moves the stack pointer before it moves the thread. */
static __always_inline int st_find_return(struct st_uprobes *uprobes, __u32 slot_index, __u64 at)
{
	uprobes->sp -= 8;
	if (st_uprobes_find(slot_index))
		return 1;
	uprobes->sp = at;
	return st_uprobes_find(slot_index) || st_find_over(uprobes, slot_index);
}

/*
 * Corrects a thread in the trampoline of return probes. Until the kernel has handled the return, its list has the original return address,
 * and after that the stack.
 */
static __always_inline int st_leave_return(struct st_uprobes *uprobes, __u32 slot_index)
{
	__u64 in_code = uprobes->pc & (ST_PAGE_BYTES - 1), at = uprobes->sp - 8;

	if (in_code >= ST_RETURN_BYTES || !st_uprobes_is_return(slot_index, uprobes->pc - in_code))
		return ST_LEAF_TRUE;
	if (st_read_code(uprobes, uprobes->trampoline, 16))
		return ST_LEAF_LOST;
	if (uprobes->code[0] == ST_RETURN_FIRST && uprobes->code[1] == ST_RETURN_SECOND)
		at += (ST_RETURN_PUSHED >> (2 * in_code) & 3) << 3;
	if (in_code <= ST_RETURN_AFTER && st_find_return(uprobes, slot_index, at)) {
		uprobes->sp += 8;
		return ST_LEAF_MOVED;
	}
	if (in_code < ST_RETURN_AFTER || st_read_code(uprobes, at, 8) || !st_is_user(uprobes->code[0]))
		return ST_LEAF_LOST;
	uprobes->pc = uprobes->code[0];
	uprobes->sp = at + 8;
	return ST_LEAF_MOVED;
}

/* Whether this user address is the trampoline of optimized uprobes. Returns 0, or 1 plus the size of the red zone that it skips. */
__noinline int st_uprobes_is_entry(__u32 slot_index, __u64 address)
{
	struct st_uprobes *uprobes = st_uprobes_at(slot_index);

	if (!uprobes || st_read_code(uprobes, address, sizeof(uprobes->code)))
		return 0;
	if (uprobes->code[0] != ST_ENTRY_FIRST || uprobes->code[1] != ST_ENTRY_SECOND)
		return 0;
	if ((__u16)uprobes->code[2] == ST_ENTRY_RET)
		return 1;
	return (__u32)uprobes->code[2] == ST_ENTRY_RET_RED_ZONE ? 1 + ST_RED_ZONE : 0;
}

/* If the word at `at` is the return address of a call to the trampoline that has `pc`, sets `pc` to that call and returns 1. */
__noinline int st_uprobes_call(__u32 slot_index, __u64 at)
{
	struct st_uprobes *uprobes = st_uprobes_at(slot_index);
	__u64 address;

	if (!uprobes || st_read_code(uprobes, at, 8))
		return 0;
	address = uprobes->code[0];
	if (st_read_code(uprobes, address - ST_CALL_BYTES, 8) || (__u8)uprobes->code[0] != ST_CALL ||
	    address + (__s32)(uprobes->code[0] >> 8) != (uprobes->pc & ~(__u64)(ST_PAGE_BYTES - 1)))
		return 0;
	uprobes->pc = address - ST_CALL_BYTES;
	return 1;
}

/* Moves a thread in the trampoline of optimized uprobes back to the call. The kernel moves the stack pointer first. */
static __always_inline int st_leave_entry(struct st_uprobes *uprobes, __u32 slot_index)
{
	__u64 in_code = uprobes->pc & (ST_PAGE_BYTES - 1), at;
	int is_entry;

	if (in_code >= ST_ENTRY_BYTES)
		return ST_LEAF_TRUE;
	is_entry = st_uprobes_is_entry(slot_index, uprobes->pc - in_code);
	if (!is_entry)
		return ST_LEAF_TRUE;
	at = uprobes->sp + ((ST_ENTRY_PUSHED >> (2 * in_code) & 3) << 3);
	if (!st_uprobes_call(slot_index, at)) {
		at = uprobes->sp - 8 - (is_entry - 1);
		if (!st_uprobes_call(slot_index, at))
			return ST_LEAF_LOST;
	}
	uprobes->sp = at + 8 + (is_entry - 1);
	return ST_LEAF_MOVED;
}

/*
 * Corrects `sp` while the kernel returns to the trampoline from an optimized uprobe of `bytes` bytes: `sp` is already that of the
 * trampoline, `pc` still that of the uprobe.
 */
static __always_inline int st_is_back(struct st_uprobes *uprobes, __u64 bytes, __u64 red_zone)
{
	if (st_read_code(uprobes, uprobes->sp + ST_ENTRY_MOST, 8) || uprobes->code[0] != uprobes->pc + bytes)
		return ST_LEAF_TRUE;
	uprobes->sp += ST_ENTRY_MOST + 8 + red_zone;
	return ST_LEAF_MOVED;
}

/* Decides by the code around `pc`: 5 bytes before it and 11 from it on. */
static __always_inline int st_leaf_by_code(struct st_uprobes *uprobes, __u32 slot_index)
{
	__u64 before, target;

	if (st_read_code(uprobes, uprobes->pc - ST_CALL_BYTES, 16))
		return ST_LEAF_TRUE;
	before = uprobes->code[0];
	if ((before & 0xffffffffffffULL) == ST_LEA_AND_CALL) {
		target = uprobes->pc + ST_CALL_BYTES + (__s32)((__u32)(before >> 48) | (__u32)uprobes->code[1] << 16);
		if (st_uprobes_is_entry(slot_index, target) != 1 + ST_RED_ZONE)
			return ST_LEAF_TRUE;
		uprobes->pc -= ST_CALL_BYTES;
		uprobes->sp += ST_RED_ZONE;
		return ST_LEAF_MOVED;
	}
	if (!uprobes->in_kernel)
		return ST_LEAF_TRUE;
	if ((__u8)(before >> 40) == ST_CALL)
		return st_is_back(uprobes, ST_CALL_BYTES, 0);
	if ((before >> 40) == (ST_LEA_AND_CALL & 0xffffff))
		return st_is_back(uprobes, 2 * ST_CALL_BYTES, ST_RED_ZONE);
	if ((__u8)(before >> 32) == ST_INT3)
		return ST_LEAF_AFTER_BREAKPOINT;
	return (__u8)(before >> 40) == ST_INT3 ? ST_LEAF_AT_BREAKPOINT : ST_LEAF_TRUE;
}

__noinline int st_uprobes_leaf(__u32 slot_index)
{
	struct st_uprobes *uprobes = st_uprobes_at(slot_index);
	int leaf = ST_LEAF_TRUE;

	if (!uprobes)
		return leaf;
	if (st_leave_copy(uprobes))
		return ST_LEAF_MOVED;
	if (uprobes->copy_bytes > 1) /* the thread came here by a jump or call in the copy, not from a breakpoint */
		return leaf;
	if ((uprobes->pc & (ST_PAGE_BYTES - 1)) < ST_ENTRY_BYTES) {
		leaf = st_leave_return(uprobes, slot_index);
		if (leaf == ST_LEAF_TRUE)
			leaf = st_leave_entry(uprobes, slot_index);
	}
	return leaf == ST_LEAF_TRUE ? st_leaf_by_code(uprobes, slot_index) : leaf;
}

/* The 8 bytes from byte i on, of 16. */
#define ST_CODE(code, i) ((i) < 8 ? (code)[0] >> (8 * (i)) | (code)[1] << (64 - 8 * (i)) : (code)[1] >> (8 * ((i) - 8)))

/* 0x80 for each byte of a word that is zero. */
static __always_inline __u64 st_zero_bytes(__u64 word)
{
	return ~(((word & ~ST_HIGH_BITS) + ~ST_HIGH_BITS) | word | ~ST_HIGH_BITS);
}

/* Not 0 if these 8 bytes contain mov %rsp,%rbp. */
static __always_inline __u64 st_sets_frame(__u64 code)
{
	return st_zero_bytes(code ^ 0x48 * ST_LOW_BITS) & st_zero_bytes(code >> 8 ^ 0x89 * ST_LOW_BITS) &
	       st_zero_bytes(code >> 16 ^ 0xe5 * ST_LOW_BITS);
}

/* Whether a breakpoint or an optimized uprobe has replaced a nop of 5 or 10 bytes before push %rbp; mov %rsp,%rbp. */
static __always_inline __u64 st_was_nop(const __u64 *code, __u64 is_call, __u64 is_int3)
{
	__u64 is_lea = st_is_equal(ST_CODE(code, 1) & 0xffffffffffffULL, ST_LEA_AND_CALL);

	return ((is_call | is_int3) & st_is_equal((__u32)ST_CODE(code, 6), ST_PUSH_BP_MOV_SP_BP)) |
	       ((is_lea | is_int3) & st_is_equal((__u32)ST_CODE(code, 11), ST_PUSH_BP_MOV_SP_BP));
}

/*
 * Recognises code without a frame of its own. At ret, the frame has been removed. A function begins with push %rbp, maybe after endbr64,
 * and then mov %rsp,%rbp, maybe after other instructions; a breakpoint may replace the first byte of each. After the push, the top of the
 * stack is the frame pointer, perhaps while pc is still at the push: the kernel emulates a push before it moves the thread. Conditions are
 * bits, because the verifier would follow branches separately.
 */
__noinline int st_uprobes_prologue(__u32 slot_index)
{
	struct st_uprobes *uprobes = st_uprobes_at(slot_index);
	__u64 top[2], before, first, is_int3, is_call, is_bare, sets_frame, is_early, is_pushed, target;

	if (!uprobes || st_read_code(uprobes, uprobes->pc - 1, 16) ||
	    (int)bpf_probe_read_user(top, sizeof(top), (void *)uprobes->sp))
		return 0;
	before = (__u8)uprobes->code[0];
	first = (__u8)ST_CODE(uprobes->code, 1);
	is_int3 = st_is_equal(first, ST_INT3);
	is_call = st_is_equal(first, ST_CALL);
	is_bare = st_is_equal(first, ST_RET) | st_was_nop(uprobes->code, is_call, is_int3);
	sets_frame = 1 ^ st_is_equal(st_sets_frame(ST_CODE(uprobes->code, 1)) >> 7, 0);
	is_early = is_int3 | st_is_equal(first, ST_PUSH_BP) |
		   st_is_equal(ST_CODE(uprobes->code, 2) & 0xffffff, ST_ENDBR);
	is_pushed = (is_int3 | st_is_equal(before, ST_PUSH_BP) | st_is_equal(before, ST_INT3)) & sets_frame & ~is_bare;
	is_pushed &= st_is_equal((top[0] ^ uprobes->bp) >> 1, 0) & ~(top[0] ^ uprobes->bp);
	uprobes->sp += is_pushed << 3;
	uprobes->caller = top[0] ^ ((top[0] ^ top[1]) & -is_pushed);
	if (!(is_bare | is_pushed | (sets_frame & is_early)))
		return 0;
	if (!(is_bare & is_call))
		return 1;
	/* Other calls are the last instruction of a function, and the next function follows. */
	target = uprobes->pc + ST_CALL_BYTES + (__s32)ST_CODE(uprobes->code, 2);
	return st_uprobes_is_entry(slot_index, target) != 0;
}

#endif
