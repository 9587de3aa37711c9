/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions of DWARF 5, 6.4.2, and of GNU (binutils, include/dwarf2.h). */
#include "symbolize/cfi/unwind_cfi.h"

#include <dwarf.h>

#include "symbolize/elf/eh_pointer.h"

/* Register numbers: psABI of x86_64, "DWARF Register Number Mapping". */
enum {
	REG_BP = 6,
	REG_SP = 7,
	REG_MAX = 15,
	REG_RA = 16,
};

enum {
	WORD_BYTES = 8,
	REMEMBERED_MAX = 32, /* Debian's files nest at most 16 */
	SIGCONTEXT_IP = 128, /* offset of rip in struct sigcontext, asm/sigcontext.h */
};

static bool fits_16(int64_t value)
{
	return value >= INT16_MIN && value <= INT16_MAX;
}

/* How the caller's rbp is found. If the CFA is relative to rsp, a place relative to rsp becomes one relative to the CFA. */
static uint8_t bp_rule(const struct cfi_state *state, int16_t *ret_offset)
{
	int64_t offset = state->bp.offset;
	uint8_t how = ST_UNWIND_BP_AT_CFA;

	switch (state->bp.where) {
	case SAVED_UNSAID: /* psABI: functions preserve rbp */
	case SAVED_SAME:
		return ST_UNWIND_BP_SAME;
	case SAVED_AT_CFA:
		break;
	case SAVED_AT_REGISTER:
		if (state->bp.reg == REG_BP)
			how = ST_UNWIND_BP_AT_BP;
		else if (state->bp.reg == REG_SP && state->cfa.kind == CFA_REGISTER && state->cfa.reg == REG_SP)
			offset -= state->cfa.offset;
		else
			return ST_UNWIND_BP_LOST;
		break;
	default:
		return ST_UNWIND_BP_LOST;
	}
	if (!fits_16(offset))
		return ST_UNWIND_BP_LOST;
	*ret_offset = (int16_t)offset;
	return how;
}

/* Sets kind and offsets of a rule. False if no rule can express this CFA. */
static bool cfa_rule(const struct cfi_cfa *cfa, struct st_unwind_rule *rule)
{
	bool is_sp = cfa->reg == REG_SP, is_bp = cfa->reg == REG_BP;

	switch (cfa->kind) {
	case CFA_REGISTER:
		rule->kind = is_sp ? ST_UNWIND_SP : is_bp ? ST_UNWIND_BP : ST_UNWIND_REGISTER;
		rule->offset = (int32_t)cfa->offset;
		return cfa->offset == rule->offset && cfa->reg <= REG_MAX;
	case CFA_DEREF:
		rule->kind = is_sp ? ST_UNWIND_DEREF_SP : ST_UNWIND_DEREF_BP;
		break;
	case CFA_DEREF_INDEXED:
		rule->kind = ST_UNWIND_DEREF_INDEXED;
		break;
	case CFA_PLT:
		rule->kind = ST_UNWIND_PLT;
		break;
	default:
		return false;
	}
	rule->at = (int16_t)cfa->offset;
	rule->add = (int16_t)cfa->add;
	return (is_sp || (is_bp && cfa->kind == CFA_DEREF)) && fits_16(cfa->offset) && fits_16(cfa->add);
}

static bool has_register(const struct st_unwind_rule *rule)
{
	return rule->kind == ST_UNWIND_REGISTER || rule->kind == ST_UNWIND_DEREF_INDEXED;
}

/* A signal frame: rsp + ra.offset is the rip of a struct sigcontext, which has the other registers too. */
static struct st_unwind_rule signal_rule(const struct cfi_state *state)
{
	int64_t offset = state->ra.offset - SIGCONTEXT_IP;

	if (state->ra.where != SAVED_AT_REGISTER || state->ra.reg != REG_SP || !fits_16(offset))
		return (struct st_unwind_rule){ .kind = ST_UNWIND_UNSUPPORTED };
	return (struct st_unwind_rule){ .kind = ST_UNWIND_SIGNAL, .offset = (int32_t)offset };
}

/* The rule for a state: ST_UNWIND_UNSUPPORTED if no rule can express it, ST_UNWIND_INVALID if it was not set. */
static struct st_unwind_rule rule_of(const struct cfi_state *state, bool is_signal)
{
	struct st_unwind_rule rule = {}, unsupported = { .kind = ST_UNWIND_UNSUPPORTED };
	uint8_t bp, ra = ST_UNWIND_RA_AT_CFA, reg = 0;
	int16_t bp_offset = 0;

