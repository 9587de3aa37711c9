// SPDX-License-Identifier: GPL-2.0-or-later
/* The PHP frames of the current thread: docs/internals/php.md. All memory is that of the process and may be forged. */
#include "bpf/interpreter.bpf.h"
#include "bpf/record.bpf.h"
#include "bpf/registers.h"

#if defined(__TARGET_ARCH_x86) && !defined(ST_WITHOUT_UNWINDER)

#define ST_PHP_CALLED_BY_C 2 /* of the flags of a call: the loop was entered for it */
#define ST_PHP_CODE_BYTES (1 << 24) /* instructions of a function that have lines, at most */

enum { /* types of functions */
	ST_PHP_INTERNAL = 1,
	ST_PHP_USER = 2,
	ST_PHP_EVAL = 4,
};

/* Those that follow are on another stack: the frame that was taken last is the outermost of a fiber. */
static __always_inline void st_php_leave(const struct st_python_walk *walk, struct st_slot *slot)
{
	__u32 last = walk->at - 2;

	st_opaque(last);
	if (walk->at == walk->first || last >= 2 * ST_MAX_FRAMES)
		return;
	st_opaque(last);
	slot->stack.frames[last] |= 1ULL << 50;
}

static __always_inline int st_php_is_in_loop(const struct st_php *php, __u64 pc)
{
	return pc - php->loop < php->loop_bytes || pc - php->cold < php->cold_bytes;
}

/* The line of an instruction of a function whose code begins at `code`; 0: unknown. */
static __always_inline __u32 st_php_line(const struct st_php *php, __u64 code, __u64 instruction)
{
	__u32 line = 0;

	if (instruction & 7 || instruction - code >= ST_PHP_CODE_BYTES ||
	    (int)bpf_probe_read_user(&line, sizeof(line), (void *)(instruction + php->instruction_line)) ||
	    line >> ST_PHP_LINE_BITS)
		return 0;
	return line;
}

/* The line of the frame in the window. In the loop, the instruction of the innermost one is in a register. */
static __always_inline __u32 st_php_line_of(const struct st_python_walk *walk, const struct st_slot *slot, __u64 frame)
{
	const __u64 *registers = slot->unwind.registers; /* r15, r14 and others */
	__u64 code = st_python_word(walk->code, walk->php.function_code, ST_PYTHON_CODE_BYTES - 8);
	__u32 line = 0;

	if (walk->php.loop_has_registers && walk->at == walk->first && registers[1] == frame &&
	    st_php_is_in_loop(&walk->php, registers[ST_PT_IP]))
		line = st_php_line(&walk->php, code, registers[0]);
	return line ? line
		    : st_php_line(&walk->php, code, st_python_word(walk->window, walk->php.frame_instruction, 120));
}

/* A number for a string: its hash; if it has none yet, its characters if they are few, else its address. 0: there is no string. */
static __always_inline __u64 st_php_text(const struct st_php *php, __u64 text)
{
	__u64 words[4] = {}, nr; /* hash, length, characters */

	if (!text || (int)bpf_probe_read_user(words, sizeof(words), (void *)(text + php->text - 16)))
		return 0;
	nr = words[1];
	if (words[0] || nr > 16)
		return words[0] ? words[0] : nr ^ text;
	if (nr < 8)
		words[2] &= (1ULL << 8 * nr) - 1;
	if (nr < 16)
		words[3] &= nr > 8 ? (1ULL << 8 * (nr - 8)) - 1 : 0;
	return nr + words[2] * 0x9e3779b97f4a7c15ULL + words[3];
}

/* Copies the names of the function. */
__noinline int st_php_copy(__u32 slot_index)
{
	struct st_python_walk *walk = st_python_walk_at(slot_index);
	struct st_function *function;
	__u64 length = 0;

	if (!ST_WALKS_PHP || !walk)
		return 0;
	function = &walk->function;
	function->name[0] = function->class_name[0] = function->file[0] = 0;
	if (function->name_at)
		bpf_probe_read_user_str(function->name, sizeof(function->name),
					(void *)(function->name_at + walk->php.text));
	if (function->class_at)
		bpf_probe_read_user_str(function->class_name, sizeof(function->class_name),
					(void *)(function->class_at + walk->php.text));
	if (!function->file_at || st_python_read(function->file_at + walk->php.text - 8, &length))
		return 0;
	length = length < sizeof(function->file) ? 0 : length - (sizeof(function->file) - 1);
	bpf_probe_read_user_str(function->file, sizeof(function->file),
				(void *)(function->file_at + walk->php.text + length));
	return 0;
}

static __always_inline __u64 *st_php_seen_at(struct st_python_walk *walk, __u32 place)
{
	place &= ST_PHP_SEEN - 1;
	st_opaque(place);
	return &walk->seen[place & (ST_PHP_SEEN - 1)];
}

