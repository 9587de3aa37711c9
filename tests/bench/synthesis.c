// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How good the rules are that unwind_synthesis.h makes from instructions: it makes them for all code of each file, as if there were no
 * unwind information, and compares them with that information. By value: the CFA, which is where the return address is too, and the
 * place of the caller's rbp.
 *
 *   synthesis [-v] FILE…
 *
 * -v lists the first disagreements of each file. Shares are of bytes of code.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "symbolize/cfi/stack_state.h"
#include "symbolize/cfi/unwind_compile.h"
#include "symbolize/cfi/unwind_synthesis.h"
#include "tests/unwind_rule.h"

enum {
	LISTED_MAX = 200,
};

struct comparison {
	const struct unwind_table *table;
	bool lists;
	uint64_t nr_covered; /* bytes that have unwind information and rows of ours */
	uint64_t nr_other; /* of these the information has an expression or another form that the state does not answer */
	uint64_t nr_same, nr_different; /* CFA */
	uint64_t nr_bp_same, nr_bp_lost, nr_bp_different; /* where the CFA is the same */
	uint64_t nr_listed;
};

static uint8_t machine_number(uint8_t dwarf)
{
	static const uint8_t numbers[] = { 0, 2, 1, 3, 6, 7, 5, 4 };

	return dwarf < sizeof(numbers) ? numbers[dwarf] : dwarf;
}

/* What the rule's CFA is for this state, as a distance from the entry's stack pointer. False if the state does not tell. */
static bool cfa_of(const struct st_unwind_rule *rule, const struct stack_state *state, int64_t *ret_cfa)
{
	struct x86_instruction load = { .kind = X86_LOAD, .has_memory = true, .index = X86_NONE };
	struct stack_value from;

	switch (rule->kind) {
	case ST_UNWIND_SP:
	case ST_UNWIND_BP:
	case ST_UNWIND_REGISTER:
		from = state->registers[rule->kind == ST_UNWIND_SP   ? X86_SP
					: rule->kind == ST_UNWIND_BP ? X86_BP
								     : machine_number(ST_UNWIND_HOW_REG(rule->how))];
		*ret_cfa = from.offset + (int64_t)rule->offset;
		return from.base == STACK_ENTRY;
	case ST_UNWIND_DEREF_SP:
	case ST_UNWIND_DEREF_BP:
		load.base = rule->kind == ST_UNWIND_DEREF_SP ? X86_SP : X86_BP;
		load.value = rule->at;
		from = stack_load(state, &load);
		*ret_cfa = from.offset + (int64_t)rule->add;
		return from.base == STACK_ENTRY;
	default:
		return false;
	}
}

static bool bp_is_at(const struct st_unwind_rule *rule, const struct stack_state *state)
{
	struct x86_instruction load = { .kind = X86_LOAD, .has_memory = true, .index = X86_NONE };
	struct stack_state copy = *state;

	switch (ST_UNWIND_HOW_BP(rule->how)) {
	case ST_UNWIND_BP_SAME:
		return state->registers[X86_BP].base == STACK_CALLER_BP;
	case ST_UNWIND_BP_AT_CFA: /* from a register that holds the CFA */
		/* it has been popped, and is in the register and still below rsp */
		if (state->registers[X86_BP].base == STACK_CALLER_BP && state->registers[X86_SP].base == STACK_ENTRY &&
		    rule->bp_offset + 8 < state->registers[X86_SP].offset)
			return true;
		copy.registers[X86_AX] = (struct stack_value){ STACK_ENTRY, 8 };
		load.base = X86_AX;
		load.value = rule->bp_offset;
		return stack_load(&copy, &load).base == STACK_CALLER_BP;
	case ST_UNWIND_BP_AT_BP:
		load.base = X86_BP;
		load.value = rule->bp_offset;
		return stack_load(state, &load).base == STACK_CALLER_BP;
	default:
		return false;
	}
}

static void list(struct comparison *comparison, uint64_t address, const char *what, const struct st_unwind_rule *theirs,
		 const struct st_unwind_rule *ours)
{
	if (comparison->lists && comparison->nr_listed++ < LISTED_MAX)
		printf("  %#" PRIx64 " %s: kind %u how %#x offset %d bp %d, ours kind %u how %#x offset %d bp %d\n",
		       address, what, theirs->kind, theirs->how, theirs->offset, theirs->bp_offset, ours->kind,
		       ours->how, ours->offset, ours->bp_offset);
}