	if (is_signal)
		return signal_rule(state);
	if (state->ra.where == SAVED_UNDEFINED)
		return (struct st_unwind_rule){ .kind = ST_UNWIND_STOP };
	if (state->cfa.kind == CFA_UNKNOWN || state->ra.where == SAVED_UNSAID)
		return (struct st_unwind_rule){ .kind = ST_UNWIND_INVALID };
	if (!cfa_rule(&state->cfa, &rule))
		return unsupported;
	if (rule.kind == ST_UNWIND_REGISTER)
		reg = (uint8_t)state->cfa.reg;
	if (rule.kind == ST_UNWIND_DEREF_INDEXED)
		reg = (uint8_t)state->cfa.index;
	if (state->ra.where == SAVED_IN_REGISTER && state->ra.reg <= REG_MAX && !has_register(&rule)) {
		ra = ST_UNWIND_RA_REGISTER;
		reg = (uint8_t)state->ra.reg;
	} else if (state->ra.where != SAVED_AT_CFA || state->ra.offset != -8) {
		return unsupported;
	}
	bp = bp_rule(state, &bp_offset);
	rule.bp_offset = bp_offset;
	rule.how = ST_UNWIND_HOW(bp, ra, reg);
	return rule;
}

/* Whether this follows "rsp + offset" as binutils writes it for .plt: breg16 0, lit15, and, litN, ge, lit3, shl, plus. */
static bool is_plt(struct byte_reader bytes, int64_t *ret_threshold)
{
	static const uint8_t before[] = { DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and };
	static const uint8_t after[] = { DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };
	size_t nr = sizeof(before) + 1 + sizeof(after);

	if (bytes_left(&bytes) != nr || memcmp(bytes.at, before, sizeof(before)) != 0 ||
	    memcmp(bytes.at + sizeof(before) + 1, after, sizeof(after)) != 0)
		return false;
	*ret_threshold = bytes.at[sizeof(before)] - DW_OP_lit0;
	return *ret_threshold >= 0 && *ret_threshold <= 15;
}

/*
 * Skips bregN 0, lit8, mul, plus, which OpenSSL's assembler writes after "rsp + offset" if a register counts words above rsp. False if the
 * bytes differ.
 */
static bool skip_index(struct byte_reader *bytes, uint32_t *ret_index)
{
	static const uint8_t after[] = { 0, DW_OP_lit8, DW_OP_mul, DW_OP_plus };
	size_t nr = 1 + sizeof(after);

	if (bytes_left(bytes) < nr || memcmp(bytes->at + 1, after, sizeof(after)) != 0)
		return false;
	*ret_index = (uint32_t)bytes->at[0] - DW_OP_breg0;
	if (*ret_index > REG_MAX)
		return false;
	bytes_skip(bytes, nr);
	return true;
}

/* Reads an expression, in one of the few forms that compilers and assemblers write. */
static struct cfi_cfa expression(struct byte_reader *from)
{
	struct byte_reader bytes = bytes_part(from, bytes_uleb(from));
	uint8_t operation = bytes_byte(&bytes);
	struct cfi_cfa cfa = { .kind = CFA_REGISTER, .reg = operation - DW_OP_breg0 };
	const struct cfi_cfa other = { .kind = CFA_OTHERWISE };

	if (operation < DW_OP_breg0 || operation > DW_OP_breg31)
		return other;
	cfa.offset = bytes_sleb(&bytes);
	if (bytes.bad || !bytes_left(&bytes))
		return bytes.bad ? other : cfa;
	if (cfa.reg == REG_SP && is_plt(bytes, &cfa.add)) {
		cfa.kind = CFA_PLT;
		return cfa;
	}
	cfa.kind = cfa.reg == REG_SP && skip_index(&bytes, &cfa.index) ? CFA_DEREF_INDEXED : CFA_DEREF;
	if (bytes_byte(&bytes) != DW_OP_deref)
		return other;
	while (bytes_left(&bytes)) {
		if (bytes_byte(&bytes) != DW_OP_plus_uconst)
			return other;
		cfa.add += (int64_t)bytes_uleb(&bytes);
	}
	return bytes.bad ? other : cfa;
}

struct run {
	const struct cfi_cie *cie;
	struct byte_reader bytes;
	struct cfi_state state;
	uint64_t address, end;
	struct cfi_rows *rows; /* NULL in a CIE */
	uint32_t nr_remembered;
	struct cfi_state remembered[REMEMBERED_MAX];
};

static struct cfi_saved *saved_of(struct cfi_state *state, uint64_t reg)
{
	return reg == REG_BP ? &state->bp : reg == REG_RA ? &state->ra : NULL;
}

