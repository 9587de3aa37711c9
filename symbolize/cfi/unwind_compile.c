/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/cfi/unwind_compile.h"

#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/radix_sort.h"
#include "symbolize/cfi/unwind_cfi.h"
#include "symbolize/cfi/unwind_go.h"
#include "symbolize/cfi/unwind_sigreturn.h"
#include "symbolize/cfi/unwind_synthesis.h"
#include "symbolize/elf/elf_needs.h"

#define GO_FUNCTION UINT32_MAX /* cfi_fde.cie of a Go function; `position` is its number in .gopclntab */

enum {
	/* bytes between functions; the rule of the first one extends over them, because no code runs there */
	PADDING_MAX = 15,
	GAP_BYTES_MIN = 256, /* of a gap for which rows are made from instructions */
	ENTRY_BYTES_MAX = 64, /* of the code at a program's entry; glibc's loader has 61 */
	CONTEXT_BYTES_MAX = 128, /* of glibc's __start_context */
};

struct compile {
	const struct elf_file *elf;
	struct cfi cfi;
	struct unwind_go go;
	struct cfi_rows rows;
	struct unwind_builder builder;
	uint64_t low, high; /* first address of code, and end of the last */
	uint64_t end; /* end of the last function with rows; 0: none yet */
	code_gaps gaps;
	bool may_start_contexts; /* the file is glibc, or statically linked with it */
};

static void compile_done(struct compile *compile)
{
	unwind_cfi_done(&compile->cfi);
	unwind_go_done(&compile->go);
	vec_done(&compile->rows.rows);
	vec_done(&compile->gaps);
	unwind_builder_done(&compile->builder);
}

/* Finds the first address of code, and the end of the last. Returns 0, -EBADMSG, or -ENODATA without code. */
static int find_code(const struct elf_file *elf, uint64_t *ret_low, uint64_t *ret_high)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (size_t i = 0; i < elf->segments.nr; i++) {
		const Elf64_Phdr *segment = &elf->segments.data[i];
		uint64_t end;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || !segment->p_filesz)
			continue;
		if (__builtin_add_overflow(segment->p_vaddr, segment->p_filesz, &end))
			return -EBADMSG;
		low = segment->p_vaddr < low ? segment->p_vaddr : low;
		high = end > high ? end : high;
	}
	*ret_low = low;
	*ret_high = high;
	return high ? 0 : -ENODATA;
}

static int scan(struct compile *compile, int (*find)(const struct elf_file *elf, struct frame_section *ret_section))
{
	struct frame_section section;
	int err = find(compile->elf, &section);

	err = err ?: unwind_cfi_scan(&compile->cfi, &section);
	if (!err && !compile->cfi.fdes.nr) {
		unwind_cfi_done(&compile->cfi);
		return -ENODATA;
	}
	return err;
}

/* Adds the Go functions to those of .eh_frame, which has the C functions of a Go program. */
static int add_go(struct compile *compile)
{
	int err = unwind_go_read(&compile->go, compile->elf);
	uint64_t before = 0;

	for (uint64_t i = 0; i < compile->go.table.nr && !err; i++) {
		struct cfi_fde function = { unwind_go_start(&compile->go, i), (uint32_t)i, GO_FUNCTION };

		if (function.start < before) /* malformed: functions are contiguous */
			break;
		before = function.start;
		err = vec_try_push(&compile->cfi.fdes, function);
	}
	return err;
}

static bool is_nothing(int err)
{
	return err == -ENODATA || err == -EBADMSG;
}

/* Finds the functions. A malformed section counts as missing; its error is returned only if no other section has functions. */
static int find_frames(struct compile *compile)
{
	int eh = scan(compile, frame_section_eh), go, debug;

	if (eh && !is_nothing(eh))
		return eh;
	go = add_go(compile);
	if (!go || !is_nothing(go))
		return go;
	debug = eh ? scan(compile, frame_section_debug) : 0;
	return debug == -ENODATA ? eh : debug;
}

/* Adds [start, end) as code without information, if it is code. Returns 0 or -ENOMEM. */
static int note_gap(struct compile *compile, uint64_t start, uint64_t end)
{
	const Elf64_Phdr *segment = end > start ? elf_file_segment_at(compile->elf, start, PF_X) : NULL;

	if (!segment || segment != elf_file_segment_at(compile->elf, end - 1, PF_X))
		return 0;
	return vec_try_push(&compile->gaps, (struct code_gap){ start, end });
}

