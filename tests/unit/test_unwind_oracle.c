/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our unwind tables against libdw, on the files of this host: for thousands of addresses both say where the caller's
 * registers are, and both answers are evaluated on made-up registers and a made-up memory.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "symbolize/cfi/unwind_compile.h"
#include "tests/harness.h"
#include "tests/unwind_rule.h"

#if defined(__x86_64__)

enum {
	ADDRESSES_MAX = 20000, /* of one file */
	ENTRY_BYTES_MAX = 64, /* of the function that a program begins with */
	REG_BP = 6,
	REG_SP = 7,
	REG_IP = 16,
	NR_REGS = 17,
};

struct registers {
	uint64_t at[NR_REGS];
};

/* The caller's; what cannot be told is 0. */
struct caller {
	bool none, root; /* no rule at all; the outermost frame */
	bool bp_lost;
	uint64_t cfa, bp, ip;
};

struct tally {
	uint64_t entry; /* of the ELF header */
	size_t nr, nr_without, nr_padding, nr_lost;
};

static uint64_t mix(uint64_t value)
{
	value *= 0x9e3779b97f4a7c15u;
	return (value ^ value >> 29) * 0xbf58476d1ce4e5b9u;
}

/* The made-up memory. */
static uint64_t word_at(uint64_t address)
{
	return mix(address) & ~7ull;
}

static struct registers some_registers(uint64_t address)
{
	struct registers registers;

	for (size_t i = 0; i < NR_REGS; i++)
		registers.at[i] = mix(address + i) & 0x7ffffffffff8;
	registers.at[REG_IP] = address;
	return registers;
}

/* ---- what libdw says ---- */

/* Evaluates operations the way DWARF 5, 2.5 tells; `*ret_is_value` where they give the value and not its place. */
static bool evaluate(const Dwarf_Op *ops, size_t nr, const struct registers *registers, uint64_t cfa, uint64_t *ret_top,
		     bool *ret_is_value)
{
	uint64_t stack[64] = {};
	size_t depth = 0;

	for (size_t i = 0; i < nr; i++) {
		const Dwarf_Op *op = &ops[i];
		uint64_t top = depth ? stack[depth - 1] : 0, second = depth > 1 ? stack[depth - 2] : 0;

		if (depth > 60)
			return false;
		if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg16)
			stack[depth++] = registers->at[op->atom - DW_OP_breg0] + op->number;
		else if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
			stack[depth++] = op->atom - DW_OP_lit0;
		else if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg16)
			stack[depth++] = registers->at[op->atom - DW_OP_reg0], *ret_is_value = true;
		else
			switch (op->atom) {
			case DW_OP_bregx:
				stack[depth++] = registers->at[op->number] + op->number2;
				break;
			case DW_OP_regx:
				stack[depth++] = registers->at[op->number];
				*ret_is_value = true;
				break;
			case DW_OP_call_frame_cfa:
				stack[depth++] = cfa;
				break;
			case DW_OP_stack_value:
				*ret_is_value = true;
				break;
			case DW_OP_deref:
				stack[depth - 1] = word_at(top);
				break;
			case DW_OP_plus_uconst:
				stack[depth - 1] = top + op->number;
				break;
			case DW_OP_plus:
				stack[--depth - 1] = second + top;
				break;
			case DW_OP_and:
				stack[--depth - 1] = second & top;
				break;
			case DW_OP_shl:
				stack[--depth - 1] = second << top;
				break;
			case DW_OP_ge:
				stack[--depth - 1] = (int64_t)second >= (int64_t)top;
				break;
			default:
				return false;
			}
	}
	*ret_top = depth ? stack[depth - 1] : 0; /* the CFA may lie below: DWARF 5, 6.4.2.3 */
	return depth;
}

/* A register of the caller by libdw. Returns false when it is undefined or beyond our evaluator. */
static bool their_register(Dwarf_Frame *frame, int reg, const struct registers *registers, uint64_t cfa,
			   uint64_t *ret_value)
{
	Dwarf_Op memory[3], *ops;
	bool is_value = false;
	uint64_t top;
	size_t nr;

	assert_int_equal(dwarf_frame_register(frame, reg, memory, &ops, &nr), 0);
	if (!nr && !ops) {
		*ret_value = registers->at[reg];
		return true;
	}
	if (!nr || !evaluate(ops, nr, registers, cfa, &top, &is_value))
		return false;
	*ret_value = is_value ? top : word_at(top);
	return true;
}

static bool is_undefined(Dwarf_Frame *frame, int reg)
{
	Dwarf_Op memory[3], *ops;
	size_t nr;

	assert_int_equal(dwarf_frame_register(frame, reg, memory, &ops, &nr), 0);
	return !nr && ops;
}

