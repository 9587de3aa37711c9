/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code from anyone: an instruction ends within its bytes, its numbers are in their ranges, and no byte after it counts. */
#include "symbolize/x86/instruction.h"
#include "tests/fuzz/fuzz.h"

static void check(const uint8_t *code, size_t nr, const struct x86_instruction *is)
{
	struct x86_instruction again;

	if (!is->nr_bytes || is->nr_bytes > X86_BYTES_MAX || is->nr_bytes > nr || is->kind > X86_ENTER)
		__builtin_trap();
	if (is->reg > X86_NONE || is->from > X86_NONE || is->base > X86_NONE || is->index > X86_NONE || is->scale > 8 ||
	    is->operand >= X86_NR_REGISTERS || is->rm > X86_NONE)
		__builtin_trap();
	if (!x86_decode(code, is->nr_bytes, &again) || memcmp(&again, is, sizeof(again)) != 0)
		__builtin_trap();
	if (x86_is_padding(code, is) && is->kind != X86_OTHER && is->kind != X86_STOP)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct x86_instruction is;

	for (size_t at = 0; at < size; at++) {
		memset(&is, 0, sizeof(is));
		if (x86_decode(data + at, size - at, &is))
			check(data + at, size - at, &is);
	}
	return 0;
}
