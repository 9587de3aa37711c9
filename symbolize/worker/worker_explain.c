/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a place of a file has the name that it has, or none: the decisions of indexed_file_lookup() and symtab.c in
 * words.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "symbolize/elf/symtab_merit.h"
#include "symbolize/worker/worker_internal.h"

enum {
	ALIASES_TOLD_MAX = 16
};

void worker_tell(struct worker *worker, const char *format, ...)
{
	va_list arguments;
	int nr;

	va_start(arguments, format);
	nr = vsnprintf(worker->readable, sizeof(worker->readable), format, arguments);
	va_end(arguments);
	if (nr > 0)
		worker_add_text(worker, (struct name){ worker->readable, strlen(worker->readable) });
}

static void tell_file(struct worker *worker, const struct indexed_file *file)
{
	char id[BUILD_ID_HEX_SIZE] = "";

	build_id_format(&file->build_id, id);
	worker_tell(worker, "build id: %s", *id ? id : "none");
	worker_tell(worker, "separate debug file: %s",
		    file->debug_found      ? "used: its build id, or the checksum of the debug link, matches"
		    : file->debug_asked    ? "none found that matches this file"
		    : file->table.complete ? "not searched: the file has a .symtab"
		    : file->build_id.nr_bytes || *file->link.name
			    ? "not looked for"
			    : "not searched: the file has neither build id nor debug link");
	worker_tell(worker, "tables: %zu functions by symbols (%s), %zu stubs, %zu functions by unwind entries alone",
		    (size_t)file->table.symbols.nr,
		    file->table.complete ? ".symtab and .dynsym" : "no .symtab: exported symbols, or Go's",
		    (size_t)file->plt.stubs.nr, (size_t)file->frame_ranges.list.nr);
}

/* ---- aliases ---- */

/* What the better one has and the other one lacks, the weightiest first. */
static const char *merit_lacking(const struct symtab_symbol *better, const struct symtab_symbol *other)
{
	static const struct {
		unsigned int merit;
		const char *lacks;
	} rules[] = {
		{ MERIT_SIZED, "has no size" },
		{ MERIT_FUNCTION, "is not of type function" },
		{ MERIT_NOT_LOCAL, "is local" },
		{ MERIT_DYNAMIC, "is not exported" },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if ((better->merit ^ other->merit) & rules[i].merit)
			return rules[i].lacks;
	return NULL;
}

static const char *rule_between(const struct symtab_symbol *better, struct name name, const struct symtab_symbol *other,
				struct name other_name)
{
	const char *lacking = merit_lacking(better, other);
	bool exported = better->merit & MERIT_DYNAMIC;

	if (lacking)
		return lacking;
	if ((better->merit ^ other->merit) & MERIT_GLOBAL && !(exported && name_compare_beginnings(name, other_name)))
		return "is weak";
	return name_rule(name, other_name);
}

static void tell_aliases(struct worker *worker, const struct symtab *table, const struct symtab_symbol *shown)
{
	char scratch[NAME_MAX_BYTES];
	struct name name = symtab_name(table, shown, worker->scratch);
	const struct symtab_symbol *other = shown;

	for (int i = 0; i < ALIASES_TOLD_MAX && other > table->symbols.data && other[-1].start == shown->start; i++) {
		struct name passed = symtab_name(table, --other, scratch);

		worker_tell(worker, "alias not used: %.*s: it %s", (int)passed.nr_bytes, passed.text,
			    rule_between(shown, name, other, passed));
	}
}

/* ---- the place ---- */

static void tell_symbol(struct worker *worker, const struct indexed_file *file, const struct symtab_symbol *symbol)
{
	struct name name = symtab_name(&file->table, symbol, worker->scratch);
	uint64_t start = symtab_address(&file->table, symtab_start(&file->table, symbol));

	worker_tell(worker, "symbol %.*s: from 0x%" PRIx64 ", %" PRIu32 " bytes%s", (int)name.nr_bytes, name.text,
		    start, symbol->size, symbol->unsized ? " up to the next symbol (it has no size)" : "");
	tell_aliases(worker, &file->table, symbol);
}

static void tell_nearest(struct worker *worker, const struct indexed_file *file, uint64_t offset)
{
	const struct symtab_symbol *nearest = symtab_nearest(&file->table, offset);
	struct name name;

	if (!nearest) {
		worker_tell(worker, "no symbol begins at or before it");
		return;
	}
	name = symtab_name(&file->table, nearest, worker->scratch);
	worker_tell(worker, "no symbol covers it: the nearest one below, %.*s, ends at 0x%" PRIx64, (int)name.nr_bytes,
		    name.text, symtab_address(&file->table, symtab_start(&file->table, nearest)) + nearest->size);
}

static void tell_place(struct worker *worker, const struct indexed_file *file, uint64_t offset)
{
	const struct symtab_symbol *symbol = symtab_lookup(&file->table, offset);
	const struct frame_range *frame_range = frame_ranges_lookup(&file->frame_ranges, offset);
	const struct plt_stub *stub = plt_lookup(&file->plt, offset);
	struct found_place place;

	worker_tell(worker, "place: offset 0x%" PRIx64 " of the file, address 0x%" PRIx64, offset,
		    symtab_address(&file->table, offset));
	if (symbol)
		tell_symbol(worker, file, symbol);
	else
		tell_nearest(worker, file, offset);
	if (!indexed_file_lookup(file, offset, worker->scratch, &place)) {
		worker_tell(worker, "neither a stub nor an unwind entry covers it: no name");
		return;
	}
	if (place.identity == frame_range)
		worker_tell(worker, "unwind entry: from 0x%" PRIx64 ", %" PRIu32 " bytes: %s",
			    symtab_address(&file->table, file->frame_ranges.base + frame_range->start),
			    frame_range->size,
			    symbol ? "another function begins after that symbol" : "a function without a known name");
	else if (place.identity == stub)
		worker_tell(worker, "PLT stub: it jumps through the slot of this name");
}

void worker_explain(struct worker *worker, struct indexed_file *file)
{
	struct wire_query query = {};
	uint64_t offset;

	if (worker->message.header.nr)
		message_element(&worker->message, 0, &query, sizeof(query));
	draft_start(&worker->draft, MESSAGE_SUGGESTIONS, worker->message.header.file);
	if (file->status == SYMBOL_OK) {
		tell_file(worker, file);
		if (worker_offset_of(file, &query, &offset))
			tell_place(worker, file, offset);
		else
			worker_tell(worker, "place: no executable segment of the file has this address");
	}
	worker_send(worker);
}