static void compare(void *context, uint64_t address, const struct x86_instruction *is, const struct stack_state *state)
{
	struct comparison *comparison = context;
	struct st_unwind_rule theirs = unwind_table_rule(comparison->table, address), ours = stack_rule(state, 0);
	bool is_lost;
	int64_t cfa;

	if (theirs.kind == ST_UNWIND_INVALID || ours.kind == ST_UNWIND_INVALID)
		return;
	comparison->nr_covered += is->nr_bytes;
	if (!cfa_of(&theirs, state, &cfa)) {
		comparison->nr_other += is->nr_bytes;
		return;
	}
	if (cfa != 8) {
		comparison->nr_different += is->nr_bytes;
		list(comparison, address, "CFA", &theirs, &ours);
		return;
	}
	comparison->nr_same += is->nr_bytes;
	is_lost = ST_UNWIND_HOW_BP(ours.how) == ST_UNWIND_BP_LOST;
	if (is_lost) {
		comparison->nr_bp_lost += is->nr_bytes;
	} else if (bp_is_at(&theirs, state)) {
		comparison->nr_bp_same += is->nr_bytes;
	} else {
		comparison->nr_bp_different += is->nr_bytes;
		list(comparison, address, "rbp", &theirs, &ours);
	}
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Bytes of code that the table has rules for. */
static uint64_t count_covered(const struct unwind_table *table)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < table->nr_segments; i++)
		for (uint64_t at = 0; at < table->segments[i].nr_bytes; at++)
			nr += unwind_table_rule(table, table->segments[i].address + at).kind != ST_UNWIND_INVALID;
	return nr;
}

static int judge(const char *path, bool lists)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct unwind_table table = {};
	struct comparison comparison = { .table = &table, .lists = lists };
	struct synthesis_facts facts = { .observe = compare, .context = &comparison };
	struct cfi_rows rows = {};
	code_gaps gaps = {};
	struct elf_file elf;
	uint64_t covered, start;
	int err = fd < 0 ? -errno : elf_file_open(&elf, fd);

	if (err) {
		fprintf(stderr, "%s: %s\n", path, strerror(-err));
		return 1;
	}
	err = unwind_compile_information(&elf, &table);
	covered = err ? 0 : count_covered(&table);
	for (uint32_t i = 0; i < table.nr_segments; i++)
		vec_push(&gaps, (struct code_gap){ table.segments[i].address,
						   table.segments[i].address + table.segments[i].nr_bytes });
	start = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	err = err ?: unwind_synthesise(&elf, &gaps, &rows, &facts);
	if (err)
		fprintf(stderr, "%s: %s\n", path, strerror(-err));
	else
		printf("%6.2f %% claimed, CFA %7.3f %% same (%" PRIu64
		       " bytes differ, %.2f %% in another form), rbp %7.3f %% same "
		       "(%" PRIu64 " bytes differ, %.2f %% lost), %u functions, %u rejected%s, %.0f ms: %s\n",
		       percent(comparison.nr_covered, covered),
		       percent(comparison.nr_same, comparison.nr_same + comparison.nr_different),
		       comparison.nr_different, percent(comparison.nr_other, comparison.nr_covered),
		       percent(comparison.nr_bp_same, comparison.nr_bp_same + comparison.nr_bp_different),
		       comparison.nr_bp_different, percent(comparison.nr_bp_lost, comparison.nr_same),
		       facts.nr_functions, facts.nr_rejected, facts.cut ? ", cut short" : "",
		       (double)(clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) - start) / 1e6, path);
	vec_done(&gaps);
	vec_done(&rows.rows);
	unwind_table_done(&table);
	elf_file_done(&elf);
	return err != 0;
}

int main(int argc, char **argv)
{
	bool lists = argc > 1 && !strcmp(argv[1], "-v");
	int status = 0;

	for (int i = lists ? 2 : 1; i < argc; i++)
		status |= judge(argv[i], lists);
	return status;
}
