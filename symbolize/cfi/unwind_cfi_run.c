/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interprets call frame instructions: DWARF 5, 6.4.2, and GNU's, which binutils' include/dwarf2.h names. */
#include <dwarf.h>

#include "symbolize/cfi/unwind_cfi_private.h"

enum {
	REG_BP = 6,
	REG_SP = 7,
	REG_RA = 16,
	REMEMBERED_MAX = 32, /* nested at most 16 deep in what Debian ships */
};

struct run {
	const struct cfi_cie *cie;
	struct byte_reader bytes;
	struct cfi_state state;
	uint64_t address, end;
	struct cfi_rows *rows; /* NULL while a CIE runs */
	uint32_t nr_remembered;
	struct cfi_state remembered[REMEMBERED_MAX];
};

/* ---- expressions ---- */

/* An expression of one of the few shapes that compilers and assemblers use. */
struct shape {
	enum {
		SHAPE_OTHER,
		SHAPE_SUM, /* reg + offset */
		SHAPE_DEREF, /* word at (reg + offset), + add */
		SHAPE_PLT, /* rsp + offset + ((rip & 15) >= add) * 8 */
	} kind;
	uint32_t reg;
	int64_t offset, add;
};

/* What binutils writes for .plt, behind "rsp + offset": breg16 0, lit15, and, litN, ge, lit3, shl, plus. */
static bool is_plt(struct byte_reader bytes, int64_t *ret_threshold)
{
	static const uint8_t before[] = { DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and };
	static const uint8_t behind[] = { DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };
	size_t nr = sizeof(before) + 1 + sizeof(behind);

	if (bytes_left(&bytes) != nr || memcmp(bytes.at, before, sizeof(before)) != 0 ||
	    memcmp(bytes.at + sizeof(before) + 1, behind, sizeof(behind)) != 0)
		return false;
	*ret_threshold = bytes.at[sizeof(before)] - DW_OP_lit0;
	return *ret_threshold >= 0 && *ret_threshold <= 15;
}

static struct shape shape_of(struct byte_reader bytes)
{
	uint8_t operation = bytes_byte(&bytes);
	struct shape shape = { .kind = SHAPE_SUM, .reg = operation - DW_OP_breg0 }, other = {};

	if (operation < DW_OP_breg0 || operation > DW_OP_breg31)
		return other;
	shape.offset = bytes_sleb(&bytes);
	if (bytes.bad || !bytes_left(&bytes))
		return bytes.bad ? other : shape;
	if (shape.reg == REG_SP && is_plt(bytes, &shape.add)) {
		shape.kind = SHAPE_PLT;
		return shape;
	}
	if (bytes_byte(&bytes) != DW_OP_deref)
		return other;
	shape.kind = SHAPE_DEREF;
	while (bytes_left(&bytes)) {
		if (bytes_byte(&bytes) != DW_OP_plus_uconst)
			return other;
		shape.add += (int64_t)bytes_uleb(&bytes);
	}
	return bytes.bad ? other : shape;
}

static struct byte_reader expression(struct run *run)
{
	return bytes_part(&run->bytes, bytes_uleb(&run->bytes));
}

static void cfa_expression(struct run *run)
{
	static const enum cfi_cfa cfas[] = {
		[SHAPE_OTHER] = CFA_OTHERWISE, [SHAPE_SUM] = CFA_REGISTER, [SHAPE_DEREF] = CFA_DEREF, [SHAPE_PLT] = CFA_PLT
	};
	struct shape shape = shape_of(expression(run));

	run->state.cfa = cfas[shape.kind];
	run->state.cfa_register = shape.reg;
	run->state.cfa_offset = shape.offset;
	run->state.cfa_add = shape.add;
}

/* ---- registers ---- */

static struct cfi_saved *saved_of(struct cfi_state *state, uint64_t reg)
{
	return reg == REG_BP ? &state->bp : reg == REG_RA ? &state->ra : NULL;
}

static void save(struct run *run, uint64_t reg, enum cfi_where where, uint64_t in, int64_t offset)
{
	struct cfi_saved *saved = saved_of(&run->state, reg);

	if (saved)
		*saved = (struct cfi_saved){ where, in > UINT32_MAX ? UINT32_MAX : (uint32_t)in, offset };
}