static struct caller their_caller(Dwarf_CFI *cfi, uint64_t address, const struct registers *registers)
{
	struct caller caller = {};
	Dwarf_Frame *frame;
	bool unused;
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_cfi_addrframe(cfi, address, &frame)) {
		caller.none = true;
		return caller;
	}
	caller.root = is_undefined(frame, REG_IP);
	if (!caller.root) {
		caller.none = dwarf_frame_cfa(frame, &ops, &nr) || !nr ||
			      !evaluate(ops, nr, registers, 0, &caller.cfa, &unused) ||
			      !their_register(frame, REG_IP, registers, caller.cfa, &caller.ip);
		caller.bp_lost = !their_register(frame, REG_BP, registers, caller.cfa, &caller.bp);
	}
	free(frame);
	return caller;
}

/* ---- what we say ---- */

static uint64_t our_bp(struct st_unwind_rule rule, const struct registers *registers, uint64_t cfa)
{
	switch (ST_UNWIND_HOW_BP(rule.how)) {
	case ST_UNWIND_BP_AT_CFA:
		return word_at(cfa + rule.bp_offset);
	case ST_UNWIND_BP_AT_BP:
		return word_at(registers->at[REG_BP] + rule.bp_offset);
	default:
		return registers->at[REG_BP];
	}
}

static struct caller our_caller(const struct unwind_table *table, uint64_t address, const struct registers *registers)
{
	struct st_unwind_rule rule = unwind_table_rule(table, address);
	uint64_t sp = registers->at[REG_SP], bp = registers->at[REG_BP];
	unsigned int reg = ST_UNWIND_HOW_REG(rule.how);
	struct caller caller = { .bp_lost = ST_UNWIND_HOW_BP(rule.how) == ST_UNWIND_BP_LOST };

	switch (rule.kind) {
	case ST_UNWIND_STOP:
		return (struct caller){ .root = true };
	case ST_UNWIND_SP:
		caller.cfa = sp + rule.offset;
		break;
	case ST_UNWIND_BP:
		caller.cfa = bp + rule.offset;
		break;
	case ST_UNWIND_REGISTER:
		caller.cfa = registers->at[reg] + rule.offset;
		break;
	case ST_UNWIND_PLT:
		caller.cfa = sp + rule.at + ((int64_t)(address & 15) >= rule.add ? 8 : 0);
		break;
	case ST_UNWIND_DEREF_SP:
		caller.cfa = word_at(sp + rule.at) + rule.add;
		break;
	case ST_UNWIND_DEREF_BP:
		caller.cfa = word_at(bp + rule.at) + rule.add;
		break;
	case ST_UNWIND_DEREF_INDEXED:
		caller.cfa = word_at(sp + rule.at + 8 * registers->at[reg]) + rule.add;
		break;
	case ST_UNWIND_SIGNAL: /* offsets of struct sigcontext, asm/sigcontext.h */
		return (struct caller){ .cfa = word_at(sp + rule.offset + 120),
					.bp = word_at(sp + rule.offset + 80),
					.ip = word_at(sp + rule.offset + 128) };
	default:
		caller.none = true;
		return caller;
	}
	caller.bp = our_bp(rule, registers, caller.cfa);
	caller.ip = ST_UNWIND_HOW_RA(rule.how) == ST_UNWIND_RA_REGISTER ? registers->at[reg] : word_at(caller.cfa - 8);
	return caller;
}

/* ---- both ---- */

/* Whether some byte a little before the address has frame information: then it is padding after a function. */
static bool is_padding(Dwarf_CFI *cfi, uint64_t address)
{
	for (uint64_t back = 1; back <= 15; back++) {
		Dwarf_Frame *frame;

		if (!dwarf_cfi_addrframe(cfi, address - back, &frame)) {
			free(frame);
			return true;
		}
	}
	return false;
}

static void compare(const struct unwind_table *table, Dwarf_CFI *cfi, uint64_t address, const char *path,
		    struct tally *tally)
{
	struct registers registers = some_registers(address);
	struct caller ours = our_caller(table, address, &registers), theirs = their_caller(cfi, address, &registers);
	bool same = ours.root == theirs.root && ours.cfa == theirs.cfa && ours.ip == theirs.ip;

	tally->nr++;
	if (ours.none) {
		tally->nr_without += !theirs.none;
		return;
	}
	if (theirs.none && ours.root && tally->entry && address - tally->entry < ENTRY_BYTES_MAX)
		return; /* that this is the root the ELF header says */
	if (theirs.none && is_padding(cfi, address)) {
		tally->nr_padding++;
		return;
	}
	if (ours.bp_lost && !theirs.bp_lost)
		tally->nr_lost++;
	else if (!ours.root)
		same = same && (theirs.bp_lost || ours.bp == theirs.bp);
	if (theirs.none || !same)
		fail_msg("%s at %#" PRIx64 ": we say root %d cfa %#" PRIx64 " bp %#" PRIx64 " ip %#" PRIx64
			 ", libdw says none %d root %d cfa %#" PRIx64 " bp %#" PRIx64 " ip %#" PRIx64,
			 path, address, ours.root, ours.cfa, ours.bp, ours.ip, theirs.none, theirs.root, theirs.cfa,
			 theirs.bp, theirs.ip);
}

