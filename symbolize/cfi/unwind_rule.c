/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what call frame instructions say to what the kernel side can follow. */
#include "symbolize/cfi/unwind_cfi.h"

enum {
	REG_BP = 6,
	REG_SP = 7,
	REG_MAX = 15,
	SIGCONTEXT_IP = 128, /* offset of rip in struct sigcontext, asm/sigcontext.h */
};

static bool fits_16(int64_t value)
{
	return value >= INT16_MIN && value <= INT16_MAX;
}

/* How the caller's rbp is found; rules on rsp become rules on the CFA where that is one too. */
static uint8_t bp_rule(const struct cfi_state *state, int16_t *ret_offset)
{
	int64_t offset = state->bp.offset;
	uint8_t how = ST_UNWIND_BP_AT_CFA;

	switch (state->bp.where) {
	case SAVED_UNSAID: /* it belongs to the callee's caller by the psABI */
	case SAVED_SAME:
		return ST_UNWIND_BP_SAME;
	case SAVED_AT_CFA:
		break;
	case SAVED_AT_REGISTER:
		if (state->bp.reg == REG_BP)
			how = ST_UNWIND_BP_AT_BP;
		else if (state->bp.reg == REG_SP && state->cfa == CFA_REGISTER && state->cfa_register == REG_SP)
			offset -= state->cfa_offset;
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

/* Kind and offsets of the CFA; false when there is no such kind. */
static bool cfa_rule(const struct cfi_state *state, struct st_unwind_rule *rule)
{
	bool is_sp = state->cfa_register == REG_SP, is_bp = state->cfa_register == REG_BP;

	switch (state->cfa) {
	case CFA_REGISTER:
		rule->kind = is_sp ? ST_UNWIND_SP : is_bp ? ST_UNWIND_BP : ST_UNWIND_REGISTER;
		rule->offset = (int32_t)state->cfa_offset;
		return state->cfa_offset == rule->offset && state->cfa_register <= REG_MAX;
	case CFA_DEREF:
		rule->kind = is_sp ? ST_UNWIND_DEREF_SP : ST_UNWIND_DEREF_BP;
		break;
	case CFA_PLT:
		rule->kind = ST_UNWIND_PLT;
		break;
	default:
		return false;
	}
	rule->at = (int16_t)state->cfa_offset;
	rule->add = (int16_t)state->cfa_add;
	return (is_sp || (is_bp && state->cfa == CFA_DEREF)) && fits_16(state->cfa_offset) && fits_16(state->cfa_add);
}

/* The kernel's frame: rip is said to be at rsp + offset, and the other registers are where the kernel puts them. */
static struct st_unwind_rule signal_rule(const struct cfi_state *state)
{
	int64_t offset = state->ra.offset - SIGCONTEXT_IP;

	if (state->ra.where != SAVED_AT_REGISTER || state->ra.reg != REG_SP || !fits_16(offset))
		return (struct st_unwind_rule){ .kind = ST_UNWIND_UNSUPPORTED };
	return (struct st_unwind_rule){ .kind = ST_UNWIND_SIGNAL, .offset = (int32_t)offset };
}

struct st_unwind_rule unwind_rule(const struct cfi_state *state, bool is_signal)
{
	struct st_unwind_rule rule = {}, unsupported = { .kind = ST_UNWIND_UNSUPPORTED };
	uint8_t bp, ra = ST_UNWIND_RA_AT_CFA, reg = 0;
	int16_t bp_offset = 0;

	if (is_signal)
		return signal_rule(state);
	if (state->ra.where == SAVED_UNDEFINED)
		return (struct st_unwind_rule){ .kind = ST_UNWIND_STOP };
	if (state->cfa == CFA_UNKNOWN || state->ra.where == SAVED_UNSAID)
		return (struct st_unwind_rule){ .kind = ST_UNWIND_INVALID };
	if (!cfa_rule(state, &rule))
		return unsupported;
	if (rule.kind == ST_UNWIND_REGISTER)
		reg = (uint8_t)state->cfa_register;
	if (state->ra.where == SAVED_IN_REGISTER && state->ra.reg <= REG_MAX && rule.kind != ST_UNWIND_REGISTER) {
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
