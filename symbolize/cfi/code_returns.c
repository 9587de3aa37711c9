/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/cfi/code_returns.h"

#include "symbolize/x86/instruction.h"

enum {
	DEPTH_MAX = 12,
	TARGETS_MAX = 96, /* targets of jumps, in one function */
	INSTRUCTIONS_MAX = 2000, /* in one function */
};

/* The walk through one function. Code that it jumps to counts as its own. */
struct walk {
	struct {
		uint64_t address;
		bool is_doubtful; /* reached after a call that may never return */
	} targets[TARGETS_MAX]; /* the first nr_done have been followed */
	size_t nr, nr_done;
	bool is_full;
};

static bool decode(struct code_returns *it, uint64_t address, struct x86_instruction *ret)
{
	uint64_t at = address - it->window_start;

	if (at >= it->nr_window || it->nr_window - at < X86_BYTES_MAX) {
		const Elf64_Phdr *segment = elf_file_segment_at(it->elf, address, PF_X);
		uint64_t left = segment ? segment->p_filesz - (address - segment->p_vaddr) : 0;

		it->window_start = address;
		it->nr_window = left < CODE_RETURNS_WINDOW ? left : CODE_RETURNS_WINDOW;
		at = 0;
		if (!segment ||
		    elf_file_read(it->elf, segment->p_offset + (address - segment->p_vaddr), it->window, it->nr_window))
			it->nr_window = 0;
	}
	return x86_decode(it->window + at, it->nr_window - at, ret);
}

/* Adds the target of a jump, if it is new. */
static void add_target(struct walk *walk, uint64_t target, bool is_doubtful)
{
	for (size_t i = 0; i < walk->nr; i++)
		if (walk->targets[i].address == target)
			return;
	walk->is_full |= walk->nr == TARGETS_MAX;
	if (walk->is_full)
		return;
	walk->targets[walk->nr].address = target;
	walk->targets[walk->nr++].is_doubtful = is_doubtful;
}

static enum code_end find(struct code_returns *it, uint64_t address, unsigned int depth);

/*
 * Whether a jump through memory leads to an indirect function. A static program has no imports: its PLT leads to its own memcpy() and the
 * like, in the form for this CPU.
 */
static bool is_ifunc(const struct elf_file *elf, uint64_t address, const struct x86_instruction *is)
{
	const Elf64_Phdr *relro = elf_file_segment(elf, PT_GNU_RELRO);
	uint64_t slot = address + is->nr_bytes + (uint64_t)is->value;

	return !elf_file_segment(elf, PT_DYNAMIC) && relro && is->has_memory && is->base == X86_IP &&
	       slot - relro->p_vaddr < relro->p_memsz;
}

/* Follows the code from one target to the next jump that is always taken, or to another end. */
static enum code_end follow(struct code_returns *it, struct walk *walk, size_t number, unsigned int *nr_left,
			    unsigned int depth)
{
	bool is_doubtful = walk->targets[number].is_doubtful;
	uint64_t at = walk->targets[number].address;
	struct x86_instruction is;
	enum code_end end;

	for (;; at += is.nr_bytes) {
		uint64_t target;

		it->nr_visits++;
		if (!(*nr_left)-- || it->nr_visits > CODE_RETURNS_BUDGET || !decode(it, at, &is))
			return CODE_MAY_RETURN;
		target = at + is.nr_bytes + (uint64_t)is.value;
		switch (is.kind) {
		case X86_RETURN:
			return is_doubtful ? CODE_MAY_RETURN : CODE_RETURNS;
		case X86_JUMP_INDIRECT:
			return !number && is_ifunc(it->elf, at, &is) ? CODE_RETURNS : CODE_MAY_RETURN;
		case X86_STOP:
			return CODE_NEVER_RETURNS;
		case X86_JUMP:
			add_target(walk, target, is_doubtful);
			return CODE_NEVER_RETURNS;
		case X86_JUMP_IF:
			add_target(walk, target, is_doubtful);
			break;
		case X86_CALL_INDIRECT:
			is_doubtful = true;
			break;
		case X86_CALL:
			end = is.value ? find(it, target, depth + 1)
				       : CODE_RETURNS; /* a call of the next instruction only pushes an address */
			if (end == CODE_NEVER_RETURNS)
				return end;
			is_doubtful |= end == CODE_MAY_RETURN;
			break;
		default:
			break;
		}
	}
}

static enum code_end find(struct code_returns *it, uint64_t address, unsigned int depth)
{
	uint64_t *known = &it->known[(address ^ address >> 12) & (CODE_RETURNS_KNOWN - 1)];
	unsigned int nr_left = INSTRUCTIONS_MAX;
	struct walk walk = {};
	enum code_end end = CODE_NEVER_RETURNS;

	if (*known && *known >> 2 == address)
		return *known & 3;
	if (depth > DEPTH_MAX)
		return CODE_MAY_RETURN;
	*known = address << 2 | CODE_MAY_RETURN; /* the answer for recursive calls */
	add_target(&walk, address, false);
	while (walk.nr_done < walk.nr && end != CODE_RETURNS) {
		enum code_end one = follow(it, &walk, walk.nr_done++, &nr_left, depth);

		end = one > end ? one : end;
	}
	if (walk.is_full && end == CODE_NEVER_RETURNS)
		end = CODE_MAY_RETURN;
	*known = address << 2 | end;
	return end;
}

enum code_end code_returns(struct code_returns *it, uint64_t address)
{
	return find(it, address, 0);
}