static void save_at_expression(struct run *run)
{
	uint64_t reg = bytes_uleb(&run->bytes);
	struct shape shape = shape_of(expression(run));

	save(run, reg, shape.kind == SHAPE_SUM ? SAVED_AT_REGISTER : SAVED_OTHERWISE, shape.reg, shape.offset);
}

static void save_otherwise(struct run *run, uint8_t operation)
{
	uint64_t reg = bytes_uleb(&run->bytes);

	if (operation == DW_CFA_val_expression)
		expression(run);
	else
		bytes_uleb(&run->bytes); /* a signed one is skipped the same way */
	save(run, reg, SAVED_OTHERWISE, 0, 0);
}

static void restore(struct run *run, uint64_t reg)
{
	struct cfi_state initial = run->cie->initial;
	struct cfi_saved *saved = saved_of(&run->state, reg);

	if (saved)
		*saved = *saved_of(&initial, reg);
}

/* A product that wraps is a number like another here: the bytes are nonsense then. */
static int64_t factored(const struct run *run, uint64_t value)
{
	return (int64_t)(value * (uint64_t)run->cie->common.data_factor);
}

static void set_cfa(struct run *run, uint64_t reg, int64_t offset)
{
	run->state.cfa = CFA_REGISTER;
	run->state.cfa_register = reg > UINT32_MAX ? UINT32_MAX : (uint32_t)reg;
	run->state.cfa_offset = offset;
}

/* ---- rows ---- */

static int end_row(struct run *run)
{
	struct cfi_row row = { .address = run->address };

	if (!run->rows || run->address >= run->end)
		return 0;
	row.rule = unwind_rule(&run->state, run->cie->common.is_signal);
	return vec_try_push(&run->rows->rows, row);
}

/* Goes on at another address; what holds until there is a row. Never back, and never in a CIE. */
static int advance_to(struct run *run, uint64_t address)
{
	int err;

	if (!run->rows || address < run->address)
		return -EBADMSG;
	if (address == run->address)
		return 0;
	err = end_row(run);
	run->address = address;
	return err;
}

static int advance(struct run *run, uint64_t delta)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(delta, run->cie->common.code_factor, &bytes) || bytes > UINT64_MAX - run->address)
		return -EBADMSG;
	return advance_to(run, run->address + bytes);
}

/* ---- instructions ---- */

static int remember(struct run *run)
{
	if (run->nr_remembered == REMEMBERED_MAX)
		return -EBADMSG;
	run->remembered[run->nr_remembered++] = run->state;
	return 0;
}

static int recall(struct run *run)
{
	if (!run->nr_remembered)
		return -EBADMSG;
	run->state = run->remembered[--run->nr_remembered];
	return 0;
}

static int step_cfa(struct run *run, uint8_t operation)
{
	struct byte_reader *bytes = &run->bytes;
	uint64_t reg;

	switch (operation) {
	case DW_CFA_def_cfa:
		reg = bytes_uleb(bytes);
		set_cfa(run, reg, (int64_t)bytes_uleb(bytes));
		return 0;
	case DW_CFA_def_cfa_sf:
		reg = bytes_uleb(bytes);
		set_cfa(run, reg, factored(run, (uint64_t)bytes_sleb(bytes)));
		return 0;
	case DW_CFA_def_cfa_register:
		set_cfa(run, bytes_uleb(bytes), run->state.cfa_offset);
		return 0;
	case DW_CFA_def_cfa_offset:
		set_cfa(run, run->state.cfa_register, (int64_t)bytes_uleb(bytes));
		return 0;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa(run, run->state.cfa_register, factored(run, (uint64_t)bytes_sleb(bytes)));
		return 0;
	case DW_CFA_def_cfa_expression:
		cfa_expression(run);
		return 0;
	default:
		return -EBADMSG;
	}
}

