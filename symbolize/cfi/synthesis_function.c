/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One function: followed, checked, and accepted or refused. */
#include "symbolize/cfi/synthesis_private.h"

/* Assumptions under which a function is tried, until it is consistent. */
enum way {
	WAY_PARTS, /* calls of code that pops its return address are calls of parts of this function */
	WAY_NO_PARTS, /* they are ordinary calls */
	WAY_PADDING, /* also, calls before padding do not return */
};

struct trial {
	uint64_t address;
	/* index of its first instruction in `local`, of its first edge, and of its first site */
	size_t first, first_edge, first_site;
	uint32_t from;
	bool is_doubtful; /* the current instruction is a call that may never return */
	enum way way;
	struct stack_value part_sp; /* stack pointer at the first instruction of each part */
	bool failed, is_cut;
	bool returns, has_return; /* it may return; it does return */
	bool loses_bp; /* at a return, rbp is not the caller's */
	bool has_doubt; /* it jumps to an unknown place */
	bool is_misaligned; /* at a call, the stack is not aligned as the ABI requires */
	uint32_t nr_calls;
	uint16_t clobbered;
	int err;
};

/* Index of an address in `code` and `marks`, and the number of bytes from there to the end of its gap. False outside the gaps. */
static bool position_of(struct synthesis *it, uint64_t address, uint64_t *ret_position, uint64_t *ret_left)
{
	const struct code_gap *gap = &it->gaps->data[it->last_gap];

	if (address < gap->start || address >= gap->end) {
		size_t nr = vec_nr_first(it->gaps, one, one->start <= address);

		if (!nr || nr > it->bases.nr || address >= it->gaps->data[nr - 1].end)
			return false;
		it->last_gap = nr - 1;
		gap = &it->gaps->data[nr - 1];
	}
	*ret_position = it->bases.data[it->last_gap] + (address - gap->start);
	*ret_left = gap->end - address;
	return true;
}

static bool is_in_gap(struct synthesis *it, uint64_t address)
{
	uint64_t position, left;

	return position_of(it, address, &position, &left);
}

/* The start at this address, or NULL. Valid until another one is added. */
static struct start *find_start(struct synthesis *it, uint64_t address)
{
	uint64_t position, left;

	if (!position_of(it, address, &position, &left) || !it->start_at[position])
		return NULL;
	return &it->starts.data[it->start_at[position] - 1];
}

int synthesis_add_start(struct synthesis *it, uint64_t address, enum synthesis_reason reason)
{
	struct start *start = find_start(it, address);
	struct start new = { .is_function = reason == SYNTHESIS_FUNCTION, .clobbered = CALLER_SAVED };
	uint64_t position, left;
	int err;

	if (start) {
		start->is_function |= new.is_function;
		return 0;
	}
	if (!position_of(it, address, &position, &left))
		return 0;
	err = vec_try_push(&it->starts, new);
	if (!err)
		it->start_at[position] = (uint32_t)it->starts.nr;
	return err;
}

/* Marks the bytes of a new instruction. False if one of them belongs to another instruction. */
static bool mark(struct synthesis *it, uint64_t position, uint8_t nr, uint32_t mark_of_first)
{
	for (uint8_t i = 0; i < nr; i++)
		if (it->marks[position + i])
			return false;
	it->touched[position / MARKS_TOUCHED] = it->touched[(position + nr - 1) / MARKS_TOUCHED] = true;
	it->marks[position] = mark_of_first;
	for (uint8_t i = 1; i < nr; i++)
		it->marks[position + i] = MARK_INSIDE;
	return true;
}

static void unmark(struct synthesis *it, size_t first)
{
	for (size_t i = first; i < it->local.nr; i++) {
		uint64_t position, left;

		if (position_of(it, it->local.data[i].address, &position, &left))
			memset(&it->marks[position], 0, it->local.data[i].is.nr_bytes * sizeof(*it->marks));
	}
	it->local.nr = first;
}

/* Reached an instruction of an accepted function: the stack pointer must be the same there. */
static void join_finished(struct synthesis *it, struct trial *trial, uint32_t number, const struct stack_state *state)
{
	const struct finished *finished = &it->finished.data[number];
	struct stack_value sp = state->registers[X86_SP];

	if (finished->sp.base != STACK_ENTRY || sp.base != STACK_ENTRY || finished->sp.offset != sp.offset)
		trial->failed = true;
	trial->returns = true;
	trial->clobbered |= CALLER_SAVED;
	it->local.data[trial->from].is_proved |= finished->is_proved;
}

