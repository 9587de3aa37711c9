/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of interpreters: what user space tells the programs (bpf/interpreter.bpf.c), and what these put into records. */
#pragma once

#include "bpf/abi.h"

/*
 * A Python frame in a record, innermost first: bpf/python.bpf.c. The first word has the address of the code object, and in the outermost
 * frame that one call from C has led to, where these frames belong among the user frames. The second word has the instruction and a
 * cookie of the code object. A first word of 0 stands for frames that are missing, for a reason in the second word.
 */
#define ST_PYTHON_ADDRESS_BITS 47
#define ST_PYTHON_ADDRESS(first) ((first) & ((1ULL << ST_PYTHON_ADDRESS_BITS) - 1))
#define ST_PYTHON_ENDS(first) ((first) >> 48 & 1) /* the frames of a call end with it */
#define ST_PHP_LEAVES(first) ((first) >> 50 & 1) /* those that follow are on the stack of another fiber */
#define ST_IS_PHP(first) ((first) >> 51 & 1)
#define ST_PYTHON_REPLACES(first) ((first) >> 49 & 1) /* they replace the user frame at their place */
#define ST_PYTHON_PLACE(first) ((__u32)((first) >> 56)) /* number of a user frame */
#define ST_PYTHON_FIRST(replaces, place) (1ULL << 48 | (__u64)(replaces) << 49 | (__u64)(place) << 56)
#define ST_PYTHON_OFFSET(second) ((__s32)(second)) /* of the instruction in the bytecode */
#define ST_PYTHON_COOKIE(second) ((__u32)((second) >> 32))

enum st_python_missing {
	ST_PYTHON_UNREADABLE = 1,
	ST_PYTHON_MORE, /* the record has no room for them */
};

#define ST_PYTHON_NONE 0xffff

/* Numbers are offsets in bytes, but for addresses, unfilled_bytes, entry_owner, and code_tags, which are bits. */
struct st_python {
	__u64 code_type; /* address of the type of code objects */
	__u64 loop; /* address of the interpreter's loop */
	__u32 loop_bytes;
	__u16 unfilled,
		unfilled_bytes; /* the part of the loop in which _PyCFrame is not filled yet; 0 bytes: no such part */
	__u16 cframe_below; /* how far below its CFA a native frame of the loop has its _PyCFrame; 0: unknown */
	__u16 pad[3];
	__u16 block_thread; /* in the thread's control block: the address of its state */
	__u16 thread_block; /* in its state: the address of the control block */
	__u16 thread_cframe, thread_frame; /* the former may be ST_PYTHON_NONE */
	__u16 frame_code, frame_instruction, frame_previous, frame_owner;
	__u16 frame_is_entry; /* may be ST_PYTHON_NONE */
	__u8 entry_owner, code_tags;
	__u16 code_bytes; /* of a code object before its bytecode */
	__u16 object_type, code_name, code_file, code_first_line, code_lines;
};

/*
 * The same of PHP. The first word of a frame has 1 for an address, and the second one a line and a larger cookie. Where the frames
 * belong among the user frames is found when the record is read.
 */
struct st_php {
	__u64 current; /* address of that of the innermost frame */
	__u64 loop, cold; /* the code of the interpreter's loop */
	__u32 loop_bytes, cold_bytes;
	__u16 frame_function, frame_instruction, frame_previous;
	__u16 frame_call; /* a byte of flags */
	__u16 instruction_line;
	__u16 function_bytes; /* of a function that is written in PHP, as far as it is read */
	__u16 function_type, function_name, function_scope, function_file, function_code;
	__u16 text; /* in a string: its characters, after its hash and length */
	__u16 loop_has_registers; /* in the loop, r14 is the frame and r15 the instruction */
	__u16 class_name;
	__u16 epoch; /* changes when the reader has forgotten the functions of the process */
	__u16 pad;
};

#define ST_PHP_LINE_BITS 20
#define ST_PHP_LINE(second) ((__u32)((second) & ((1U << ST_PHP_LINE_BITS) - 1)))
#define ST_PHP_COOKIE(second) ((second) >> ST_PHP_LINE_BITS)
#define ST_PHP_FUNCTION_BYTES 64 /* of a function that is written in C */

#define ST_PHP_NAME_BYTES 128
#define ST_PHP_FILE_BYTES 256

