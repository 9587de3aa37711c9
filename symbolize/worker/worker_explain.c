/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explains why a place has its name or none. It states the decisions of indexed_file_lookup(), symtab.c and kallsyms.c in words. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "symbolize/worker/worker_internal.h"

enum {
	ALIASES_TOLD_MAX = 16
};

__attribute__((format(printf, 2, 3))) static void tell(struct worker *worker, const char *format, ...)
{
	va_list arguments;
	int nr;

	va_start(arguments, format);
	nr = vsnprintf(worker->readable, sizeof(worker->readable), format, arguments);
	va_end(arguments);
	if (nr > 0)
		worker_add_text(worker, (struct name){ worker->readable, strlen(worker->readable) });
}

/* Returns the most important merit of the better name that the other one lacks, as words; NULL: none. */
static const char *merit_lacking(unsigned int better, unsigned int other)
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
		if ((better ^ other) & rules[i].merit)
			return rules[i].lacks;
	return NULL;
}

static const char *rule_between(const struct worker_symbol *better, const struct worker_symbol *other)
{
	const char *lacking = merit_lacking(better->merit, other->merit);
	bool exported = better->merit & MERIT_DYNAMIC;

	if (lacking)
		return lacking;
	if ((better->merit ^ other->merit) & MERIT_GLOBAL &&
	    !(exported && name_compare_beginnings(better->name, other->name)))
		return "is weak";
	return name_rule(better->name, other->name);
}

/* Lists the other symbols with the same start. They come before the shown symbol in the table. */
static void tell_aliases(struct worker *worker, const struct indexed_file *file, size_t i)
{
	const struct worker_symbol shown = worker_symbol(file, i, worker->scratch);
	char scratch[NAME_MAX_BYTES];

	for (int nr = 0; nr < ALIASES_TOLD_MAX && i--; nr++) {
		const struct worker_symbol other = worker_symbol(file, i, scratch);

		if (other.start != shown.start)
			return;
		tell(worker, "alias not used: %.*s: it %s", (int)other.name.nr_bytes, other.name.text,
		     rule_between(&shown, &other));
	}
}

static void tell_symbol(struct worker *worker, const struct indexed_file *file, const struct symtab_symbol *symbol)
{
	struct name name = symtab_name(&file->table, symbol, worker->scratch);
	uint64_t start = symtab_address(&file->table, symtab_start(&file->table, symbol));

	tell(worker, "symbol %.*s: from 0x%" PRIx64 ", %" PRIu32 " bytes%s", (int)name.nr_bytes, name.text, start,
	     symbol->size, symbol->unsized ? " up to the next symbol (it has no size)" : "");
	tell_aliases(worker, file, (size_t)(symbol - file->table.symbols.data));
}

static void tell_nearest(struct worker *worker, const struct indexed_file *file, uint64_t offset)
{
	const struct symtab_symbol *nearest = symtab_nearest(&file->table, offset);
	struct name name;

	if (!nearest) {
		tell(worker, "no symbol begins at or before it");
		return;
	}
	name = symtab_name(&file->table, nearest, worker->scratch);
	tell(worker, "no symbol covers it: the nearest one below, %.*s, ends at 0x%" PRIx64, (int)name.nr_bytes,
	     name.text, symtab_address(&file->table, symtab_start(&file->table, nearest)) + nearest->size);
}