/* Handles [start, next), which has no information: recognises stubs for the return from a signal by their bytes. */
static int add_unknown(struct compile *compile, uint64_t start, uint64_t next)
{
	static const struct st_unwind_rule none;
	uint64_t stub, end, at = start;
	int err = compile->end ? unwind_builder_add(&compile->builder, start, none) : 0;

	while (!err && unwind_sigreturn_find(compile->elf, at, next, &stub, &end)) {
		uint64_t first = stub > at ? stub - 1 : stub; /* a return address is looked up one byte below */

		err = note_gap(compile, at, first);
		err = err ?: unwind_builder_add(&compile->builder, first, unwind_sigreturn_rule());
		if (!err && end < compile->high)
			err = unwind_builder_add(&compile->builder, end, none);
		compile->builder.table.facts.nr_functions++;
		at = end;
	}
	return err ?: note_gap(compile, at, next);
}

/*
 * The end of the code at the program's entry: the first long nop (padding) or stub for the return from a signal; at most `next` or
 * ENTRY_BYTES_MAX. Returns the entry if the code cannot be read.
 */
static uint64_t end_of_entry(const struct elf_file *elf, uint64_t next)
{
	static const uint8_t nop[] = { 0x0f, 0x1f };
	const Elf64_Phdr *segment = elf_file_segment_at(elf, elf->entry, PF_X);
	uint64_t end = next - elf->entry < ENTRY_BYTES_MAX ? next : elf->entry + ENTRY_BYTES_MAX, stub, stub_end;
	uint8_t code[ENTRY_BYTES_MAX];
	const uint8_t *padding;
	size_t nr = end - elf->entry;

	if (!segment || elf_file_read(elf, segment->p_offset + (elf->entry - segment->p_vaddr), code, nr))
		return elf->entry;
	padding = memmem(code, nr, nop, sizeof(nop));
	if (padding)
		end = elf->entry + (uint64_t)(padding - code);
	return unwind_sigreturn_find(elf, elf->entry, end, &stub, &stub_end) ? stub - 1 : end;
}

/*
 * As add_unknown(), but the function at the file's entry gets the rule of an outermost frame. musl gives it no information, nor does glibc
 * in its loader.
 */
static int add_gap(struct compile *compile, uint64_t start, uint64_t next)
{
	static const struct st_unwind_rule none, root = { .kind = ST_UNWIND_STOP };
	uint64_t entry = compile->elf->entry, end = entry;
	int err;

	if (entry && entry >= start && entry < next && elf_needs_is_program(compile->elf))
		end = end_of_entry(compile->elf, next);
	if (end <= entry)
		return add_unknown(compile, start, next);
	err = start < entry ? add_unknown(compile, start, entry) : 0;
	err = err ?: unwind_builder_add(&compile->builder, entry, root);
	compile->builder.table.facts.nr_functions++;
	if (err || end == next)
		return err;
	return unwind_builder_add(&compile->builder, end, none) ?: add_unknown(compile, end, next);
}

/*
 * Whether this is glibc's __start_context, to which the function of makecontext() returns. It switches to a stack with a pointer to the
 * next context: mov %rbx,%rsp; mov (%rsp),%rdi; test %rdi,%rdi. But its unwind information is that of a called function. Reads the file, so
 * call it only for functions with one row, in files that may have it.
 */
static bool is_context_start(const struct elf_file *elf, const Elf64_Phdr *segment, uint64_t start, uint64_t end)
{
	static const uint8_t begin[] = { 0x48, 0x89, 0xdc, 0x48, 0x8b, 0x3c, 0x24, 0x48, 0x85, 0xff };
	uint8_t code[sizeof(begin)];

	return end > start && end - start >= sizeof(code) && end - start <= CONTEXT_BYTES_MAX &&
	       !elf_file_read(elf, segment->p_offset + (start - segment->p_vaddr), code, sizeof(code)) &&
	       !memcmp(code, begin, sizeof(begin));
}