static int step_register(struct run *run, uint8_t operation)
{
	struct byte_reader *bytes = &run->bytes;
	uint64_t reg;

	switch (operation) {
	case DW_CFA_offset_extended:
		reg = bytes_uleb(bytes);
		save(run, reg, SAVED_AT_CFA, 0, factored(run, bytes_uleb(bytes)));
		return 0;
	case DW_CFA_offset_extended_sf:
		reg = bytes_uleb(bytes);
		save(run, reg, SAVED_AT_CFA, 0, factored(run, (uint64_t)bytes_sleb(bytes)));
		return 0;
	case DW_CFA_GNU_negative_offset_extended:
		reg = bytes_uleb(bytes);
		save(run, reg, SAVED_AT_CFA, 0, factored(run, 0 - bytes_uleb(bytes)));
		return 0;
	case DW_CFA_restore_extended:
		restore(run, bytes_uleb(bytes));
		return 0;
	case DW_CFA_undefined:
		save(run, bytes_uleb(bytes), SAVED_UNDEFINED, 0, 0);
		return 0;
	case DW_CFA_same_value:
		save(run, bytes_uleb(bytes), SAVED_SAME, 0, 0);
		return 0;
	case DW_CFA_register:
		reg = bytes_uleb(bytes);
		save(run, reg, SAVED_IN_REGISTER, bytes_uleb(bytes), 0);
		return 0;
	case DW_CFA_expression:
		save_at_expression(run);
		return 0;
	case DW_CFA_val_expression:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
		save_otherwise(run, operation);
		return 0;
	default:
		return step_cfa(run, operation);
	}
}

static int step(struct run *run)
{
	struct byte_reader *bytes = &run->bytes;
	uint8_t operation = bytes_byte(bytes), low = operation & 0x3f;

	switch (operation & 0xc0) {
	case DW_CFA_advance_loc:
		return advance(run, low);
	case DW_CFA_offset:
		save(run, low, SAVED_AT_CFA, 0, factored(run, bytes_uleb(bytes)));
		return 0;
	case DW_CFA_restore:
		restore(run, low);
		return 0;
	}
	switch (operation) {
	case DW_CFA_nop:
		return 0;
	case DW_CFA_set_loc: /* nothing that we know writes it; relative to itself it makes no sense in a row of rows */
		if (run->cie->common.encoding & POINTER_BASE)
			return -EBADMSG;
		return advance_to(run, eh_pointer_value(bytes, run->cie->common.encoding, WORD_BYTES));
	case DW_CFA_advance_loc1:
		return advance(run, bytes_byte(bytes));
	case DW_CFA_advance_loc2:
		return advance(run, bytes_number(bytes, 2));
	case DW_CFA_advance_loc4:
		return advance(run, bytes_number(bytes, 4));
	case DW_CFA_remember_state:
		return remember(run);
	case DW_CFA_restore_state:
		return recall(run);
	case DW_CFA_GNU_args_size:
		bytes_uleb(bytes);
		return 0;
	default:
		return step_register(run, operation);
	}
}

static int run_all(struct run *run)
{
	while (bytes_left(&run->bytes) && run->address < run->end) {
		int err = step(run);

		if (err || run->bytes.bad)
			return err ?: -EBADMSG;
	}
	return end_row(run);
}

int cfi_initial(struct cfi_cie *cie)
{
	struct run run = { .cie = cie, .bytes = cie->common.instructions, .end = UINT64_MAX };
	int err = run_all(&run);

	cie->initial = run.state;
	return err;
}

/* Range and instructions of an FDE. */
static int start_run(struct run *run, const struct cfi *cfi, const struct cfi_fde *fde)
{
	uint64_t address = 0, length;

	run->bytes = cfi_fde_body(cfi, fde, &address);
	eh_pointer_value(&run->bytes, run->cie->common.encoding, WORD_BYTES);
	length = eh_pointer_value(&run->bytes, run->cie->common.encoding & POINTER_FORMAT, WORD_BYTES);
	if (run->cie->common.has_augmentation)
		bytes_skip(&run->bytes, bytes_uleb(&run->bytes));
	if (run->bytes.bad || !length || length > UINT64_MAX - fde->start)
		return -ENODATA;
	run->address = fde->start;
	run->end = fde->start + length;
	return 0;
}

int unwind_cfi_run(const struct cfi *cfi, const struct cfi_fde *fde, struct cfi_rows *rows)
{
	const struct cfi_cie *cie = &cfi->cies.data[fde->cie];
	struct run run;
	int err;

	/* Not as a whole: the remembered states are large, and rarely used. */
	run.cie = cie;
	run.state = cie->initial;
	run.rows = rows;
	run.nr_remembered = 0;
	rows->rows.nr = 0;
	rows->end = fde->start;
	err = start_run(&run, cfi, fde);
	if (err)
		return 0; /* it covers nothing */
	rows->end = run.end;
	err = run_all(&run);
	if (err != -EBADMSG)
		return err;
	rows->rows.nr = 0;
	return vec_try_push(&rows->rows, (struct cfi_row){ .address = fde->start }) ?: -EBADMSG;
}