/* At the rows themselves, at their last bytes, and somewhere in the pages that have none. */
static void compare_pages(const struct unwind_table *table, Dwarf_CFI *cfi, const char *path, struct tally *tally)
{
	size_t step = table->rows.nr / (ADDRESSES_MAX / 2) + 1, place = 0;

	for (size_t i = 0; i < table->pages.nr; i++) {
		uint64_t page = (table->first_page + i) << ST_UNWIND_PAGE_SHIFT;
		uint32_t first = ST_UNWIND_PAGE_FIRST(table->pages.data[i]);
		uint32_t nr = ST_UNWIND_PAGE_NR(table->pages.data[i]);

		for (uint32_t k = first; k < first + nr; k++, place++) {
			uint64_t address = page + ST_UNWIND_ROW_ADDRESS(table->rows.data[k]);

			if (place % step)
				continue;
			compare(table, cfi, address, path, tally);
			if (address != page)
				compare(table, cfi, address - 1, path, tally);
		}
		if (!nr)
			compare(table, cfi, page + mix(page) % 4096, path, tally);
	}
}

static void compare_with_libdw(int fd, const struct unwind_table *table, const char *path)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	Dwarf_CFI *cfi = elf ? dwarf_getcfi_elf(elf) : NULL;
	GElf_Ehdr header;
	struct tally tally = {};

	assert_non_null(cfi);
	assert_non_null(gelf_getehdr(elf, &header));
	tally.entry = header.e_entry;
	compare_pages(table, cfi, path, &tally);
	print_message(
		"%s: %zu rows, %zu rules, %zu addresses agree; no rule for %zu, rbp given up at %zu, padding %zu\n",
		path, table->rows.nr, table->rules.nr, tally.nr, tally.nr_without, tally.nr_lost, tally.nr_padding);
	/* Rules that ours cannot express are one row in a million: docs/internals/unwind-tables.md. */
	assert_true(tally.nr_without <= 2 + tally.nr / 1000);
	assert_true(tally.nr_lost <= 2 + tally.nr / 1000);
	dwarf_cfi_end(cfi);
	elf_end(elf);
}

static void check_descriptor(int fd, const char *path)
{
	_cleanup_(unwind_table_done) struct unwind_table table;
	_cleanup_(elf_file_done) struct elf_file elf;

	assert_int_equal(elf_file_open(&elf, fd), 0);
	assert_int_equal(unwind_compile_information(&elf, &table), 0);
	assert_true(unwind_table_is_valid(&table));
	assert_int_equal(table.facts.nr_bad, 0);
	compare_with_libdw(fd, &table, path);
}

static bool check_file(const char *path)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	check_descriptor(fd, path);
	return true;
}

TEST(tables_of_this_host_say_what_libdw_says)
{
	static const char *const patterns[] = {
		"/usr/lib*/x86_64-linux-gnu/libc.so.6",
		"/usr/lib*/x86_64-linux-gnu/libcrypto.so.*",
		"/usr/lib*/x86_64-linux-gnu/libstdc++.so.6",
		"/usr/lib*/x86_64-linux-gnu/ld-linux-x86-64.so.2",
		"/usr/lib*/x86_64-linux-gnu/libpython3*.so.1.0",
		"/usr/bin/python3",
		"/usr/bin/bash",
		"/usr/bin/perl",
		"/usr/lib/gcc/x86_64-linux-gnu/*/cc1",
		"/usr/lib64/libc.so.6",
		"/proc/self/exe",
	};
	size_t nr = 0;

	elf_version(EV_CURRENT);
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		glob_t found = {};

		if (!glob(patterns[i], 0, NULL, &found))
			for (size_t k = 0; k < found.gl_pathc; k++)
				nr += check_file(found.gl_pathv[k]);
		globfree(&found);
	}
	assert_true(nr >= 2);
}

/* The vDSO is in no file, but in our own memory; its section headers are the last of it. */
TEST(the_vdso_of_this_kernel_too)
{
	_cleanup_(closep) int fd = memfd_create("vdso", MFD_CLOEXEC);
	const Elf64_Ehdr *image = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	size_t nr_bytes;

	if (!image)
		skip();
	nr_bytes = image->e_shoff + (size_t)image->e_shnum * image->e_shentsize;
	assert_int_equal(write(fd, image, nr_bytes), nr_bytes);
	check_descriptor(fd, "[vdso]");
}

#else

int main(void)
{
	print_message("SKIP: unwind tables are for x86_64\n");
	return 77;
}

#endif