/* Makes the function an outermost frame, from the byte before it on, because its address is a return address. */
static void make_root(struct cfi_rows *rows, uint64_t start, uint64_t before)
{
	rows->rows.data[0] = (struct cfi_row){ start > before ? start - 1 : start, { .kind = ST_UNWIND_STOP } };
}

/* Adds the rows of one function, up to `limit`, where the next one starts. */
static int add_function(struct compile *compile, const struct cfi_fde *fde, uint64_t limit)
{
	const Elf64_Phdr *segment = elf_file_segment_at(compile->elf, fde->start, PF_X);
	uint64_t start = fde->start, end, before;
	int err;

	if (!segment || limit == start)
		return 0;
	if (fde->cie == GO_FUNCTION)
		err = unwind_go_run(&compile->go, compile->elf, fde->position, &compile->rows);
	else
		err = unwind_cfi_run(&compile->cfi, fde, &compile->rows);
	if (!compile->rows.rows.nr || (err && err != -EBADMSG))
		return err;
	compile->builder.table.facts.nr_functions++;
	compile->builder.table.facts.nr_bad += err == -EBADMSG;
	end = segment->p_vaddr + segment->p_filesz;
	end = limit < end ? limit : end;
	end = compile->rows.end < end ? compile->rows.end : end;
	before = compile->end ? compile->end : compile->low;
	if (compile->may_start_contexts && compile->rows.rows.nr == 1 &&
	    is_context_start(compile->elf, segment, start, end)) {
		make_root(&compile->rows, start, before);
		start = compile->rows.rows.data[0].address;
	}
	err = start >= before && start - before <= PADDING_MAX ? 0 : add_gap(compile, before, start);
	for (size_t i = 0; i < compile->rows.rows.nr && !err; i++) {
		const struct cfi_row *row = &compile->rows.rows.data[i];

		if (row->address >= end)
			break;
		err = unwind_builder_add(&compile->builder, row->address, row->rule);
	}
	compile->end = end;
	return err;
}

static void note_segments(const struct elf_file *elf, struct unwind_table *table)
{
	for (size_t i = 0; i < elf->segments.nr && table->nr_segments < UNWIND_SEGMENTS_MAX; i++) {
		const Elf64_Phdr *segment = &elf->segments.data[i];

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X && segment->p_filesz)
			table->segments[table->nr_segments++] =
				(struct unwind_segment){ segment->p_offset, segment->p_filesz, segment->p_vaddr };
	}
}

static int add_all(struct compile *compile)
{
	const struct cfi_fde *fdes = compile->cfi.fdes.data;
	size_t nr = compile->cfi.fdes.nr;
	int err = unwind_builder_init(&compile->builder, compile->low, compile->high);
	uint64_t end;

	for (size_t i = 0; i < nr && !err; i++)
		err = add_function(compile, &fdes[i], i + 1 < nr ? fdes[i + 1].start : UINT64_MAX);
	end = compile->end ? compile->end : compile->low;
	return !err && end < compile->high ? add_gap(compile, end, compile->high) : err;
}

/* Ignores small gaps, which every file has: the linker's own code, and entries of its PLT. */
static bool has_large_gap(const struct compile *compile)
{
	for (size_t i = 0; i < compile->gaps.nr; i++)
		if (compile->gaps.data[i].end - compile->gaps.data[i].start >= GAP_BYTES_MIN)
			return true;
	return false;
}

struct fill {
	const code_gaps *gaps;
	const struct cfi_rows *made;
	size_t nr_gaps, nr_made; /* numbers of gaps and rows that are in the table */
	uint64_t end; /* end of the last gap in the table */
	uint64_t high;
	struct unwind_builder builder;
};

static int add_gaps(struct fill *fill, uint64_t address)
{
	static const struct st_unwind_rule none;
	int err = 0;

	for (; fill->nr_gaps < fill->gaps->nr && fill->gaps->data[fill->nr_gaps].start <= address && !err;
	     fill->nr_gaps++) {
		const struct code_gap *gap = &fill->gaps->data[fill->nr_gaps];

		err = unwind_builder_add(&fill->builder, gap->start, none);
		for (; fill->nr_made < fill->made->rows.nr && !err; fill->nr_made++) {
			const struct cfi_row *row = &fill->made->rows.data[fill->nr_made];

			if (row->address >= gap->end)
				break;
			if (row->address >= gap->start)
				err = unwind_builder_add(&fill->builder, row->address, row->rule);
		}
		if (!err && gap->end < fill->high)
			err = unwind_builder_add(&fill->builder, gap->end, none);
		fill->end = gap->end;
	}
	return err;
}