/* Tells the reader of a function, unless it has been told. */
static __always_inline void st_php_tell(struct st_python_walk *walk, __u32 slot_index, __u32 tgid)
{
	__u64 key = walk->function.cookie + ((__u64)tgid << 16 | walk->php.epoch) * 0x9e3779b97f4a7c15ULL;
	__u32 place = (__u32)(key ^ key >> 56);

	if (!ST_WALKS_PHP || *st_php_seen_at(walk, place) == key)
		return;
	walk->key = key;
	if (bpf_map_lookup_elem(&st_told, &walk->key)) {
		*st_php_seen_at(walk, place) = key;
		return;
	}
	walk->function.kind = ST_MESSAGE_FUNCTION;
	walk->function.tgid = tgid;
	st_php_copy(slot_index);
	if (!(int)bpf_ringbuf_output(&st_ring, &walk->function, sizeof(walk->function), st_wake_flag(0)))
		bpf_map_update_elem(&st_told, &walk->key, &walk->function.tgid, BPF_ANY);
}

/* Adds the frame in the window, whose function is in `code`. 0, or -1: the walk ends. */
__noinline int st_php_add(__u32 slot_index, __u64 frame)
{
	struct st_python_walk *walk = st_python_walk_at(slot_index);
	struct st_slot *slot = st_unwind_slot(slot_index);
	const __u32 mask = ST_PYTHON_CODE_BYTES - 8;
	struct st_function *function;
	__u64 scope, cookie;
	__u32 line = 0, ends = 0;
	__u8 type;

	if (!walk || !slot)
		return -1;
	type = ((volatile __u8 *)walk->code)[walk->php.function_type & 255];
	function = &walk->function;
	function->name_at = st_python_word(walk->code, walk->php.function_name, mask);
	function->file_at = function->class_at = 0;
	if (type == ST_PHP_INTERNAL && !function->name_at) {
		st_php_leave(walk, slot);
		return 0;
	}
	if (type == ST_PHP_USER || type == ST_PHP_EVAL) {
		function->file_at = st_python_word(walk->code, walk->php.function_file, mask);
		line = st_php_line_of(walk, slot, frame);
		ends = (((volatile __u8 *)walk->window)[walk->php.frame_call & 127] & ST_PHP_CALLED_BY_C) != 0;
	} else if (type != ST_PHP_INTERNAL) {
		return st_python_end(slot_index, ST_PYTHON_UNREADABLE);
	}
	scope = st_python_word(walk->code, walk->php.function_scope, mask);
	if (scope)
		st_python_read(scope + walk->php.class_name, &function->class_at);
	cookie = st_php_cookie(st_php_text(&walk->php, function->name_at), st_php_text(&walk->php, function->file_at),
			       st_php_text(&walk->php, function->class_at));
	function->cookie = cookie;
	st_php_tell(walk, slot_index, slot->unwind.tgid);
	if (st_python_put(walk, slot, 1 | 1ULL << 51 | (__u64)ends << 48, cookie << ST_PHP_LINE_BITS | line, 3))
		return st_python_end(slot_index, ST_PYTHON_MORE);
	return 0;
}

/* Takes the next frame. 0, or -1: the walk ends. */
__noinline int st_php_take(__u32 slot_index)
{
	struct st_python_walk *walk = st_python_walk_at(slot_index);
	__u64 frame, function;
	__u32 bytes;

	if (!walk)
		return -1;
	frame = walk->frame;
	if (!frame)
		return -1;
	if (frame & 7 || (int)bpf_probe_read_user(walk->window, ST_PYTHON_FRAME_BYTES, (void *)frame))
		return st_python_end(slot_index, ST_PYTHON_UNREADABLE);
	walk->frame = st_python_word(walk->window, walk->php.frame_previous, 120);
	function = st_python_word(walk->window, walk->php.frame_function, 120);
	if (!function) /* a frame of the interpreter's own */
		return 0;
	bytes = walk->php.function_bytes;
	st_opaque(bytes);
	if (bytes > ST_PYTHON_CODE_BYTES)
		return -1;
	st_opaque(bytes);
	if (function >> ST_PYTHON_ADDRESS_BITS ||
	    ((int)bpf_probe_read_user(walk->code, bytes, (void *)function) &&
	     (int)bpf_probe_read_user(walk->code, ST_PHP_FUNCTION_BYTES, (void *)function)))
		return st_python_end(slot_index, ST_PYTHON_UNREADABLE);
	return st_php_add(slot_index, frame);
}

__noinline int st_php_steps(__u32 slot_index)
{
	if (!ST_WALKS_PHP)
		return -1;
#pragma clang loop unroll(disable)
	for (int i = 0; i < ST_PYTHON_STEPS; i++)
		if (st_php_take(slot_index))
			return -1;
	return 0;
}

/* Builds without threads have one list of frames, which is that of the first thread. */
__noinline int st_php_walk(__u32 slot_index)
{
	struct st_python_walk *walk = st_python_walk_at(slot_index);
	struct st_slot *slot = st_unwind_slot(slot_index);
	__u64 id = bpf_get_current_pid_tgid();

	if (!ST_WALKS_PHP || !walk || !slot || (__u32)id != id >> 32 || st_python_read(walk->php.current, &walk->frame))
		return 0;
	walk->at = walk->first = slot->stack.head.nr_kernel + slot->stack.head.nr_user;
#pragma clang loop unroll(disable)
	for (int i = 0; i < ST_PYTHON_STEPS; i++)
		if (st_php_steps(slot_index))
			return 0;
	st_python_end(slot_index, ST_PYTHON_MORE);
	return 0;
}

#else

__noinline int st_php_walk(__u32 slot_index)
{
	return 0;
}

#endif