static void add_edge(struct synthesis *it, struct trial *trial, uint32_t to)
{
	struct edge edge = { trial->from, to, trial->is_doubtful };

	if (trial->from != NOWHERE)
		trial->err = trial->err ?: vec_try_push(&it->edges, edge);
}

static void wait_for(struct synthesis *it, struct trial *trial, uint32_t number)
{
	if (it->local.data[number].is_waiting)
		return;
	it->local.data[number].is_waiting = true;
	trial->err = trial->err ?: vec_try_push(&it->waiting, number);
}

/* Zeroes decode as add %al,(%rax), which no compiler writes. */
static bool is_zeroes(const struct synthesis *it, uint64_t position, uint64_t left)
{
	return !it->code[position] && (left < 2 || !it->code[position + 1]);
}

static void add_instruction(struct synthesis *it, struct trial *trial, uint64_t address, uint64_t position,
			    uint64_t left, const struct stack_state *state)
{
	uint32_t number = (uint32_t)it->local.nr;
	struct instruction *new;

	trial->err = trial->err ?: vec_try_reserve(&it->local, (size_t)number + 1);
	if (trial->err)
		return;
	new = &it->local.data[number];
	if (number - trial->first == INSTRUCTIONS_MAX || is_zeroes(it, position, left) ||
	    !x86_decode(it->code + position, left < X86_BYTES_MAX ? left : X86_BYTES_MAX, &new->is) ||
	    !mark(it, position, new->is.nr_bytes, MARK_LOCAL | number)) {
		trial->failed = true;
		return;
	}
	new->address = address;
	new->state = *state;
	new->is_waiting = new->is_sure = new->is_proved = false;
	it->local.nr++;
	add_edge(it, trial, number);
	wait_for(it, trial, number);
}

/* An instruction may be reached with this state. */
static void reach(struct synthesis *it, struct trial *trial, uint64_t address, const struct stack_state *state)
{
	uint64_t position, left;
	uint32_t kind, number;

	if (!position_of(it, address, &position, &left)) {
		trial->failed = true;
		return;
	}
	kind = it->marks[position] & MARK_KIND;
	number = it->marks[position] & ~(uint32_t)MARK_KIND;
	if (kind == MARK_DONE && trial->from != NOWHERE) {
		join_finished(it, trial, number, state);
	} else if (kind == MARK_LOCAL && number >= trial->first) {
		add_edge(it, trial, number);
		if (stack_meet(&it->local.data[number].state, state, (uint32_t)(address - it->origin)))
			wait_for(it, trial, number);
	} else if (kind) {
		trial->failed = true;
	} else {
		add_instruction(it, trial, address, position, left, state);
	}
}

/* A jump to another function: rsp must be at the return address. */
static void leave_by_jump(struct synthesis *it, struct trial *trial, const struct stack_state *state, bool returns)
{
	it->local.data[trial->from].is_proved = true;
	trial->failed |= !stack_is_at_return(state);
	trial->returns |= returns;
	trial->clobbered |= CALLER_SAVED;
}

static void jump_to(struct synthesis *it, struct trial *trial, uint64_t target, const struct stack_state *state)
{
	const struct start *start = find_start(it, target);
	bool is_other = target != trial->address && start && start->is_function;

	if (is_other)
		trial->has_return |= start->has_return;
	if (is_other || !is_in_gap(it, target))
		leave_by_jump(it, trial, state, !is_other || start->status != START_NEVER_RETURNS);
	else
		reach(it, trial, target, state);
}

/* Whether padding begins here and ends at an aligned address, a known function, or the end of the gap. */
static bool is_before_padding(struct synthesis *it, uint64_t address, bool *ret_is_end)
{
	uint64_t position, left, at = address;
	struct x86_instruction is;

	*ret_is_end = false;
	for (;;) {
		const struct start *start = find_start(it, at);

		if ((start && start->is_function) || !position_of(it, at, &position, &left)) {
			*ret_is_end = true;
			return true;
		}
		if (!x86_decode(it->code + position, left < X86_BYTES_MAX ? left : X86_BYTES_MAX, &is) ||
		    !x86_is_padding(it->code + position, &is))
			return at != address && !(at & 15);
		if (at - address > PADDING_MAX)
			return false;
		at += is.nr_bytes;
	}
}