static int add_outside(struct fill *fill, uint64_t address, struct st_unwind_rule rule)
{
	int err = add_gaps(fill, address);

	return err || address < fill->end ? err : unwind_builder_add(&fill->builder, address, rule);
}

static int add_page(struct fill *fill, const struct unwind_table *table, uint64_t page)
{
	static const struct st_unwind_rule none;
	uint64_t address = (table->first_page + page) << ST_UNWIND_PAGE_SHIFT;
	uint32_t first = ST_UNWIND_PAGE_FIRST(table->pages.data[page]), nr = ST_UNWIND_PAGE_NR(table->pages.data[page]);
	int err = nr ? 0 : add_outside(fill, address, none);

	for (uint32_t i = first; i < first + nr && !err; i++) {
		uint32_t row = table->rows.data[i];

		err = add_outside(fill, address + ST_UNWIND_ROW_ADDRESS(row),
				  table->rules.data[ST_UNWIND_ROW_RULE(row)]);
	}
	return err;
}

/* Replaces a table by one with rows for its gaps. On errors, it stays as it is. */
static int fill_table(const struct compile *compile, const struct cfi_rows *made, struct unwind_table *table)
{
	struct fill fill = { .gaps = &compile->gaps, .made = made, .high = compile->high };
	struct unwind_facts facts = table->facts;
	struct unwind_table filled;
	int err = unwind_builder_init(&fill.builder, compile->low, compile->high);

	for (uint64_t page = 0; page < table->pages.nr && !err; page++)
		err = add_page(&fill, table, page);
	err = err ?: add_gaps(&fill, UINT64_MAX);
	err = err ?: unwind_builder_finish(&fill.builder, &filled);
	if (err) {
		unwind_builder_done(&fill.builder);
		return err;
	}
	filled.facts.nr_functions += facts.nr_functions;
	filled.facts.nr_bad += facts.nr_bad;
	unwind_table_done(table);
	*table = filled;
	return 0;
}

/* Makes rows for the gaps; not in Go programs. If that fails, the table stays as it is. */
static void fill_gaps(const struct compile *compile, struct unwind_table *table)
{
	struct synthesis_facts facts = {};
	struct cfi_rows made = {};
	int err;

	if (!has_large_gap(compile) || compile->go.table.nr)
		return;
	err = unwind_synthesise(compile->elf, &compile->gaps, &made, &facts);
	if (!err && facts.nr_claimed)
		err = fill_table(compile, &made, table);
	if (!err && facts.nr_claimed)
		table->facts.nr_functions += facts.nr_functions;
	vec_done(&made.rows);
}

static int compile(const struct elf_file *elf, bool fills_gaps, struct unwind_table *ret_table)
{
	_cleanup_(compile_done) struct compile compile = { .elf = elf };
	int err, nothing;

	if (elf->machine != EM_X86_64 || !elf->is_64)
		return -ENODATA;
	compile.may_start_contexts = elf_needs_is_alone(elf);
	err = find_code(elf, &compile.low, &compile.high);
	nothing = err ? 0 : find_frames(&compile);
	err = err ?: is_nothing(nothing) ? 0 : nothing;
	err = err ?: radix_sort(compile.cfi.fdes.data, compile.cfi.fdes.nr, start);
	err = err ?: add_all(&compile);
	err = err ?: unwind_builder_finish(&compile.builder, ret_table);
	if (err)
		return err;
	if (fills_gaps)
		fill_gaps(&compile, ret_table);
	note_segments(elf, ret_table);
	if (!nothing || ret_table->facts.nr_functions)
		return 0;
	unwind_table_done(ret_table);
	return nothing;
}

int unwind_compile(const struct elf_file *elf, struct unwind_table *ret_table)
{
	return compile(elf, true, ret_table);
}

int unwind_compile_information(const struct elf_file *elf, struct unwind_table *ret_table)
{
	return compile(elf, false, ret_table);
}