static void tell_offset(struct worker *worker, const struct indexed_file *file, uint64_t offset)
{
	const struct symtab_symbol *symbol = symtab_lookup(&file->table, offset);
	const struct frame_range *frame_range = frame_ranges_lookup(&file->frame_ranges, offset);
	const struct plt_stub *stub = plt_lookup(&file->plt, offset);
	struct found_place place;

	tell(worker, "place: offset 0x%" PRIx64 " of the file, address 0x%" PRIx64, offset,
	     symtab_address(&file->table, offset));
	if (symbol)
		tell_symbol(worker, file, symbol);
	else
		tell_nearest(worker, file, offset);
	if (!indexed_file_lookup(file, offset, worker->scratch, &place)) {
		tell(worker, "neither a stub nor an unwind entry covers it: no name");
		return;
	}
	if (place.identity == frame_range)
		tell(worker, "unwind entry: from 0x%" PRIx64 ", %" PRIu32 " bytes: %s",
		     symtab_address(&file->table, file->frame_ranges.base + frame_range->start), frame_range->size,
		     symbol ? "another function begins after that symbol" : "a function without a known name");
	else if (place.identity == stub)
		tell(worker, "PLT stub: it jumps through the slot of this name");
}

static void tell_address(struct worker *worker, const struct kallsyms *kallsyms, uint64_t address)
{
	struct kernel_place place = kallsyms_place(kallsyms, address);
	const struct kernel_symbol *symbol = place.symbol;

	if (!symbol) {
		tell(worker, "place: below the first symbol: no name");
		return;
	}
	if (!symbol->name) {
		tell(worker, "place: after 0x%" PRIx64 ", where a section ends or data begins: no name",
		     symbol->address);
		return;
	}
	tell(worker, "symbol %s [%s]: from 0x%" PRIx64 " up to 0x%" PRIx64 ", %s%s", kallsyms_name(kallsyms, symbol),
	     kallsyms_module(kallsyms, symbol), symbol->address, place.end,
	     place.assumed ? "the assumed maximum for the last one" : "the start of the next one",
	     address < place.end ? "" : ": no name");
	tell_aliases(worker, &worker->kernel, (size_t)(symbol - kallsyms->symbols.data));
}

static void tell_kernel(struct worker *worker, const struct kallsyms *kallsyms)
{
	size_t nr = 0;

	for (size_t i = 0; i < kallsyms->symbols.nr; i++)
		nr += kallsyms->symbols.data[i].name != 0;
	tell(worker, "/proc/kallsyms: %zu functions, of the kernel and of %zu more (modules, [bpf] and the like)", nr,
	     (size_t)kallsyms->modules.nr - 1);
}

static void tell_file(struct worker *worker, const struct indexed_file *file)
{
	char id[BUILD_ID_HEX_SIZE] = "";

	build_id_format(&file->build_id, id);
	tell(worker, "build id: %s", *id ? id : "none");
	tell(worker, "separate debug file: %s",
	     file->debug_found      ? "used: its build id, or the checksum of the debug link, matches"
	     : file->debug_asked    ? "none found that matches this file"
	     : file->table.complete ? "not searched: the file has a .symtab"
	     : file->build_id.nr_bytes || *file->link.name
		     ? "not searched"
		     : "not searched: the file has neither build id nor debug link");
	tell(worker, "tables: %zu functions by symbols (%s), %zu stubs, %zu functions by unwind entries alone",
	     (size_t)file->table.symbols.nr,
	     file->table.complete ? ".symtab and .dynsym" : "no .symtab: exported symbols, or Go's",
	     (size_t)file->plt.stubs.nr, (size_t)file->frame_ranges.list.nr);
}

void worker_explain(struct worker *worker, struct indexed_file *file)
{
	struct wire_query query = {};
	uint64_t offset;

	if (worker->message.header.nr)
		message_element(&worker->message, 0, &query, sizeof(query));
	worker_start(worker, MESSAGE_SUGGESTIONS);
	if (file->status == SYMBOL_OK && file->kernel) {
		tell_kernel(worker, file->kernel);
		tell_address(worker, file->kernel, worker_place_of(&query));
	} else if (file->status == SYMBOL_OK) {
		tell_file(worker, file);
		if (worker_offset_of(file, &query, &offset))
			tell_offset(worker, file, offset);
		else
			tell(worker, "place: no executable segment of the file has this address");
	}
	worker_send(worker);
}
