/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The units of .debug_info: which places each covers, and the directory that it was compiled in. */
#include "symbolize/dwarf/search.h"

enum {
	UNITS_MAX = 1 << 22,
};

/* Programs of DWARF 5 tell it themselves. */
static int keep_directory(struct search *search, const struct dwarf_unit *unit)
{
	uint32_t of = (uint32_t)search->directories.nr;
	int err;

	if (unit->version >= 5 || unit->program == NO_PROGRAM)
		return 0;
	err = vec_try_push(&search->directories, (struct unit_directory){ .program = unit->program });
	return err ?: search_want_text(search, &unit->directory, of, true);
}

static int take_unit(struct search *search, struct dwarf_unit *unit)
{
	struct source_claim claim = { .batch = search->batch, .unit = (uint32_t)search->units[0].nr };
	int err = vec_try_push(&search->units[0], (struct unit_place){ unit->offset });

	err = err ?: dwarf_unit_read_root(search->dwarf, unit, &search->abbrevs);
	if (err == -E2BIG)
		return search_leave(search, claim.unit);
	err = err ?: keep_directory(search, unit);
	if (err || !search->inlines)
		return err;
	claim.program = unit->program;
	dwarf_code_ranges(search->dwarf, unit, &unit->code, source_claim_range, &claim);
	if (!claim.any)
		return 0;
	return unit->split_name.kind ? search_split(search, unit, claim.unit)
				     : search_inlines(search, unit, claim.unit);
}

int search_units(struct search *search)
{
	struct dwarf_unit unit;
	uint64_t offset = 0, next = 0;
	int err = 0, late = 0;

	while (err != -ENOMEM && err != -EBADMSG && !late && offset < search->dwarf->info.nr_bytes &&
	       search->units[0].nr < UNITS_MAX) {
		err = dwarf_unit_open(search->dwarf, offset, &unit, &next);
		err = err ?: take_unit(search, &unit);
		offset = next;
		late = source_batch_late(search->batch);
	}
	return err == -ENOMEM ? err : late;
}