static uint32_t register_number(uint64_t reg)
{
	return reg > UINT32_MAX ? UINT32_MAX : (uint32_t)reg;
}

static void save(struct run *run, uint64_t reg, enum cfi_where where, uint64_t in, int64_t offset)
{
	struct cfi_saved *saved = saved_of(&run->state, reg);

	if (saved)
		*saved = (struct cfi_saved){ where, register_number(in), offset };
}

static void restore(struct run *run, uint64_t reg)
{
	struct cfi_state initial = run->cie->initial;
	struct cfi_saved *saved = saved_of(&run->state, reg);

	if (saved)
		*saved = *saved_of(&initial, reg);
}

/* The product wraps only for malformed bytes, where any offset will do. */
static int64_t factored(const struct run *run, uint64_t value)
{
	return (int64_t)(value * (uint64_t)run->cie->common.data_factor);
}

static void set_cfa(struct run *run, uint64_t reg, int64_t offset)
{
	run->state.cfa = (struct cfi_cfa){ .kind = CFA_REGISTER, .reg = register_number(reg), .offset = offset };
}

static int end_row(struct run *run)
{
	struct cfi_row row = { .address = run->address };

	if (!run->rows || run->address >= run->end)
		return 0;
	row.rule = rule_of(&run->state, run->cie->common.is_signal);
	return vec_try_push(&run->rows->rows, row);
}

/* Adds the row that ends at `address` and continues there. Returns -EBADMSG for a lower address, and in a CIE. */
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

