/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/cfi/unwind_synthesis.h"

#include "symbolize/cfi/synthesis_private.h"

static void synthesis_done(struct synthesis *it)
{
	vec_done(&it->bases);
	vec_done(&it->local);
	vec_done(&it->waiting);
	vec_done(&it->edges);
	vec_done(&it->sites);
	vec_done(&it->finished);
	vec_done(&it->starts);
	free(it->returns);
	free(it->code);
	free(it->marks);
	free(it->touched);
	free(it->start_at);
}

/* Reads the code of the gaps, up to the limits. */
static int read_gaps(struct synthesis *it)
{
	uint64_t nr_bytes = 0;
	size_t nr = 0;
	int err = 0;

	it->origin = it->gaps->data[0].start;
	while (nr < it->gaps->nr) {
		const struct code_gap *gap = &it->gaps->data[nr];

		if (gap->end - gap->start > GAP_BYTES_MAX - nr_bytes || gap->end - it->origin > GAP_DISTANCE_MAX)
			break;
		nr_bytes += gap->end - gap->start;
		nr++;
	}
	it->facts->cut = nr < it->gaps->nr;
	it->facts->nr_bytes = nr_bytes;
	it->code = malloc(nr_bytes + 1);
	it->marks = calloc(nr_bytes + 1, sizeof(*it->marks));
	it->touched = calloc(nr_bytes / MARKS_TOUCHED + 1, sizeof(*it->touched));
	it->start_at = calloc(nr_bytes + 1, sizeof(*it->start_at));
	it->returns = calloc(1, sizeof(*it->returns));
	if (!it->code || !it->marks || !it->touched || !it->start_at || !it->returns)
		return -ENOMEM;
	it->returns->elf = it->elf;
	/* at once, because growing copies; unused memory costs nothing */
	if (vec_try_reserve(&it->finished, nr_bytes / 4) || vec_try_reserve(&it->local, INSTRUCTIONS_MAX))
		return -ENOMEM;
	nr_bytes = 0;
	for (size_t i = 0; i < nr && !err; i++) {
		const struct code_gap *gap = &it->gaps->data[i];
		uint64_t offset;

		err = elf_file_offset_of_address(it->elf, gap->start, &offset);
		err = err ?: elf_file_read(it->elf, offset, it->code + nr_bytes, (size_t)(gap->end - gap->start));
		err = err ?: vec_try_push(&it->bases, nr_bytes);
		nr_bytes += gap->end - gap->start;
	}
	return err;
}

static int add_row(struct cfi_rows *rows, uint64_t address, struct st_unwind_rule rule)
{
	if (rows->rows.nr && !memcmp(&vec_last(&rows->rows).rule, &rule, sizeof(rule)))
		return 0;
	return vec_try_push(&rows->rows, (struct cfi_row){ address, rule });
}

/* The next byte that is known, or `end`. Does not read marks that were never touched, which would cost page faults. */
static uint64_t skip_unknown(const struct synthesis *it, uint64_t at, uint64_t end)
{
	while (at < end) {
		if (!it->touched[at / MARKS_TOUCHED])
			at += MARKS_TOUCHED - at % MARKS_TOUCHED;
		else if (it->marks[at])
			break;
		else
			at++;
	}
	return at < end ? at : end;
}

static int write_gap(struct synthesis *it, const struct code_gap *gap, uint64_t base, struct cfi_rows *rows)
{
	static const struct st_unwind_rule none;
	uint64_t at = base, end = base + (gap->end - gap->start);
	int err = 0;

	while (at < end && !err) {
		const struct finished *finished = NULL;

		if (it->touched[at / MARKS_TOUCHED] && (it->marks[at] & MARK_KIND) == MARK_DONE)
			finished = &it->finished.data[it->marks[at] & ~(uint32_t)MARK_KIND];
		err = add_row(rows, gap->start + (at - base), finished ? finished->rule : none);
		if (finished && finished->rule.kind != ST_UNWIND_INVALID)
			it->facts->nr_claimed += finished->nr_bytes;
		at = finished ? at + finished->nr_bytes : skip_unknown(it, at + 1, end);
	}
	return err ?: add_row(rows, gap->end, none);
}

static int write_rows(struct synthesis *it, struct cfi_rows *rows)
{
	int err = 0;

	for (size_t i = 0; i < it->bases.nr && !err; i++)
		err = write_gap(it, &it->gaps->data[i], it->bases.data[i], rows);
	return err;
}

int unwind_synthesise(const struct elf_file *elf, const code_gaps *gaps, struct cfi_rows *rows,
		      struct synthesis_facts *facts)
{
	_cleanup_(synthesis_done) struct synthesis it = { .elf = elf, .gaps = gaps, .facts = facts };
	synthesis_starts found = {};
	int err;

	if (!gaps->nr)
		return 0;
	err = read_gaps(&it);
	if (err || !it.bases.nr)
		return err;
	err = synthesis_starts_find(elf, gaps->data, it.bases.nr, &found);
	for (size_t i = 0; i < found.nr && !err; i++)
		if (found.data[i].reason == SYNTHESIS_FUNCTION)
			err = synthesis_add_start(&it, found.data[i].address, SYNTHESIS_FUNCTION);
	/* known functions first, so that mere candidates cannot take their code */
	for (uint64_t pass = 0; pass < 2 && !err; pass++)
		for (size_t i = 0; i < found.nr && !err; i++)
			if ((found.data[i].reason == SYNTHESIS_FUNCTION) != pass)
				err = synthesis_try(&it, found.data[i].address, found.data[i].reason);
	vec_done(&found);
	return err ?: write_rows(&it, rows);
}
