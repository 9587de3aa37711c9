/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/cfi/stack_state.h"

#include <string.h>

enum {
	WORD_BYTES = 8,
};

static const struct stack_value nothing;

static bool same(struct stack_value one, struct stack_value other)
{
	return one.base == other.base && one.offset == other.offset;
}

static bool is_stack(struct stack_value value)
{
	return value.base == STACK_ENTRY || value.base >= STACK_OTHER;
}

/* One instruction can create two unknown stack pointers: its result, and that of paths that meet at it. */
static uint32_t new_base(uint32_t at, bool is_meeting)
{
	return STACK_OTHER + 2 * at + is_meeting;
}

struct stack_state stack_at_entry(void)
{
	struct stack_state state = { .compared = -1, .bound = -1 };

	state.registers[X86_SP] = (struct stack_value){ STACK_ENTRY, 0 };
	state.registers[X86_BP] = (struct stack_value){ STACK_CALLER_BP, 0 };
	return state;
}

/* value + distance; NOTHING beyond the limit, or if the value cannot be moved. */
static struct stack_value moved(struct stack_value value, int64_t distance)
{
	int64_t offset = value.offset + distance, max = is_stack(value) ? STACK_DISTANCE_MAX : INT32_MAX;

	if ((!is_stack(value) && value.base != STACK_PLACE) || distance > INT32_MAX || distance < INT32_MIN ||
	    offset > max || offset < -max)
		return nothing;
	return (struct stack_value){ value.base, (int32_t)offset };
}

static struct stack_value place_of(int64_t address, uint64_t origin)
{
	int64_t offset = (int64_t)((uint64_t)address - origin);

	if (offset > INT32_MAX || offset < INT32_MIN)
		return nothing;
	return (struct stack_value){ STACK_PLACE, (int32_t)offset };
}

static struct stack_value slot_at(const struct stack_state *state, struct stack_value place)
{
	for (size_t i = 0; i < STACK_SLOTS_MAX; i++)
		if (place.base && same(state->slots[i].place, place))
			return state->slots[i].value;
	return nothing;
}

/* Forgets the words that overlap nr_bytes at a place. */
static void forget(struct stack_state *state, struct stack_value place, int32_t nr_bytes)
{
	for (size_t i = 0; i < STACK_SLOTS_MAX; i++) {
		struct stack_value *one = &state->slots[i].place;

		if (one->base && one->base == place.base && one->offset > place.offset - WORD_BYTES &&
		    one->offset < place.offset + nr_bytes)
			state->slots[i].place = state->slots[i].value = nothing;
	}
}

/* Forgets the words below a stack pointer: they may be overwritten. */
static void forget_below(struct stack_state *state, struct stack_value sp)
{
	for (size_t i = 0; i < STACK_SLOTS_MAX; i++)
		if (state->slots[i].place.base == sp.base && state->slots[i].place.offset < sp.offset)
			state->slots[i].place = state->slots[i].value = nothing;
}

static void store(struct stack_state *state, struct stack_value place, struct stack_value value)
{
	forget(state, place, WORD_BYTES);
	if (!is_stack(place) || (!is_stack(value) && value.base != STACK_CALLER_BP))
		return;
	for (size_t i = 0; i < STACK_SLOTS_MAX; i++) {
		if (state->slots[i].place.base)
			continue;
		state->slots[i].place = place;
		state->slots[i].value = value;
		return;
	}
}

/* The place of a memory operand; NOTHING if it is not on the stack. */
static struct stack_value operand(const struct stack_state *state, const struct x86_instruction *is)
{
	struct stack_value place;

	if (!is->has_memory || is->index != X86_NONE || is->base >= X86_NR_REGISTERS)
		return nothing;
	place = moved(state->registers[is->base], is->value);
	return is_stack(place) ? place : nothing;
}

struct stack_value stack_load(const struct stack_state *state, const struct x86_instruction *is)
{
	return slot_at(state, operand(state, is));
}

