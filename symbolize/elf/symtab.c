/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/symtab.h"

#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/radix_sort.h"
#include "core/base/vec.h"

enum {
	CODE_RANGES_MAX = 64,          /* real files have one to four */
	NESTING_MAX = 64,              /* outward steps of a lookup */
	OUTER_MAX = (1u << 22) - 1,
	COMPARED_MAX = 64 << 20, /* bytes of names compared for one file; real files need less */
	COMPARED_PER_SYMBOL = 512, /* and for each symbol */
	NAMES_KEPT_MAX = 1u << 20, /* bytes of names of one file in memory; more stay in the file */
};

static int add_code(struct symtab *table, uint64_t address, uint64_t offset, uint64_t size)
{
	if (address + size < address || table->code.nr >= CODE_RANGES_MAX)
		return -EBADMSG;
	if (!table->code.nr || offset < table->base)
		table->base = offset;
	return vec_try_push(&table->code, (struct code_range){ address, offset, size });
}

int symtab_init(struct symtab *table, const struct elf_file *elf)
{
	int err = 0;

	*table = (struct symtab){};
	for (size_t i = 0; !err && i < elf->segments.nr; i++) {
		const Elf64_Phdr *segment = &elf->segments.data[i];

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || !segment->p_filesz)
			continue;
		err = elf_file_holds(elf, segment->p_offset, segment->p_filesz) ? 0 : -EBADMSG;
		err = err ?: add_code(table, segment->p_vaddr, segment->p_offset, segment->p_filesz);
	}
	for (size_t i = 0; !err && elf->is_laid_out && i < elf->sections.nr; i++) {
		const Elf64_Shdr *section = &elf->sections.data[i];

		if (section->sh_flags & SHF_ALLOC && section->sh_flags & SHF_EXECINSTR && section->sh_size)
			err = add_code(table, section->sh_addr, section->sh_addr, section->sh_size);
	}
	if (err)
		symtab_done(table);
	return err;
}

int symtab_want_data(struct symtab *table, const struct elf_file *elf)
{
	const struct code_range first = table->code.nr ? table->code.data[0] : (struct code_range){};
	int err = 0;

	table->has_data = first.size;
	for (size_t i = 0; !err && first.size && i < elf->segments.nr; i++) {
		const Elf64_Phdr *segment = &elf->segments.data[i];

		if (segment->p_type == PT_LOAD && !(segment->p_flags & PF_X) && segment->p_flags & PF_W &&
		    segment->p_vaddr > first.address && segment->p_memsz)
			err = add_code(table, segment->p_vaddr, segment->p_vaddr - first.address + first.offset,
				       segment->p_memsz);
	}
	if (err)
		symtab_done(table);
	return err;
}

void symtab_done(struct symtab *table)
{
	vec_done(&table->code);
	vec_done(&table->symbols);
	bucket_index_done(&table->buckets);
	for (int i = 0; i < SYMTAB_NAMES; i++)
		names_done(&table->names[i]);
}

bool symtab_has_place(const struct symtab *table, uint64_t offset)
{
	for (size_t i = 0; i < table->code.nr; i++)
		if (offset - table->code.data[i].offset < table->code.data[i].size)
			return true;
	return false;
}

uint64_t symtab_address(const struct symtab *table, uint64_t offset)
{
	for (size_t i = 0; i < table->code.nr; i++)
		if (offset - table->code.data[i].offset < table->code.data[i].size)
			return offset - table->code.data[i].offset + table->code.data[i].address;
	return offset;
}

uint64_t symtab_start(const struct symtab *table, const struct symtab_symbol *symbol)
{
	return table->base + symbol->start;
}

struct name symtab_name(const struct symtab *table, const struct symtab_symbol *symbol, char scratch[NAME_MAX_BYTES])
{
	return names_get(&table->names[symbol->names], symbol->name, scratch);
}

/*
 * Returns > 0 if a is the better name. For exported names, the beginning decides before the binding: libc's calloc and puts are weak, but
 * its internal names for them (__libc_calloc, _IO_puts) are not.
 */