/* Whether a call of a function without followed states may return: decided by its branches alone. */
static bool may_return(struct synthesis *it, struct trial *trial, uint64_t target)
{
	enum code_end end = code_returns(it->returns, target);

	trial->is_doubtful = end != CODE_RETURNS;
	return end != CODE_NEVER_RETURNS;
}

/* What a call of this address may change, and whether it returns. Tries a function that is not known yet. */
static bool callee(struct synthesis *it, struct trial *trial, uint64_t target, uint16_t *ret_clobbered)
{
	const struct start *start = find_start(it, target);

	*ret_clobbered = CALLER_SAVED;
	if (!is_in_gap(it, target))
		return may_return(it, trial, target);
	if ((!start || start->status == START_UNKNOWN || start->status == START_DOUBTED) && it->depth < DEPTH_MAX)
		trial->err = trial->err ?: synthesis_try(it, target, SYNTHESIS_FUNCTION);
	start = find_start(it, target);
	if (!start || (start->status != START_RETURNS && start->status != START_NEVER_RETURNS))
		return may_return(it, trial, target);
	*ret_clobbered = start->clobbered;
	trial->is_doubtful = !start->has_return && code_returns(it->returns, target) != CODE_RETURNS;
	return start->status == START_RETURNS;
}

/* Whether rsp is as at the calls of parts. */
static bool is_at_part(const struct trial *trial, const struct stack_state *state)
{
	struct stack_value sp = state->registers[X86_SP];

	return sp.base == trial->part_sp.base && sp.offset == trial->part_sp.offset;
}

static bool is_pop(struct synthesis *it, uint64_t address)
{
	uint64_t position, left;
	struct x86_instruction is;

	return position_of(it, address, &position, &left) &&
	       x86_decode(it->code + position, left < X86_BYTES_MAX ? left : X86_BYTES_MAX, &is) && is.kind == X86_POP;
}

/*
 * Whether this is a part of the function: called like a function, it pops its return address at once and works in the caller's frame, until
 * it pushes the address and returns. PCRE's compiler makes such code.
 */
static bool is_part(struct synthesis *it, const struct trial *trial, uint64_t target)
{
	const struct start *start = find_start(it, target);

	return trial->way == WAY_PARTS && (!start || (start->status == START_UNKNOWN && !start->is_function)) &&
	       is_pop(it, target);
}

/* The return of a part leads to each place after a call of a part. */
static void follow_return_of_part(struct synthesis *it, struct trial *trial, struct stack_state *state)
{
	struct x86_instruction pop = { .kind = X86_POP, .reg = X86_NONE };

	stack_step(state, &pop, 0, it->origin);
	it->nr_visits += it->sites.nr - trial->first_site;
	for (size_t i = trial->first_site; i < it->sites.nr && !trial->failed; i++)
		reach(it, trial, it->sites.data[i], state);
}

static void follow_call_of_part(struct synthesis *it, struct trial *trial, uint64_t target, uint64_t next,
				const struct stack_state *state)
{
	bool is_first = it->sites.nr == trial->first_site;

	if (is_first)
		trial->part_sp = state->registers[X86_SP];
	trial->failed |= state->registers[X86_SP].base != STACK_ENTRY || !is_at_part(trial, state);
	reach(it, trial, target, state);
	for (size_t i = trial->first_site; i < it->sites.nr; i++)
		if (it->sites.data[i] == next)
			return;
	if (it->sites.nr - trial->first_site == SITES_MAX) {
		trial->failed = true;
		return;
	}
	trial->err = trial->err ?: vec_try_push(&it->sites, next);
	for (size_t i = trial->first; i < it->local.nr; i++)
		if (it->local.data[i].is.kind == X86_RETURN)
			wait_for(it, trial, (uint32_t)i);
}

static void follow_call(struct synthesis *it, struct trial *trial, uint64_t address, const struct x86_instruction *is,
			struct stack_state *state)
{
	uint64_t next = address + is->nr_bytes, target = next + (uint64_t)is->value;
	struct stack_value sp = state->registers[X86_SP];
	uint16_t clobbered = CALLER_SAVED;
	bool is_end;