/* A function of PHP that the reader has not been told of. It may end before the reader can look at it. */
struct st_function {
	__u64 cookie;
	__u64 name_at, file_at, class_at; /* addresses of strings; 0: none */
	__u8 kind; /* ST_MESSAGE_FUNCTION, at the same offset as in a record */
	__u8 pad[3];
	__u32 tgid;
	char name[ST_PHP_NAME_BYTES], class_name[ST_PHP_NAME_BYTES]; /* as much as there is room for; "": none */
	char file[ST_PHP_FILE_BYTES]; /* the end of it */
};

#define ST_PHP_SEEN 256 /* functions that a CPU remembers of those in st_told */

enum st_language {
	ST_LANGUAGE_PYTHON = 1,
	ST_LANGUAGE_PHP,
};

/* A process whose frames of an interpreter are walked, by its tgid. */
struct st_interpreter {
	__u64 start_time_ns, exec_id; /* as in records; 0: the first event sets them */
	__u32 language; /* enum st_language */
	__u32 pad;
	union {
		struct st_python python;
		struct st_php php;
	};
};

#define ST_PYTHON_FRAME_BYTES 80 /* of a frame that are read */
#define ST_PYTHON_CODE_BYTES 256 /* of a code object, at most */

/* Names, files, lines and first line of a code object. Another one at the same address differs in one of them. */
static inline __attribute__((always_inline)) __u32 st_python_cookie(__u64 name, __u64 file, __u64 lines,
								    __u32 first_line)
{
	__u64 cookie = name;

	cookie = (cookie ^ cookie >> 32) * 0x9e3779b97f4a7c15ULL + file;
	cookie = (cookie ^ cookie >> 32) * 0x9e3779b97f4a7c15ULL + lines;
	cookie = (cookie ^ cookie >> 32) * 0x9e3779b97f4a7c15ULL + first_line;
	cookie = (cookie ^ cookie >> 32) * 0x9e3779b97f4a7c15ULL;
	return cookie >> 32;
}

/* The same of a function of PHP, by hashes of its name, file and class. */
static inline __attribute__((always_inline)) __u64 st_php_cookie(__u64 name, __u64 file, __u64 class_name)
{
	__u64 cookie = name;

	cookie = (cookie ^ cookie >> 32) * 0x9e3779b97f4a7c15ULL + file;
	cookie = (cookie ^ cookie >> 32) * 0x9e3779b97f4a7c15ULL + class_name;
	cookie = (cookie ^ cookie >> 32) * 0x9e3779b97f4a7c15ULL;
	return cookie >> ST_PHP_LINE_BITS;
}

/* State of bpf/python.bpf.c during a walk, of the scratch slot with the same number. */
struct st_python_walk {
	union {
		struct st_python python;
		struct st_php php;
	};
	__u64 frame, cframe; /* next to be read; the _PyCFrame of the call from C that has led to it, 0: none */
	__u64 marker; /* an address in the native frame of the call whose frames have been taken; 0: none */
	__u64 after; /* the frame that follows it */
	__u32 at; /* words of the record */
	__u32 first; /* `at` when the call began */
	__u32 place, from; /* user frame that is compared with the marker, and the first one that was */
	__u32 above; /* the first one that is above the marker */
	__u32 nr_places; /* user frames whose stack pointers are known */
	__u32 is_elided; /* others are not in the record */
	__u32 is_checked; /* the marker is that of the innermost call, which is checked before its frames are taken */
	__u32 seeks; /* the loop among the user frames from `place` on, because that of the leaf has no frames yet */
	__u32 pad0;
	__u64 pointers[ST_MAX_FRAMES + 1]; /* stack pointer of each user frame, and after the last one */
	__u64 window[ST_PYTHON_FRAME_BYTES / 8];
	__u64 pad[6]; /* the verifier wants them */
	__u64 code[ST_PYTHON_CODE_BYTES / 8];
	struct st_function function;
	__u64 key; /* of PHP: a key of st_told */
	__u64 seen[ST_PHP_SEEN]; /* keys that are there */
};

_Static_assert(sizeof(struct st_python) == 64, "no padding");
_Static_assert(sizeof(struct st_php) == 64, "no padding");
_Static_assert(__builtin_offsetof(struct st_function, kind) == 8 * ST_KEY_FIRST_WORD, "as in a record");
_Static_assert(ST_PYTHON_FRAME_BYTES / 8 + 6 == 16, "offsets are masked");
