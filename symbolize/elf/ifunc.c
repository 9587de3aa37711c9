/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/ifunc.h"

#include <string.h>

#include "core/base/cleanup.h"
#include "symbolize/elf/frame_section.h"

enum {
	RESOLVER_MAX_BYTES = 2048, /* of its code; real ones have 20 to 400 */
	RESOLVER_UNSIZED_BYTES = 256,
	RESOLVERS_MAX = 4096,
	CHOICES_MAX = 64, /* of a resolver; real ones have 2 to 10 */
	STARTS_MAX = 1 << 20,
	ENTRY_BYTES = 16, /* at least the length of an instruction, 15 */
	VECTORS_MAX = 8,
};

struct ifunc_reader {
	struct ifuncs *ifuncs;
	const struct elf_file *elf;
	const struct symtab *table;
	uint64_t starts_base; /* address of .eh_frame_hdr */
	VEC(struct frame_header_entry) starts;
	unsigned char code[RESOLVER_MAX_BYTES];
};

void ifuncs_done(struct ifuncs *ifuncs)
{
	vec_done(&ifuncs->choices);
}

const struct ifunc_choice *ifuncs_of(const struct ifuncs *ifuncs, uint64_t resolver, size_t *ret_nr)
{
	size_t first = vec_nr_first(&ifuncs->choices, choice, choice->resolver < resolver);

	*ret_nr = vec_nr_first(&ifuncs->choices, choice, choice->resolver <= resolver) - first;
	return *ret_nr ? &ifuncs->choices.data[first] : NULL;
}

/* Reads the starts of functions; none if no table has a known form. */
static int read_starts(struct ifunc_reader *reader)
{
	struct frame_header header;
	int err;

	if (frame_header_read(reader->elf, &header) || !header.nr || header.nr > STARTS_MAX)
		return 0;
	err = vec_try_reserve(&reader->starts, header.nr);
	if (err)
		return err;
	reader->starts_base = header.address;
	if (!elf_file_read(reader->elf, header.table, reader->starts.data, header.nr * sizeof(*reader->starts.data)))
		reader->starts.nr = header.nr;
	return 0;
}

static bool is_start(const struct ifunc_reader *reader, uint64_t address, uint64_t offset)
{
	int64_t distance = (int64_t)(address - reader->starts_base);
	const struct symtab_symbol *symbol = symtab_lookup(reader->table, offset);
	size_t at;

	if (symbol && symtab_start(reader->table, symbol) == offset)
		return true;
	at = vec_nr_first(&reader->starts, start, start->function < distance);
	return at < reader->starts.nr && reader->starts.data[at].function == distance;
}

/*
 * Length of a vector instruction (VEX or EVEX); 0 for any other: prefix, opcode, ModRM, SIB, displacement, and for some an immediate byte.
 * None of them jumps or uses the stack.
 */
static size_t vector_length(const unsigned char code[ENTRY_BYTES])
{
	size_t nr_prefix = code[0] == 0xc5 ? 2 : code[0] == 0xc4 ? 3 : code[0] == 0x62 ? 4 : 0;
	unsigned int map = nr_prefix == 2 ? 1 : code[1] & (nr_prefix == 3 ? 31 : 7);
	unsigned char opcode = code[nr_prefix], modrm = code[nr_prefix + 1], sib = code[nr_prefix + 2];
	unsigned int mod = modrm >> 6, rm = modrm & 7;
	size_t length = nr_prefix + 2;

	if (!nr_prefix)
		return 0;
	if (map == 1 && opcode == 0x77) /* vzeroupper has no ModRM */
		return nr_prefix + 1;
	if (mod == 1)
		length += 1;
	else if (mod == 2 || (mod == 0 && (rm == 5 || (rm == 4 && (sib & 7) == 5))))
		length += 4;
	if (mod != 3 && rm == 4)
		length++;
	if (map == 3 ||
	    (map == 1 && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6))))
		length++;
	return length;
}

/*
 * Where to probe an implementation. The kernel mistakes the opcode of a vector instruction for another one and refuses many breakpoints
 * there (ENOTSUPP). So functions that begin with such instructions are probed at the first other one, which each call executes once, with
 * the return address on top of the stack.
 */