	if (is->kind == X86_CALL && ((target == next && is_pop(it, next)) || is_part(it, trial, target))) {
		struct x86_instruction push = { .kind = X86_PUSH, .reg = X86_NONE };

		stack_step(state, &push, (uint32_t)(address - it->origin), it->origin);
		if (target == next) /* it only pushes its address */
			reach(it, trial, next, state);
		else
			follow_call_of_part(it, trial, target, next, state);
		return;
	}
	trial->nr_calls++;
	trial->is_doubtful = true;
	trial->is_misaligned |= sp.base == STACK_ENTRY && (sp.offset & 15) != 8;
	if (is->kind == X86_CALL && !callee(it, trial, target, &clobbered))
		return;
	trial->clobbered |= clobbered;
	if (is_before_padding(it, next, &is_end) && (is_end || trial->way == WAY_PADDING))
		return;
	stack_after_call(state, clobbered);
	reach(it, trial, next, state);
}

/* Follows a jump table with state->bound entries. False if it is none. */
static bool follow_table(struct synthesis *it, struct trial *trial, struct stack_value table,
			 const struct stack_state *state)
{
	uint32_t size = table.base == STACK_TABLE_WORD ? 8 : 4;
	uint64_t address = it->origin + (uint64_t)(int64_t)table.offset, offset, target;
	_cleanup_(freep) uint8_t *bytes = NULL;

	if (state->bound <= 0 || state->bound > TABLE_MAX || elf_file_offset_of_address(it->elf, address, &offset))
		return false;
	it->nr_visits += (uint64_t)state->bound;
	bytes = elf_file_copy(it->elf, offset, (uint64_t)state->bound * size, TABLE_MAX * 8, &(int){ 0 });
	if (!bytes)
		return false;
	for (int32_t i = 0; i < state->bound && !trial->failed; i++) {
		if (size == 8) {
			memcpy(&target, bytes + (size_t)i * 8, 8);
		} else {
			int32_t distance;

			memcpy(&distance, bytes + (size_t)i * 4, 4);
			target = address + (uint64_t)(int64_t)distance;
		}
		if (!is_in_gap(it, target))
			return false;
		reach(it, trial, target, state);
	}
	return true;
}

static void follow_indirect_jump(struct synthesis *it, struct trial *trial, const struct x86_instruction *is,
				 const struct stack_state *state)
{
	struct stack_value target = {};
	struct x86_instruction load = *is;

	load.kind = X86_LOAD;
	load.reg = X86_AX;
	if (is->reg < X86_NR_REGISTERS) {
		target = state->registers[is->reg];
	} else if (is->index != X86_NONE) {
		struct stack_state copy = *state;

		stack_step(&copy, &load, 0, it->origin);
		target = copy.registers[X86_AX];
	}
	trial->returns = true;
	trial->clobbered |= CALLER_SAVED;
	if ((target.base == STACK_TABLE_TARGET || target.base == STACK_TABLE_WORD) &&
	    follow_table(it, trial, target, state))
		return;
	trial->has_doubt = true;
}

/* After a comparison, a conditional jump sets a bound on one of its two ways. */
static void set_bound(struct stack_state *state, uint8_t condition, bool is_taken)
{
	int32_t compared = state->compared;

	if (compared < 0)
		return;
	if (condition == (is_taken ? 6 : 7)) /* below or equal; above */
		state->bound = compared + 1;
	else if (condition == (is_taken ? 2 : 3)) /* below; above or equal */
		state->bound = compared;
}

/* The general registers that an instruction may change, as a bit mask. */
static uint16_t registers_changed(const struct x86_instruction *is)
{
	bool is_read = is->kind == X86_PUSH || is->kind == X86_STORE || is->kind == X86_COMPARE;
	unsigned int reg = is->reg < X86_NR_REGISTERS && !is_read ? 1u << is->reg : 0;

	return (uint16_t)(is->writes | reg);
}

static void follow(struct synthesis *it, struct trial *trial, uint32_t number)
{
	const struct x86_instruction is = it->local.data[number].is;
	uint64_t address = it->local.data[number].address, next = address + is.nr_bytes;
	struct stack_state state = it->local.data[number].state;
	int32_t bound = state.bound;

	trial->from = number;
	trial->is_doubtful = false;
	switch (is.kind) {
	case X86_JUMP:
		jump_to(it, trial, next + (uint64_t)is.value, &state);
		break;
	case X86_JUMP_IF:
		set_bound(&state, is.opcode & 15, true);
		jump_to(it, trial, next + (uint64_t)is.value, &state);
		state.bound = bound;
		set_bound(&state, is.opcode & 15, false);
		jump_to(it, trial, next, &state);
		break;
	case X86_JUMP_INDIRECT:
		follow_indirect_jump(it, trial, &is, &state);
		break;
	case X86_CALL:
	case X86_CALL_INDIRECT:
		follow_call(it, trial, address, &is, &state);
		break;
	case X86_RETURN:
		if (is_at_part(trial, &state)) {
			follow_return_of_part(it, trial, &state);
			break;
		}
		trial->returns = trial->has_return = true;
		it->local.data[number].is_proved = true;
		break;
	case X86_STOP:
		break;
	default:
		trial->clobbered |= registers_changed(&is);
		stack_step(&state, &is, (uint32_t)(address - it->origin), it->origin);
		jump_to(it, trial, next, &state);
	}
}