/* An instruction that sets a register or the CFA. */
static int step_register(struct run *run, uint8_t operation)
{
	struct byte_reader *bytes = &run->bytes, operands = *bytes;
	uint64_t first = bytes_uleb(bytes); /* nearly all instructions have this operand */
	struct cfi_cfa place;

	switch (operation) {
	case DW_CFA_offset_extended:
		save(run, first, SAVED_AT_CFA, 0, factored(run, bytes_uleb(bytes)));
		return 0;
	case DW_CFA_offset_extended_sf:
		save(run, first, SAVED_AT_CFA, 0, factored(run, (uint64_t)bytes_sleb(bytes)));
		return 0;
	case DW_CFA_GNU_negative_offset_extended:
		save(run, first, SAVED_AT_CFA, 0, factored(run, 0 - bytes_uleb(bytes)));
		return 0;
	case DW_CFA_restore_extended:
		restore(run, first);
		return 0;
	case DW_CFA_undefined:
		save(run, first, SAVED_UNDEFINED, 0, 0);
		return 0;
	case DW_CFA_same_value:
		save(run, first, SAVED_SAME, 0, 0);
		return 0;
	case DW_CFA_register:
		save(run, first, SAVED_IN_REGISTER, bytes_uleb(bytes), 0);
		return 0;
	case DW_CFA_expression:
		place = expression(bytes);
		save(run, first, place.kind == CFA_REGISTER ? SAVED_AT_REGISTER : SAVED_OTHERWISE, place.reg,
		     place.offset);
		return 0;
	case DW_CFA_val_expression:
		expression(bytes);
		save(run, first, SAVED_OTHERWISE, 0, 0);
		return 0;
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf: /* signed LEB128 has the same length as unsigned */
		bytes_uleb(bytes);
		save(run, first, SAVED_OTHERWISE, 0, 0);
		return 0;
	case DW_CFA_def_cfa:
		set_cfa(run, first, (int64_t)bytes_uleb(bytes));
		return 0;
	case DW_CFA_def_cfa_sf:
		set_cfa(run, first, factored(run, (uint64_t)bytes_sleb(bytes)));
		return 0;
	case DW_CFA_def_cfa_register:
		set_cfa(run, first, run->state.cfa.offset);
		return 0;
	case DW_CFA_def_cfa_offset:
		set_cfa(run, run->state.cfa.reg, (int64_t)first);
		return 0;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa(run, run->state.cfa.reg, factored(run, (uint64_t)bytes_sleb(&operands)));
		return 0;
	case DW_CFA_def_cfa_expression:
		*bytes = operands;
		run->state.cfa = expression(bytes);
		return 0;
	case DW_CFA_GNU_args_size:
		return 0;
	default:
		return -EBADMSG;
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
	case DW_CFA_set_loc: /* unused by known tools; relative addresses are refused */
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
		if (run->nr_remembered == REMEMBERED_MAX)
			return -EBADMSG;
		run->remembered[run->nr_remembered++] = run->state;
		return 0;
	case DW_CFA_restore_state:
		if (!run->nr_remembered)
			return -EBADMSG;
		run->state = run->remembered[--run->nr_remembered];
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

/* Sets range and instructions of an FDE. False if the range is empty or wraps. */
static bool start_run(struct run *run, const struct cfi *cfi, const struct cfi_fde *fde)
{
	struct byte_reader at = frame_section_from(&cfi->section, fde->position);
	struct frame_entry entry;
	uint64_t length;

	if (!frame_next_entry(&cfi->section, &at, &entry) ||
	    !frame_fde_range(&cfi->section, &entry, run->cie->common.encoding, &run->address, &length))
		return false;
	if (run->cie->common.has_augmentation)
		bytes_skip(&entry.body, bytes_uleb(&entry.body));
	run->bytes = entry.body;
	return !entry.body.bad && length && !__builtin_add_overflow(run->address, length, &run->end);
}

int unwind_cfi_run(const struct cfi *cfi, const struct cfi_fde *fde, struct cfi_rows *rows)
{
	const struct cfi_cie *cie = &cfi->cies.data[fde->cie];
	struct run run;
	int err;

	/* `remembered` is large and rarely used, so it is not cleared */
	run.cie = cie;
	run.state = cie->initial;
	run.rows = rows;
	run.nr_remembered = 0;
	rows->rows.nr = 0;
	rows->end = fde->start;
	if (!start_run(&run, cfi, fde))
		return 0;
	rows->end = run.end;
	err = run_all(&run);
	if (err != -EBADMSG)
		return err;
	rows->rows.nr = 0;
	return vec_try_push(&rows->rows, (struct cfi_row){ .address = fde->start }) ?: -EBADMSG;
}

/* Adds a CIE and runs its instructions. Returns 0 or -ENOMEM. */
static int add_cie(struct cfi *cfi, const struct frame_entry *entry)
{
	struct cfi_cie cie = { .position = (uint32_t)entry->position };
	struct run run = { .cie = &cie, .end = UINT64_MAX };

	cie.usable = frame_read_cie(&cfi->section, entry, &cie.common) && cie.common.return_register == REG_RA;
	run.bytes = cie.common.instructions;
	cie.usable = cie.usable && !run_all(&run);
	cie.initial = run.state;
	return vec_try_push(&cfi->cies, cie);
}

/* Finds the index of the CIE at a position. First tries *cie, the result of the last call. */
static bool find_cie(const struct cfi *cfi, uint64_t position, uint32_t *cie)
{
	size_t nr;

	if (*cie < cfi->cies.nr && cfi->cies.data[*cie].position == position)
		return true;
	nr = vec_nr_first(&cfi->cies, one, one->position < position);
	*cie = (uint32_t)nr;
	return nr < cfi->cies.nr && cfi->cies.data[nr].position == position;
}

static int add_fde(struct cfi *cfi, struct frame_entry *entry, uint32_t *cie)
{
	struct cfi_fde fde = { .position = (uint32_t)entry->position };
	uint64_t unused;

	if (!find_cie(cfi, entry->cie, cie) || !cfi->cies.data[*cie].usable)
		return 0;
	fde.cie = *cie;
	return frame_fde_range(&cfi->section, entry, cfi->cies.data[*cie].common.encoding, &fde.start, &unused)
		       ? vec_try_push(&cfi->fdes, fde)
		       : 0;
}

static int scan(struct cfi *cfi, bool cies, bool fdes)
{
	struct byte_reader at = frame_section_from(&cfi->section, 0);
	struct frame_entry entry;
	uint32_t cie = 0;
	int err = 0;

	while (!err && bytes_left(&at) && frame_next_entry(&cfi->section, &at, &entry)) {
		if (entry.is_last && cfi->section.ends_at_zero)
			break;
		if (entry.is_last || entry.body.bad)
			continue;
		if (entry.is_cie)
			err = cies ? add_cie(cfi, &entry) : 0;
		else
			err = fdes ? add_fde(cfi, &entry, &cie) : 0;
	}
	return err;
}

int unwind_cfi_scan(struct cfi *cfi, struct frame_section *section)
{
	int err;

	*cfi = (struct cfi){ .section = *section };
	*section = (struct frame_section){};
	/* In .eh_frame, FDEs follow their CIE; in .debug_frame they may precede it. */
	err = scan(cfi, true, !cfi->section.is_debug);
	if (!err && cfi->section.is_debug)
		err = scan(cfi, false, true);
	if (err)
		unwind_cfi_done(cfi);
	return err;
}

void unwind_cfi_done(struct cfi *cfi)
{
	frame_section_done(&cfi->section);
	vec_done(&cfi->cies);
	vec_done(&cfi->fdes);
}