static int compare_aliases(struct symtab *table, const struct symtab_symbol *a, const struct symtab_symbol *b)
{
	char scratch_a[NAME_MAX_BYTES], scratch_b[NAME_MAX_BYTES];

	unsigned int merit_a = a->merit & ~MERIT_GLOBAL, merit_b = b->merit & ~MERIT_GLOBAL;
	struct name name_a, name_b;
	int better = 0;

	if (merit_a != merit_b)
		return merit_a > merit_b ? 1 : -1;
	name_a = symtab_name(table, a, scratch_a);
	name_b = symtab_name(table, b, scratch_b);
	table->nr_compared += name_a.nr_bytes + name_b.nr_bytes;
	if (merit_a & MERIT_DYNAMIC)
		better = name_compare_beginnings(name_a, name_b);
	better = better ?: (int)a->merit - (int)b->merit;
	return better ?: name_compare(name_a, name_b);
}

static bool same_name(struct symtab *table, uint32_t a, uint32_t b)
{
	const struct symtab_symbol *left = &table->symbols.data[a], *right = &table->symbols.data[b];

	return names_same(&table->names[left->names], left->name, &table->names[right->names], right->name,
			  &table->nr_compared);
}

/* Merges entries of .symtab and .dynsym with the same start and name, in [first, first + nr). Returns how many are left. */
static uint32_t join_same(struct symtab *table, uint32_t first, uint32_t nr)
{
	struct symtab_symbol *symbols = table->symbols.data;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t same = 0;

		while (same < kept && !same_name(table, first + same, first + i))
			same++;
		if (same == kept) {
			symbols[first + kept++] = symbols[first + i];
			continue;
		}
		if (symbols[first + same].unsized && !symbols[first + i].unsized) {
			symbols[first + same].size = symbols[first + i].size;
			symbols[first + same].unsized = false;
		}
		symbols[first + same].merit |= symbols[first + i].merit;
		symbols[first + same].ifunc |= symbols[first + i].ifunc;
	}
	return kept;
}

/* Insertion sort, best last: groups are small. */
static void rank(struct symtab *table, uint32_t first, uint32_t nr)
{
	for (uint32_t i = 1; i < nr; i++) {
		struct symtab_symbol moving = table->symbols.data[first + i];
		uint32_t to = i;

		for (; to && compare_aliases(table, &table->symbols.data[first + to - 1], &moving) > 0; to--)
			table->symbols.data[first + to] = table->symbols.data[first + to - 1];
		table->symbols.data[first + to] = moving;
	}
}

/* Keeps the symbol with the highest merit in [0], without comparing names. */
static void choose_by_merit(struct symtab_symbol *symbols, uint32_t nr)
{
	for (uint32_t i = 1; i < nr; i++)
		if (symbols[i].merit > symbols[0].merit)
			symbols[0] = symbols[i];
}

/* Ranks the symbols at each start, and closes the gaps that duplicates leave. */
static void settle_groups(struct symtab *table)
{
	enum {
		ALIASES_MAX = 256
	}; /* more at one place are hostile; the rest is dropped */
	const uint64_t compared_max = COMPARED_MAX + table->symbols.nr * COMPARED_PER_SYMBOL;
	uint32_t nr = (uint32_t)table->symbols.nr, kept = 0;
	struct symtab_symbol *symbols = table->symbols.data;

	for (uint32_t first = 0, next; first < nr; first = next) {
		uint32_t left = 1;

		for (next = first + 1; next < nr && symbols[next].start == symbols[first].start; next++)
			;
		if (table->nr_compared > compared_max) {
			choose_by_merit(symbols + first, next - first);
		} else if (next - first > 1) {
			left = join_same(table, first, next - first < ALIASES_MAX ? next - first : ALIASES_MAX);
			rank(table, first, left);
		}
		memmove(symbols + kept, symbols + first, left * sizeof(*symbols));
		kept += left;
	}
	table->symbols.nr = kept;
}

static uint64_t end_of(const struct symtab_symbol *symbol)
{
	return (uint64_t)symbol->start + (symbol->size ?: 1);
}

/* A symbol without size extends to the next symbol. Inside a sized function it is a label and covers only its own address. */
static void bound_unsized(struct symtab *table)
{
	struct symtab_symbol *symbols = table->symbols.data;
	uint64_t next = UINT64_MAX, sized_end = 0;

	for (size_t i = table->symbols.nr; i-- > 0;) {
		if (i + 1 < table->symbols.nr && symbols[i + 1].start != symbols[i].start)
			next = symbols[i + 1].start;
		if (symbols[i].unsized && symbols[i].size > next - symbols[i].start)
			symbols[i].size = (uint32_t)(next - symbols[i].start);
	}
	for (size_t i = 0; i < table->symbols.nr; i++) {
		if (symbols[i].unsized && symbols[i].start < sized_end)
			symbols[i].size = 0;
		if (!symbols[i].unsized && end_of(&symbols[i]) > sized_end)
			sized_end = end_of(&symbols[i]);
	}
}