/* Checks, with the final states, that each return finds its address at rsp. */
static void check_returns(const struct synthesis *it, struct trial *trial)
{
	for (size_t i = trial->first; i < it->local.nr && !trial->failed; i++) {
		const struct instruction *one = &it->local.data[i];

		if (one->is.kind != X86_RETURN || is_at_part(trial, &one->state))
			continue;
		trial->failed = !stack_is_at_return(&one->state) || one->is.value;
		trial->loses_bp |= one->state.registers[X86_BP].base != STACK_CALLER_BP;
	}
}

/*
 * A call may never return; the code after it may then be another function, or another part of this one. So that code is accepted only if it
 * leads to a return or jump at which the stack pointer is right.
 */
static void find_proofs(struct synthesis *it, struct trial *trial)
{
	struct instruction *local = it->local.data;
	bool changes = true;

	if (it->local.nr > trial->first)
		local[trial->first].is_sure = true;
	for (int pass = 0; pass < PASSES_MAX && changes; pass++) {
		changes = false;
		it->nr_visits += (it->edges.nr - trial->first_edge) / EDGES_PER_VISIT;
		for (size_t i = trial->first_edge; i < it->edges.nr; i++) {
			struct edge forward = it->edges.data[i];
			struct edge back = it->edges.data[it->edges.nr - 1 - (i - trial->first_edge)];

			if (local[forward.from].is_sure && !local[forward.to].is_sure && !forward.is_doubtful)
				local[forward.to].is_sure = changes = true;
			if (local[back.to].is_proved && !local[back.from].is_proved)
				local[back.from].is_proved = changes = true;
		}
	}
}

static void accept(struct synthesis *it, struct trial *trial)
{
	find_proofs(it, trial);
	for (size_t i = trial->first; i < it->local.nr && !trial->err; i++) {
		const struct instruction *one = &it->local.data[i];
		bool is_believed = one->is_sure || one->is_proved;
		struct finished finished = {
			.rule = is_believed ? stack_rule(&one->state, it->origin) : (struct st_unwind_rule){},
			.is_proved = one->is_proved,
			.sp = one->state.registers[X86_SP],
			.nr_bytes = one->is.nr_bytes,
		};
		uint64_t position, left;

		if (!position_of(it, one->address, &position, &left))
			continue;
		if (it->facts->observe && is_believed)
			it->facts->observe(it->facts->context, one->address, &one->is, &one->state);
		it->marks[position] = MARK_DONE | (uint32_t)it->finished.nr;
		trial->err = vec_try_push(&it->finished, finished);
	}
	it->local.nr = trial->first;
}

/* Follows a function until its states do not change any more. */
static struct trial try(struct synthesis *it, uint64_t address, enum way way)
{
	struct trial trial = { .address = address,
			       .way = way,
			       .first = it->local.nr,
			       .first_edge = it->edges.nr,
			       .first_site = it->sites.nr,
			       .from = NOWHERE };
	size_t first_waiting = it->waiting.nr;
	struct stack_state entry = stack_at_entry();

	reach(it, &trial, address, &entry);
	while (it->waiting.nr > first_waiting && !trial.failed && !trial.err) {
		uint32_t number = it->waiting.data[--it->waiting.nr];

		it->local.data[number].is_waiting = false;
		trial.is_cut = ++it->nr_visits > VISITS_MAX;
		trial.failed |= trial.is_cut;
		if (!trial.failed)
			follow(it, &trial, number);
	}
	it->waiting.nr = first_waiting;
	if (!trial.failed)
		check_returns(it, &trial);
	return trial;
}