static uint64_t entry_of(const struct ifunc_reader *reader, uint64_t offset)
{
	unsigned char code[ENTRY_BYTES];
	uint64_t at = offset;

	for (int i = 0; i < VECTORS_MAX; i++) {
		size_t length = elf_file_read(reader->elf, at, code, sizeof(code)) ? 0 : vector_length(code);

		if (!length)
			return at;
		at += length;
	}
	return offset;
}

static int add_choice(struct ifunc_reader *reader, size_t first, uint64_t resolver, uint64_t address)
{
	const Elf64_Phdr *segment = elf_file_segment_at(reader->elf, address, PF_X);
	struct ifuncs *ifuncs = reader->ifuncs;
	uint64_t offset;

	if (!segment)
		return 0;
	offset = address - segment->p_vaddr + segment->p_offset;
	if (offset == resolver || !is_start(reader, address, offset) || ifuncs->choices.nr - first >= CHOICES_MAX)
		return 0;
	offset = entry_of(reader, offset);
	for (size_t i = first; i < ifuncs->choices.nr; i++)
		if (ifuncs->choices.data[i].implementation == offset)
			return 0;
	return vec_try_push(&ifuncs->choices, (struct ifunc_choice){ resolver, offset });
}

/*
 * The address that an instruction at `code` loads: lea disp32(%rip),%r64, or mov $imm32,%r32 if addresses are constants. `code` may be
 * inside another instruction; is_start() excludes wrong results.
 */
static bool loaded_address(const struct ifunc_reader *reader, const unsigned char *code, uint64_t address,
			   uint64_t *ret_loaded)
{
	int32_t number;

	if ((code[0] == 0x48 || code[0] == 0x4c) && code[1] == 0x8d && (code[2] & 0xc7) == 0x05) {
		memcpy(&number, code + 3, sizeof(number));
		*ret_loaded = address + 7 + (uint64_t)(int64_t)number;
		return true;
	}
	if (reader->elf->type == ET_EXEC && code[0] >= 0xb8 && code[0] <= 0xbf) {
		memcpy(&number, code + 1, sizeof(number));
		*ret_loaded = (uint32_t)number;
		return true;
	}
	return false;
}

static int read_resolver(struct ifunc_reader *reader, uint64_t resolver, uint64_t size)
{
	size_t first = reader->ifuncs->choices.nr,
	       nr_bytes = size < RESOLVER_MAX_BYTES ? (size_t)size : RESOLVER_MAX_BYTES;
	uint64_t address, loaded;

	if (elf_file_address_of_offset(reader->elf, resolver, &address) ||
	    elf_file_read(reader->elf, resolver, reader->code, nr_bytes))
		return 0;
	for (size_t i = 0; i + 7 <= nr_bytes; i++) {
		int err = 0;

		if (loaded_address(reader, reader->code + i, address + i, &loaded))
			err = add_choice(reader, first, resolver, loaded);
		if (err)
			return err;
	}
	return 0;
}

int ifuncs_read(struct ifuncs *ifuncs, const struct elf_file *elf, const struct symtab *table)
{
	struct ifunc_reader reader = { .ifuncs = ifuncs, .elf = elf, .table = table };
	size_t nr = elf->machine == EM_X86_64 && elf->is_64 ? table->symbols.nr : 0, nr_resolvers = 0;
	uint64_t before = UINT64_MAX;
	int err = 0;

	*ifuncs = (struct ifuncs){};
	for (size_t i = 0; !err && i < nr && nr_resolvers < RESOLVERS_MAX; i++) {
		const struct symtab_symbol *symbol = &table->symbols.data[i];
		uint64_t start = symtab_start(table, symbol);

		if (!symbol->ifunc || start == before)
			continue;
		if (!nr_resolvers++)
			err = read_starts(&reader);
		before = start;
		err = err ?: read_resolver(&reader, start, symbol->unsized ? RESOLVER_UNSIZED_BYTES : symbol->size);
	}
	vec_done(&reader.starts);
	if (err)
		ifuncs_done(ifuncs);
	return err;
}