/* Links each symbol to the nearest earlier one that ends later, where a lookup continues if this symbol does not cover the place. */
static void link_outer(struct symtab *table)
{
	struct symtab_symbol *symbols = table->symbols.data;

	for (size_t i = 0; i < table->symbols.nr; i++) {
		size_t outer = i;

		symbols[i].outer = 0;
		do {
			uint32_t step = outer == i ? 1 : symbols[outer].outer;

			if (!step || step > outer) {
				outer = i;
				break;
			}
			outer -= step;
		} while (end_of(&symbols[outer]) <= end_of(&symbols[i]));
		symbols[i].outer = i - outer <= OUTER_MAX ? (i - outer) & OUTER_MAX : 0;
	}
}

/* Copies the used names out of loaded string tables. `to` NULL: only measures them, up to NAMES_KEPT_MAX. */
static size_t copy_names(struct symtab *table, char *to)
{
	size_t nr_bytes = 1; /* [0] is the empty name */

	for (size_t i = 0; i < table->symbols.nr && nr_bytes <= NAMES_KEPT_MAX; i++) {
		struct symtab_symbol *symbol = &table->symbols.data[i];
		struct names *names = &table->names[symbol->names];
		struct name name;

		if (!names->copy)
			continue;
		name = names_get(names, symbol->name, NULL);
		if (to) {
			memcpy(to + nr_bytes, name.text, name.nr_bytes);
			to[nr_bytes + name.nr_bytes] = '\0';
			symbol->name = (uint32_t)nr_bytes;
			symbol->names = 0;
		}
		nr_bytes += name.nr_bytes + 1;
	}
	return nr_bytes;
}

/* Keeps copies of the used names if they are small enough, else none, and the file. */
static int settle_names(struct symtab *table)
{
	size_t nr_bytes = copy_names(table, NULL);
	char *kept = nr_bytes <= NAMES_KEPT_MAX ? calloc(1, nr_bytes) : NULL;

	if (nr_bytes <= NAMES_KEPT_MAX && !kept)
		return -ENOMEM;
	if (kept) {
		copy_names(table, kept);
		names_done(&table->names[0]);
		table->names[0] = (struct names){ .nr_bytes = nr_bytes, .copy = kept };
	}
	for (int i = 1; i < SYMTAB_NAMES; i++) {
		if (table->names[i].copy && kept)
			names_done(&table->names[i]);
		else
			names_drop_copy(&table->names[i]);
	}
	return 0;
}

void symtab_load_names(struct symtab *table, uint64_t bytes_max)
{
	for (int i = 1; i < SYMTAB_NAMES; i++)
		if (table->names[i].is_open && !table->names[i].copy && table->names[i].nr_bytes <= bytes_max)
			names_load(&table->names[i]);
}

void symtab_drop_names(struct symtab *table)
{
	for (int i = 1; i < SYMTAB_NAMES; i++)
		if (table->names[i].is_open)
			names_drop_copy(&table->names[i]);
}

int symtab_finish(struct symtab *table)
{
	int err = radix_sort(table->symbols.data, table->symbols.nr, start);

	if (err)
		return err;
	settle_groups(table);
	bound_unsized(table);
	link_outer(table);
	vec_trim(&table->symbols);
	bucket_index_make(&table->buckets, table->symbols.data, table->symbols.nr, sizeof(*table->symbols.data));
	return settle_names(table);
}

const struct symtab_symbol *symtab_nearest(const struct symtab *table, uint64_t offset)
{
	size_t nr;

	if (offset < table->base || offset - table->base > UINT32_MAX)
		return NULL;
	nr = bucket_index_nr_until(&table->buckets, &table->symbols, offset - table->base);
	return nr ? &table->symbols.data[nr - 1] : NULL;
}

const struct symtab_symbol *symtab_lookup(const struct symtab *table, uint64_t offset)
{
	const struct symtab_symbol *symbol = symtab_nearest(table, offset);

	for (int steps = 0; symbol && steps < NESTING_MAX; steps++) {
		if (offset - table->base < end_of(symbol))
			return symbol;
		if (!symbol->outer)
			return NULL;
		symbol -= symbol->outer;
	}
	return NULL;
}