/* Whether the bytes before an address are a call that never returns, a jump that is always taken, or ud2. */
static bool is_after_end(struct synthesis *it, uint64_t address, uint64_t position)
{
	const uint8_t *end = it->code + position;
	int32_t distance;

	if (position >= 2 && (end[-2] == 0xeb || (end[-2] == 0x0f && end[-1] == 0x0b)))
		return true;
	if (position < 5 || (end[-5] != 0xe8 && end[-5] != 0xe9))
		return false;
	memcpy(&distance, end - 4, sizeof(distance));
	return elf_file_segment_at(it->elf, address + (uint64_t)(int64_t)distance, PF_X) &&
	       (end[-5] == 0xe9 ||
		code_returns(it->returns, address + (uint64_t)(int64_t)distance) == CODE_NEVER_RETURNS);
}

/* Functions are aligned, or begin where others end. Other addresses may be chance bytes. */
static bool is_plausible(struct synthesis *it, uint64_t address, uint64_t position, enum synthesis_reason reason)
{
	uint8_t before = position ? it->code[position - 1] : 0;

	return !(address & 15) || before == 0xc3 || before == 0xcc || before == 0x90 || before == 0 ||
	       (reason == SYNTHESIS_TAKEN && is_after_end(it, address, position));
}

/* Whether this is a jump through a word of data, as in a PLT: it is a tail call, because a jump table has more than one word. */
static bool is_tail_call(const struct synthesis *it, const struct instruction *one)
{
	const struct x86_instruction *is = &one->is;

	return is->kind == X86_JUMP_INDIRECT && is->has_memory && is->base == X86_IP && is->index == X86_NONE &&
	       elf_file_segment_at(it->elf, one->address + is->nr_bytes + (uint64_t)is->value, PF_W);
}

/*
 * Whether the findings prove a function. An address that is only taken, and not called, may be a label inside a function: then its returns
 * would have failed. A function that never returns must call something, with the stack aligned.
 */
static bool is_convincing(struct synthesis *it, const struct trial *trial, enum synthesis_reason reason)
{
	const struct instruction *first = it->local.nr > trial->first ? &it->local.data[trial->first] : NULL;
	uint64_t position, left;

	if (!first || !position_of(it, first->address, &position, &left))
		return false;
	if (reason == SYNTHESIS_FUNCTION)
		return true;
	if (is_tail_call(it, first))
		return true;
	if (trial->has_doubt || !is_plausible(it, first->address, position, reason) ||
	    x86_is_padding(it->code + position, &first->is))
		return false;
	return trial->returns || (trial->nr_calls && !trial->is_misaligned);
}

int synthesis_try(struct synthesis *it, uint64_t address, enum synthesis_reason reason)
{
	int err = synthesis_add_start(it, address, reason);
	struct start *start = find_start(it, address);
	struct trial trial = {};
	bool is_doubted = false;
	size_t nr_sites = 0;

	if (err || !start ||
	    (start->status != START_UNKNOWN && (start->status != START_DOUBTED || reason < SYNTHESIS_FUNCTION)))
		return err;
	start->status = START_IN_WORK;
	it->nr_visits++;
	it->depth++;
	for (enum way way = WAY_PARTS; way <= WAY_PADDING; way++) {
		if ((way == WAY_NO_PARTS && !nr_sites) || (way == WAY_PADDING && !trial.nr_calls))
			continue; /* the result would be the same */
		trial = try(it, address, way);
		is_doubted = !trial.failed && !is_convincing(it, &trial, reason);
		trial.failed |= is_doubted;
		if (!trial.failed && !trial.err)
			accept(it, &trial);
		else
			unmark(it, trial.first);
		nr_sites = it->sites.nr - trial.first_site;
		it->sites.nr = trial.first_site;
		it->edges.nr = trial.first_edge;
		if (!trial.failed || trial.err)
			break;
	}
	it->depth--;
	it->facts->cut |= trial.is_cut;
	it->facts->nr_functions += !trial.failed;
	it->facts->nr_rejected += trial.failed;
	start = find_start(it, address);
	if (trial.failed)
		start->status = is_doubted ? START_DOUBTED : START_REJECTED;
	else
		start->status = trial.returns ? START_RETURNS : START_NEVER_RETURNS;
	start->has_return = !trial.failed && trial.has_return;
	if (!trial.failed)
		start->clobbered = (trial.clobbered & CALLER_SAVED) | (uint16_t)(trial.loses_bp << X86_BP);
	return trial.err;
}