/* Sets an unknown stack pointer. In a loop, the same instruction may have created the same base before: forgets what depends on that. */
static void lose_stack_pointer(struct stack_state *state, uint32_t base)
{
	for (size_t i = 0; i < X86_NR_REGISTERS; i++)
		if (state->registers[i].base == base)
			state->registers[i] = nothing;
	for (size_t i = 0; i < STACK_SLOTS_MAX; i++)
		if (state->slots[i].place.base == base || state->slots[i].value.base == base)
			state->slots[i].place = state->slots[i].value = nothing;
	state->registers[X86_SP] = (struct stack_value){ base, 0 };
}

static void put(struct stack_state *state, uint8_t reg, struct stack_value value, uint32_t at)
{
	struct stack_value before = state->registers[X86_SP];

	if (reg >= X86_NR_REGISTERS)
		return;
	if (reg == X86_SP && !is_stack(value))
		lose_stack_pointer(state, new_base(at, false));
	else
		state->registers[reg] = value;
	if (reg == X86_SP && (value.base != before.base || value.offset > before.offset))
		forget_below(state, value);
}

static void put_nothing(struct stack_state *state, uint16_t registers, uint32_t at)
{
	for (uint8_t i = 0; i < X86_NR_REGISTERS; i++)
		if (registers >> i & 1)
			put(state, i, nothing, at);
}

static void push(struct stack_state *state, struct stack_value value, uint32_t at)
{
	put(state, X86_SP, moved(state->registers[X86_SP], -WORD_BYTES), at);
	store(state, state->registers[X86_SP], value);
}

static struct stack_value pop(struct stack_state *state, uint32_t at)
{
	struct stack_value value = slot_at(state, state->registers[X86_SP]);

	put(state, X86_SP, moved(state->registers[X86_SP], WORD_BYTES), at);
	return value;
}

static void leave(struct stack_state *state, uint32_t at)
{
	put(state, X86_SP, state->registers[X86_BP], at);
	put(state, X86_BP, pop(state, at), at);
}

/* An entry of a jump table: movslq (table,index,4), mov table(,index,8). */
static struct stack_value table_entry(const struct stack_state *state, const struct x86_instruction *is,
				      uint64_t origin)
{
	struct stack_value table = nothing;

	if (is->index == X86_NONE || is->scale != (is->kind == X86_LOAD_SIGNED ? 4 : WORD_BYTES))
		return nothing;
	if (is->base == X86_NONE)
		table = place_of(is->value, origin);
	else if (is->base < X86_NR_REGISTERS)
		table = moved(state->registers[is->base], is->value);
	if (table.base != STACK_PLACE)
		return nothing;
	table.base = is->kind == X86_LOAD_SIGNED ? STACK_TABLE_ENTRY : STACK_TABLE_WORD;
	return table;
}

/* The sum of an entry of a table of distances and the table's address, in either order. */
static struct stack_value sum(struct stack_value one, struct stack_value other)
{
	bool first = one.base == STACK_TABLE_ENTRY && other.base == STACK_PLACE;
	bool second = other.base == STACK_TABLE_ENTRY && one.base == STACK_PLACE;

	if ((!first && !second) || one.offset != other.offset)
		return nothing;
	return (struct stack_value){ STACK_TABLE_TARGET, one.offset };
}

static struct stack_value address(const struct stack_state *state, const struct x86_instruction *is, uint32_t at,
				  uint64_t origin)
{
	if (is->base == X86_IP)
		return place_of((int64_t)(origin + at + is->nr_bytes + (uint64_t)is->value), origin);
	return is->base < X86_NR_REGISTERS ? moved(state->registers[is->base], is->value) : nothing;
}

