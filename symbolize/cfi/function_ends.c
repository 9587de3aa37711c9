/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/cfi/function_ends.h"

#include <string.h>

#include "core/base/cleanup.h"
#include "symbolize/cfi/code_returns.h"
#include "symbolize/x86/instruction.h"

enum {
	BYTES_MAX = 1 << 20, /* of a function */
	PARTS_MAX = 256,
	PART_BYTES_MAX = 1 << 16,
	ENDS_MAX = 4096,
};

/* Contiguous code of the function. */
struct part {
	uint64_t start, end;
};

struct walk {
	const struct elf_file *elf;
	function_begins *begins;
	void *context;
	uint64_t entry;
	struct code_returns *returns;
	VEC(struct part) parts; /* the first nr_done have been decoded; the `end` of the others is unknown */
	size_t nr_done;
	function_ends *ends;
	bool is_whole; /* all bytes of the first part are decoded, so code that only a jump table leads to is included */
	int err;
};

static bool is_inside(const struct walk *walk, uint64_t address)
{
	for (size_t i = 0; i < walk->parts.nr; i++)
		if (address == walk->parts.data[i].start ||
		    (address > walk->parts.data[i].start && address < walk->parts.data[i].end))
			return true;
	return false;
}

static void add_end(struct walk *walk, uint64_t address, bool may_go_on)
{
	const struct function_end end = { address, may_go_on };

	if (walk->ends->nr == ENDS_MAX)
		walk->err = walk->err ?: -ENOEXEC;
	else
		walk->err = walk->err ?: vec_try_push(walk->ends, end);
}

static void add_part(struct walk *walk, uint64_t start)
{
	const struct part part = { start, start };

	if (is_inside(walk, start))
		return;
	if (walk->parts.nr == PARTS_MAX || !elf_file_segment_at(walk->elf, start, PF_X))
		walk->err = walk->err ?: -ENOEXEC;
	else
		walk->err = walk->err ?: vec_try_push(&walk->parts, part);
}

/* A direct jump at `address`. A jump to the function's own beginning is a recursive call. */
static void follow_jump(struct walk *walk, uint64_t address, uint64_t target, bool is_conditional)
{
	if (target == walk->entry || (!is_inside(walk, target) && walk->begins(walk->context, target)))
		add_end(walk, address, is_conditional);
	else
		add_part(walk, target);
}

/* Compilers mark the jumps of a switch with notrack, where other indirect jumps must be checked. */
static void follow_indirect(struct walk *walk, uint64_t address, const uint8_t *code, const struct x86_instruction *is)
{
	bool is_by_word = is->has_memory && is->base == X86_IP && is->index == X86_NONE;

	if (is_by_word)
		add_end(walk, address, false);
	else if (!walk->is_whole)
		walk->err = walk->err ?: -ENOEXEC;
	else if (code[0] != 0x3e)
		add_end(walk, address, true);
}

/* Handles one instruction. Returns whether the next one follows it. */
static bool look_at(struct walk *walk, uint64_t address, const uint8_t *code, const struct x86_instruction *is)
{
	uint64_t target = address + is->nr_bytes + (uint64_t)is->value;

	switch (is->kind) {
	case X86_RETURN:
		add_end(walk, address, false);
		return false;
	case X86_JUMP:
		follow_jump(walk, address, target, false);
		return false;
	case X86_JUMP_IF:
		follow_jump(walk, address, target, true);
		return true;
	case X86_JUMP_INDIRECT:
		follow_indirect(walk, address, code, is);
		return false;
	case X86_CALL:
		return code_returns(walk->returns, target) != CODE_NEVER_RETURNS;
	case X86_STOP:
		return false;
	default:
		return true;
	}
}

/* Decodes a part: `size` bytes, or with 0, up to where no instruction follows. */
static void decode_part(struct walk *walk, size_t number, uint64_t size)
{
	uint64_t start = walk->parts.data[number].start, most = size ?: PART_BYTES_MAX, at = 0, offset;
	const Elf64_Phdr *segment = elf_file_segment_at(walk->elf, start, PF_X);
	_cleanup_(freep) uint8_t *code = NULL;
	bool follows = true, falls = false; /* into the bytes after the last instruction */

	walk->err = segment ? elf_file_offset_of_address(walk->elf, start, &offset) : -ENOEXEC;
	if (walk->err)
		return;
	if (most > segment->p_vaddr + segment->p_filesz - start)
		most = segment->p_vaddr + segment->p_filesz - start;
	code = elf_file_copy(walk->elf, offset, most, BYTES_MAX, &walk->err);
	while (code && !walk->err && at < most && (size || follows)) {
		struct x86_instruction is;

		if (!size && at && is_inside(walk, start + at))
			return;
		if (!size && at && walk->begins(walk->context, start + at))
			break;
		if (!x86_decode(code + at, (size_t)(most - at), &is)) {
			walk->err = -ENOEXEC;
			return;
		}
		if (!size)
			walk->parts.data[number].end = start + at + is.nr_bytes;
		follows = look_at(walk, start + at, code + at, &is);
		if (!x86_is_padding(code + at, &is))
			falls = follows && is.kind != X86_CALL && is.kind != X86_CALL_INDIRECT;
		at += is.nr_bytes;
	}
	if (falls && !walk->err) /* into another function, which then has the ends */
		walk->err = -ENOEXEC;
}

static int compare_ends(const struct function_end *a, const struct function_end *b)
{
	return (a->address > b->address) - (a->address < b->address);
}

/* Insertion sort: the worker may not call qsort(), and most ends are in order. */
static void sort_ends(function_ends *ends)
{
	for (size_t i = 1; i < ends->nr; i++) {
		struct function_end end = ends->data[i];
		size_t to = i;

		for (; to && compare_ends(&ends->data[to - 1], &end) > 0; to--)
			ends->data[to] = ends->data[to - 1];
		ends->data[to] = end;
	}
}

int function_ends_find(const struct elf_file *elf, uint64_t address, uint64_t size, function_begins *begins,
		       void *context, function_ends *ret_ends)
{
	_cleanup_(freep) struct code_returns *returns = calloc(1, sizeof(*returns));
	struct walk walk = { .elf = elf,
			     .begins = begins,
			     .context = context,
			     .entry = address,
			     .returns = returns,
			     .ends = ret_ends,
			     .is_whole = size };
	const struct part first = { address, address + size };

	if (!returns)
		return -ENOMEM;
	if (elf->machine != EM_X86_64 || size > BYTES_MAX)
		return -ENOEXEC;
	if (elf_file_section(elf, ".gopclntab") || elf_file_section(elf, ".data.rel.ro.gopclntab"))
		return -ENODATA;
	returns->elf = elf;
	walk.err = vec_try_push(&walk.parts, first);
	if (!walk.err)
		decode_part(&walk, walk.nr_done++, size);
	while (!walk.err && walk.nr_done < walk.parts.nr)
		decode_part(&walk, walk.nr_done++, 0);
	vec_done(&walk.parts);
	sort_ends(ret_ends);
	return walk.err;
}
