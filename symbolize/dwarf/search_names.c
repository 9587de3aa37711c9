/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of inlined functions. An inlined call refers to the entry of the function, which may refer to a declaration. Any of these entries
 * may have the linkage name. Without a linkage name, the first plain name is used.
 */
#include <dwarf.h>

#include "core/base/radix_sort.h"
#include "symbolize/dwarf/search.h"

enum {
	REFERENCES_MAX = 16, /* followed in a unit; compilers need three */
	ROUNDS_MAX = 8,      /* references into other units, followed for one name */
	ENTRY_BYTES = 8192,
};

#define NOWHERE UINT64_MAX

/* A function whose name is to be found. */
struct called {
	struct dwarf *dwarf;
	const struct dwarf_unit *unit; /* of the current entry */
	struct dwarf_text linkage, plain;
	bool by_signature; /* the entry refers to a type unit, which only libdw finds */
	uint64_t next; /* offset of the entry that it refers to, or NOWHERE */
};

static void take(void *context, uint16_t attribute, const struct dwarf_value *value)
{
	struct called *called = context;

	switch (attribute) {
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		dwarf_value_text(called->dwarf, called->unit, value, &called->linkage);
		break;
	case DW_AT_name:
		if (!called->plain.kind)
			dwarf_value_text(called->dwarf, called->unit, value, &called->plain);
		break;
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		dwarf_value_reference(called->unit, value, &called->next);
		called->by_signature = value->form == DW_FORM_ref_sig8;
		break;
	default:
		break;
	}
}

static void read_entry(struct search *search, const struct dwarf_unit *unit, uint64_t offset, struct called *called)
{
	struct dwarf *dwarf = search_file(search, offset);
	struct dwarf_entries entries = dwarf_entries_from(dwarf, unit, offset & ~IN_ALTERNATE, ENTRY_BYTES);
	const struct abbrev *abbrev = abbrevs_get(&search->abbrevs, bytes_uleb(&entries.bytes));

	called->dwarf = dwarf;
	called->unit = unit;
	if (abbrev)
		dwarf_entry_read(&entries, &search->abbrevs, abbrev, take, called);
}

static bool is_in(const struct dwarf_unit *unit, uint64_t offset)
{
	uint64_t raw = offset & ~IN_ALTERNATE;

	return unit->is_alternate == !!(offset & IN_ALTERNATE) && raw >= unit->entries && raw < unit->end;
}

/* Follows references within the unit. search->abbrevs must be the unit's. */
static void follow(struct search *search, const struct dwarf_unit *unit, struct called *called)
{
	for (int i = 0; i < REFERENCES_MAX && !called->linkage.kind && is_in(unit, called->next); i++) {
		uint64_t offset = called->next;

		called->next = NOWHERE;
		read_entry(search, unit, offset, called);
	}
	if (is_in(unit, called->next)) /* a loop */
		called->next = NOWHERE;
}

/* Requests the name that was found, or the entry in another unit that may have it. Returns 0 or -ENOMEM. */
static int want(struct search *search, const struct called *called, uint32_t frame)
{
	bool has_linkage = called->linkage.kind;
	uint32_t fallback = (uint32_t)search->fallbacks.nr;
	int err = 0;

	if (called->by_signature && !has_linkage)
		err = search_leave(search, search->batch->frames.data[frame].unit);
	if (err)
		return err;
	if (has_linkage || called->next == NOWHERE)
		return search_want_text(search, has_linkage ? &called->linkage : &called->plain, frame, false);
	err = vec_try_push(&search->fallbacks, called->plain);
	return err ?: vec_try_push(&search->entries, (struct wanted_entry){ called->next, frame, fallback });
}

int search_want_name(struct search *search, const struct dwarf_unit *unit, uint64_t offset, uint32_t frame)
{
	struct called called = { .next = offset };

	follow(search, unit, &called);
	return want(search, &called, frame);
}

/* Lists the units of the alternate file. Returns 0 or -ENOMEM. */
static int list_alternate(struct search *search)
{
	struct dwarf *dwarf = search->dwarf->alternate;
	uint64_t offset = 0, next = 0;
	int err = 0;

	while (dwarf && err != -ENOMEM && err != -EBADMSG && offset < dwarf->info.nr_bytes) {
		struct dwarf_unit unit;

		err = dwarf_unit_open(dwarf, offset, &unit, &next);
		err = err ?: vec_try_push(&search->units[1], (struct unit_place){ offset });
		offset = next;
	}
	return err == -ENOMEM ? err : 0;
}

/* Opens the unit around an offset, unless it is open; is_in() is false afterwards if there is none. Returns 0 or -ENOMEM. */
static int open_around(struct search *search, uint64_t offset, struct dwarf_unit *unit)
{
	bool is_alternate = offset & IN_ALTERNATE;
	__typeof__(search->units[0]) *units = &search->units[is_alternate];
	struct dwarf *dwarf = search_file(search, offset);
	uint64_t raw = offset & ~IN_ALTERNATE, unused;
	int err = 0;
	size_t nr;

	if (is_in(unit, offset))
		return 0;
	if (is_alternate && !units->nr)
		err = list_alternate(search);
	nr = vec_nr_first(units, place, place->offset <= raw);
	err = err ?: nr ? dwarf_unit_open(dwarf, units->data[nr - 1].offset, unit, &unused) : -ENODATA;
	unit->is_alternate = is_alternate;
	err = err ?: dwarf_unit_read_root(dwarf, unit, &search->abbrevs);
	if (err)
		unit->entries = unit->end = 0;
	return err == -ENOMEM ? err : 0;
}

/* Follows one reference into another unit for each wanted name. That entry may refer to yet another unit. */
static int search_round(struct search *search, const struct wanted_entry *wanted, size_t nr)
{
	struct dwarf_unit unit = {};
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++) {
		struct called called = { .plain = search->fallbacks.data[wanted[i].fallback],
					 .next = wanted[i].offset };

		err = open_around(search, wanted[i].offset, &unit);
		if (is_in(&unit, wanted[i].offset))
			follow(search, &unit, &called);
		else
			called.next = NOWHERE;
		err = err ?: want(search, &called, wanted[i].frame);
		err = err ?: source_batch_late(search->batch);
	}
	return err;
}

int search_entries(struct search *search)
{
	int err = 0;

	for (int i = 0; !err && search->entries.nr && i < ROUNDS_MAX; i++) {
		__typeof__(search->entries) wanted = search->entries;

		search->entries = (__typeof__(wanted)){};
		err = radix_sort(wanted.data, wanted.nr, offset);
		err = err ?: search_round(search, wanted.data, wanted.nr);
		vec_done(&wanted);
	}
	for (size_t i = 0; !err && i < search->entries.nr; i++) /* units refer to each other in a loop */
		err = search_want_text(search, &search->fallbacks.data[search->entries.data[i].fallback],
				       search->entries.data[i].frame, false);
	return err;
}