/* The value that an instruction puts into its register. */
static struct stack_value result(const struct stack_state *state, const struct x86_instruction *is, uint32_t at,
				 uint64_t origin)
{
	switch (is->kind) {
	case X86_COPY:
		return state->registers[is->from];
	case X86_ADDRESS:
		return address(state, is, at, origin);
	case X86_LOAD:
		return is->index == X86_NONE ? stack_load(state, is) : table_entry(state, is, origin);
	case X86_LOAD_SIGNED:
		return table_entry(state, is, origin);
	case X86_ADD:
		return sum(state->registers[is->reg], state->registers[is->from]);
	case X86_CONSTANT:
		return place_of(is->value, origin);
	default: /* X86_ROUND */
		return nothing;
	}
}

void stack_step(struct stack_state *state, const struct x86_instruction *is, uint32_t at, uint64_t origin)
{
	struct stack_value value;

	switch (is->kind) {
	case X86_OTHER:
		if (is->nr_stored)
			forget(state, operand(state, is), is->nr_stored);
		put_nothing(state, is->writes, at);
		break;
	case X86_PUSH:
		value = is->reg < X86_NR_REGISTERS ? state->registers[is->reg] : stack_load(state, is);
		push(state, value, at);
		break;
	case X86_POP:
		value = pop(state, at);
		put(state, is->reg, value, at);
		if (is->has_memory)
			forget(state, operand(state, is), WORD_BYTES);
		break;
	case X86_STORE:
		value = operand(state, is);
		if (value.base)
			store(state, value, state->registers[is->reg]);
		break;
	case X86_COMPARE:
		state->compared = is->value >= 0 && is->value < INT32_MAX ? (int32_t)is->value : -1;
		break;
	case X86_LEAVE:
		leave(state, at);
		break;
	case X86_ENTER:
		push(state, state->registers[X86_BP], at);
		put(state, X86_BP, state->registers[X86_SP], at);
		put(state, X86_SP, moved(state->registers[X86_SP], -is->value), at);
		break;
	default:
		put(state, is->reg, result(state, is, at, origin), at);
	}
}

void stack_after_call(struct stack_state *state, uint16_t clobbered)
{
	for (uint8_t i = 0; i < X86_NR_REGISTERS; i++)
		if (clobbered >> i & 1 && i != X86_SP)
			state->registers[i] = nothing;
	forget_below(state, state->registers[X86_SP]);
	state->compared = state->bound = -1;
}

bool stack_meet(struct stack_state *state, const struct stack_state *other, uint32_t at)
{
	struct stack_state before;

	if (!memcmp(state, other, sizeof(*state)))
		return false;
	before = *state;
	for (size_t i = 0; i < STACK_SLOTS_MAX; i++)
		if (state->slots[i].place.base && !same(slot_at(other, state->slots[i].place), state->slots[i].value))
			state->slots[i].place = state->slots[i].value = nothing;
	for (uint8_t i = 0; i < X86_NR_REGISTERS; i++)
		if (i != X86_SP && !same(state->registers[i], other->registers[i]))
			state->registers[i] = nothing;
	if (!same(state->registers[X86_SP], other->registers[X86_SP]) &&
	    !same(state->registers[X86_SP], (struct stack_value){ new_base(at, true), 0 }))
		lose_stack_pointer(state, new_base(at, true));
	if (state->compared != other->compared)
		state->compared = -1;
	if (state->bound != other->bound)
		state->bound = -1;
	return memcmp(&before, state, sizeof(before)) != 0;
}

bool stack_is_at_return(const struct stack_state *state)
{
	return same(state->registers[X86_SP], (struct stack_value){ STACK_ENTRY, 0 });
}

/* DWARF's register numbers, as in rules. */
static uint8_t dwarf_number(uint8_t reg)
{
	static const uint8_t numbers[] = { 0, 2, 1, 3, 7, 6, 4, 5 };

	return reg < sizeof(numbers) ? numbers[reg] : reg;
}

static bool fits(int64_t value)
{
	return value >= INT16_MIN && value <= INT16_MAX;
}

