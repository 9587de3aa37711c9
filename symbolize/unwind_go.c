/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/unwind_go.h"

#include "symbolize/unwind_bytes.h"
#include "symbolize/unwind_sigreturn.h"

enum {
	MAGIC_116 = 0xfffffffa,
	MAGIC_118 = 0xfffffff0,
	MAGIC_120 = 0xfffffff1,
	HEADER_BYTES = 8,

	FLAG_TOP_FRAME = 1, /* of funcFlag: nothing called it */
	FLAG_SP_WRITE = 2, /* it changes to another stack: what is told of rsp does not hold */
	SIGRETURN_MIN_BYTES = 9,
	STUB_MAX_BYTES = 32,
};

/* The bytes of the section from a position on. */
static struct unwind_bytes bytes_at(const struct unwind_go *go, uint64_t position)
{
	struct unwind_bytes bytes = { .at = go->section.bytes, .end = go->section.bytes + go->section.nr };

	bytes_skip(&bytes, position);
	return bytes;
}

static uint64_t number_at(const struct unwind_go *go, uint64_t position, size_t nr_bytes)
{
	struct unwind_bytes bytes = bytes_at(go, position);

	return bytes_number(&bytes, nr_bytes);
}

/* Word `i` behind the header's first eight bytes. */
static uint64_t header_word(const struct unwind_go *go, size_t i)
{
	return number_at(go, HEADER_BYTES + 8 * i, 8);
}

/* In a position independent program the header's own word is still to be relocated. */
static uint64_t find_text(const struct unwind_go *go, const struct elf_file *elf)
{
	const Elf64_Shdr *text = elf_file_section(elf, ".text");

	return header_word(go, 2) ?: text ? text->sh_addr : 0;
}

static int read_header(struct unwind_go *go, const struct elf_file *elf)
{
	uint32_t magic = (uint32_t)number_at(go, 0, 4);
	bool is_new = magic == MAGIC_118 || magic == MAGIC_120;

	go->quantum = (uint32_t)number_at(go, 6, 1);
	if ((!is_new && magic != MAGIC_116) || go->quantum != 1 || number_at(go, 7, 1) != 8)
		return -ENODATA;
	go->nr_functions = header_word(go, 0);
	go->programs = header_word(go, is_new ? 6 : 5);
	go->functions = header_word(go, is_new ? 7 : 6);
	go->entry_bytes = is_new ? 4 : 8;
	go->text = is_new ? find_text(go, elf) : 0;
	/* Behind the start of 4 or 8 bytes: name, arguments, deferreturn, pcsp, four more, and from 1.20 on startLine. */
	go->sp_table = go->entry_bytes + 12;
	go->flags = go->entry_bytes + (magic == MAGIC_120 ? 36 : 32);
	if (go->functions > go->section.nr || go->programs > go->section.nr ||
	    go->nr_functions >= (go->section.nr - go->functions) / (2 * go->entry_bytes))
		return -EBADMSG;
	return 0;
}

int unwind_go_read(struct unwind_go *go, const struct elf_file *elf)
{
	int err;

	*go = (struct unwind_go){};
	err = unwind_section_go(elf, &go->section);
	err = err ?: read_header(go, elf);
	if (err)
		unwind_go_done(go);
	return err;
}

void unwind_go_done(struct unwind_go *go)
{
	unwind_section_done(&go->section);
	go->nr_functions = 0;
}

uint64_t unwind_go_start(const struct unwind_go *go, uint64_t number)
{
	return go->text + number_at(go, go->functions + 2 * number * go->entry_bytes, go->entry_bytes);
}

/*
 * The rule where the return address is `distance` bytes above rsp. A function with a frame begins it with the caller's
 * rbp, next to the return address: cmd/internal/obj/x86/obj6.go, preprocess().
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

/* A table of distances: pairs of the change of the distance and the bytes of code that have it; no change ends it. */
static int run_distances(const struct unwind_go *go, struct unwind_bytes bytes, uint64_t start, struct cfi_rows *rows)
{
	uint64_t address = start;
	int64_t distance = -1;
	int err = 0;

	while (!err && address < rows->end) {
		uint64_t change = bytes_uleb(&bytes), step;

		if (!change && address != start)
			return 0;
		step = bytes_uleb(&bytes) * go->quantum;
		if (bytes.bad || !step || change > UINT32_MAX || step > UINT32_MAX)
			return -EBADMSG;
		distance += zigzag(change);
		err = one_row(rows, address, rule_of(distance));
		address += step;
	}
	return err;
}

static bool is_sigreturn(const struct elf_file *elf, uint64_t start, uint64_t end)
{
	uint8_t code[SIGRETURN_MIN_BYTES];
	uint64_t offset;

	return end - start >= sizeof(code) && end - start <= STUB_MAX_BYTES &&
	       !elf_file_offset_of_address(elf, start, &offset) && !elf_file_read(elf, offset, code, sizeof(code)) &&
	       unwind_sigreturn_is(code, sizeof(code));
}

int unwind_go_run(const struct unwind_go *go, const struct elf_file *elf, uint64_t number, struct cfi_rows *rows)
{
	uint64_t start = unwind_go_start(go, number);
	uint64_t place = number_at(go, go->functions + (2 * number + 1) * go->entry_bytes, go->entry_bytes);
	uint64_t function = go->functions + place;
	uint64_t id = number_at(go, function + go->flags, 1), flags = number_at(go, function + go->flags + 1, 1);
	uint64_t table = number_at(go, function + go->sp_table, 4);
	int err;

	rows->rows.nr = 0;
	rows->end = unwind_go_start(go, number + 1);
	if (rows->end <= start || place > go->section.nr)
		return 0;
	if (is_sigreturn(elf, start, rows->end)) /* its row is looked up by the byte before */
		return one_row(rows, elf_file_code_segment(elf, start - 1) ? start - 1 : start,
			       unwind_sigreturn_rule());
	if (flags & FLAG_TOP_FRAME && id) /* sigtramp says so too, but has no id, and goes on in the signal frame */
		return one_row(rows, start, (struct st_unwind_rule){ .kind = ST_UNWIND_STOP });
	if (flags & FLAG_SP_WRITE)
		return one_row(
			rows, start,
			(struct st_unwind_rule){ .kind = ST_UNWIND_BP,
						 .how = ST_UNWIND_HOW(ST_UNWIND_BP_AT_CFA, ST_UNWIND_RA_ELSEWHERE, 0),
						 .bp_offset = -16,
						 .offset = 16 });
	err = run_distances(go, bytes_at(go, go->programs + table), start, rows);
	if (err != -EBADMSG)
		return err;
	rows->rows.nr = 0;
	return one_row(rows, start, (struct st_unwind_rule){ .kind = ST_UNWIND_INVALID }) ?: -EBADMSG;
}
