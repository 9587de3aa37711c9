/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/cfi/unwind_go.h"

#include <stdlib.h>

#include "symbolize/cfi/unwind_sigreturn.h"
#include "core/base/byte_reader.h"

enum {
	TABLE_MAX = 256 << 20,

	/* the runtime's funcFlag */
	FLAG_TOP_FRAME = 1, /* outermost function of a stack */
	FLAG_SP_WRITE = 2, /* switches stacks, so its distances from rsp are wrong */
	SIGRETURN_BYTES = 9,
	STUB_MAX_BYTES = 32,
};

/* The bytes of the table from a file offset on. */
static struct byte_reader bytes_at(const struct unwind_go *go, uint64_t offset)
{
	struct byte_reader bytes = { .at = go->bytes, .end = go->bytes + go->table.nr_bytes };

	bytes_skip(&bytes, offset - go->table.start);
	return bytes;
}

static uint64_t number_at(const struct unwind_go *go, uint64_t offset, size_t nr_bytes)
{
	struct byte_reader bytes = bytes_at(go, offset);

	return bytes_number(&bytes, nr_bytes);
}

int unwind_go_read(struct unwind_go *go, const struct elf_file *elf)
{
	int err;

	*go = (struct unwind_go){};
	err = go_table_find(elf, &go->table);
	if (!err && (!go->table.flags || go->table.quantum != 1 || go->table.pointer_bytes != 8 ||
		     go->table.nr_bytes > TABLE_MAX))
		err = -ENODATA;
	if (!err)
		go->bytes = elf_file_copy(elf, go->table.start, go->table.nr_bytes, TABLE_MAX, &err);
	if (err)
		unwind_go_done(go);
	return err;
}

void unwind_go_done(struct unwind_go *go)
{
	free(go->bytes);
	*go = (struct unwind_go){};
}

uint64_t unwind_go_start(const struct unwind_go *go, uint64_t number)
{
	return go->table.text + number_at(go, go->table.functions + 2 * number * go->table.word, go->table.word);
}

/*
 * The rule if the return address is `distance` bytes above rsp. A function with a frame saves the caller's rbp just below the return
 * address (Go, cmd/internal/obj/x86/obj6.go, preprocess()).
 */
static struct st_unwind_rule rule_of(int64_t distance)
{
	uint8_t bp = distance ? ST_UNWIND_BP_AT_CFA : ST_UNWIND_BP_SAME;
	struct st_unwind_rule rule = { .kind = ST_UNWIND_SP, .how = ST_UNWIND_HOW(bp, 0, 0) };

	if (distance < 0 || distance > INT32_MAX - 8 || distance % 8)
		return (struct st_unwind_rule){ .kind = ST_UNWIND_INVALID };
	rule.offset = (int32_t)distance + 8;
	rule.bp_offset = distance ? -16 : 0;
	return rule;
}

static int one_row(struct cfi_rows *rows, uint64_t address, struct st_unwind_rule rule)
{
	return vec_try_push(&rows->rows, (struct cfi_row){ address, rule });
}

static int64_t zigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/*
 * Reads a table of distances: pairs of a change of the distance, and the number of bytes of code with the new one. Ends with a change of 0
 * after the first pair. Returns 0, -EBADMSG or -ENOMEM.
 */
static int run_distances(struct byte_reader bytes, uint64_t start, struct cfi_rows *rows)
{
	uint64_t address = start;
	int64_t distance = -1;
	int err = 0;

	while (!err && address < rows->end) {
		uint64_t change = bytes_uleb(&bytes), step;

		if (!change && address != start)
			return 0;
		step = bytes_uleb(&bytes);
		if (bytes.bad || !step || change > UINT32_MAX || step > UINT32_MAX)
			return -EBADMSG;
		distance += zigzag(change);
		err = one_row(rows, address, rule_of(distance));
		address += step;
	}
	return err;
}

/* Whether the function is a stub for the return from a signal, perhaps with padding. */
static bool is_sigreturn(const struct elf_file *elf, uint64_t start, uint64_t end)
{
	uint64_t stub, stub_end;

	return end - start >= SIGRETURN_BYTES && end - start <= STUB_MAX_BYTES &&
	       unwind_sigreturn_find(elf, start, start + SIGRETURN_BYTES, &stub, &stub_end) && stub == start;
}

int unwind_go_run(const struct unwind_go *go, const struct elf_file *elf, uint64_t number, struct cfi_rows *rows)
{
	uint64_t start = unwind_go_start(go, number);
	uint64_t place = number_at(go, go->table.functions + (2 * number + 1) * go->table.word, go->table.word);
	uint64_t record = go->table.records + place;
	uint64_t id = number_at(go, record + go->table.flags, 1),
		 flags = number_at(go, record + go->table.flags + 1, 1);
	/* a record: entry; then name, arguments, deferreturn and pcsp, 4 bytes each */
	uint64_t program = number_at(go, record + go->table.word + 12, 4);
	int err;

	rows->rows.nr = 0;
	rows->end = unwind_go_start(go, number + 1);
	if (rows->end <= start || place > go->table.nr_bytes)
		return 0;
	if (is_sigreturn(elf, start, rows->end)) /* the row begins one byte earlier: unwind_sigreturn_rule() */
		return one_row(rows, elf_file_segment_at(elf, start - 1, PF_X) ? start - 1 : start,
			       unwind_sigreturn_rule());
	if (flags & FLAG_TOP_FRAME && id) /* sigtramp has the flag without an id; its caller is a signal frame */
		return one_row(rows, start, (struct st_unwind_rule){ .kind = ST_UNWIND_STOP });
	if (flags & FLAG_SP_WRITE)
		return one_row(
			rows, start,
			(struct st_unwind_rule){ .kind = ST_UNWIND_BP,
						 .how = ST_UNWIND_HOW(ST_UNWIND_BP_AT_CFA, ST_UNWIND_RA_ELSEWHERE, 0),
						 .bp_offset = -16,
						 .offset = 16 });
	err = run_distances(bytes_at(go, go->table.programs + program), start, rows);
	if (err != -EBADMSG)
		return err;
	rows->rows.nr = 0;
	return one_row(rows, start, (struct st_unwind_rule){ .kind = ST_UNWIND_INVALID }) ?: -EBADMSG;
}