/* The CFA by a word on the stack that has a copy of the stack pointer. Kind INVALID: there is none. */
static struct st_unwind_rule rule_through_memory(const struct stack_state *state)
{
	for (size_t i = 0; i < STACK_SLOTS_MAX; i++) {
		struct stack_value place = state->slots[i].place, value = state->slots[i].value;

		if (value.base != STACK_ENTRY)
			continue;
		for (int is_bp = 0; is_bp < 2; is_bp++) {
			struct stack_value from = state->registers[is_bp ? X86_BP : X86_SP];
			int64_t at = (int64_t)place.offset - from.offset, add = WORD_BYTES - (int64_t)value.offset;

			if (from.base == place.base && fits(at) && fits(add))
				return (struct st_unwind_rule){ .kind = is_bp ? ST_UNWIND_DEREF_BP : ST_UNWIND_DEREF_SP,
								.at = (int16_t)at,
								.add = (int16_t)add };
		}
	}
	return (struct st_unwind_rule){};
}

static struct st_unwind_rule rule_of_cfa(const struct stack_state *state)
{
	struct stack_value sp = state->registers[X86_SP], bp = state->registers[X86_BP];
	struct st_unwind_rule rule;

	if (sp.base == STACK_ENTRY)
		return (struct st_unwind_rule){ .kind = ST_UNWIND_SP, .offset = WORD_BYTES - sp.offset };
	if (bp.base == STACK_ENTRY)
		return (struct st_unwind_rule){ .kind = ST_UNWIND_BP, .offset = WORD_BYTES - bp.offset };
	rule = rule_through_memory(state);
	for (uint8_t i = 0; i < X86_NR_REGISTERS && rule.kind == ST_UNWIND_INVALID; i++)
		if (state->registers[i].base == STACK_ENTRY)
			rule = (struct st_unwind_rule){ .kind = ST_UNWIND_REGISTER,
							.how = ST_UNWIND_HOW(0, 0, dwarf_number(i)),
							.offset = WORD_BYTES - state->registers[i].offset };
	return rule;
}

/* Where the caller's rbp is saved: an enum st_unwind_bp. */
static uint8_t find_bp(const struct stack_state *state, int16_t *ret_offset)
{
	struct stack_value bp = state->registers[X86_BP];

	*ret_offset = 0;
	if (bp.base == STACK_CALLER_BP)
		return ST_UNWIND_BP_SAME;
	for (size_t i = 0; i < STACK_SLOTS_MAX; i++) {
		struct stack_value place = state->slots[i].place;
		int64_t from_cfa = (int64_t)place.offset - WORD_BYTES, from_bp = (int64_t)place.offset - bp.offset;
		bool at_cfa = place.base == STACK_ENTRY && fits(from_cfa);

		if (state->slots[i].value.base != STACK_CALLER_BP ||
		    (!at_cfa && (place.base != bp.base || !fits(from_bp))))
			continue;
		*ret_offset = (int16_t)(at_cfa ? from_cfa : from_bp);
		return at_cfa ? ST_UNWIND_BP_AT_CFA : ST_UNWIND_BP_AT_BP;
	}
	return ST_UNWIND_BP_LOST;
}

struct st_unwind_rule stack_rule(const struct stack_state *state, uint64_t origin)
{
	struct st_unwind_rule rule = rule_of_cfa(state);
	bool bp_is_zero = same(state->registers[X86_BP], place_of(0, origin));
	bool is_popped = rule.kind == ST_UNWIND_SP && !rule.offset && bp_is_zero;
	bool is_above = rule.kind != ST_UNWIND_SP || rule.offset >= WORD_BYTES;

	/* without its return address, a function is the root only where it also ends the chain of frame pointers */
	if (rule.kind == ST_UNWIND_INVALID || (!is_above && !is_popped))
		return (struct st_unwind_rule){};
	rule.how |= find_bp(state, &rule.bp_offset);
	return rule;
}
