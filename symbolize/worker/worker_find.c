/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds functions and USDT probes by pattern, the exits of a function, and similar names. */
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/match.h"
#include "core/base/suggest.h"
#include "symbolize/cfi/function_ends.h"
#include "symbolize/worker/worker_internal.h"

/* A readable name matches with or without its parameters, so "ns::f" matches every overload. */
static bool matches_readable(const struct match *match, const char *readable)
{
	struct name stem;

	return match_test(match, readable, strlen(readable)) ||
	       (demangled_stem(readable, &stem) && match_test(match, stem.text, stem.nr_bytes));
}

/* "ns::f" matches every instance of a generic function, and "ns::T::f" is the short form of "<ns::T>::f". */
static bool matches_rust(const struct match *match, char *readable)
{
	return (demangled_rust_cut(readable) && match_test(match, readable, strlen(readable))) ||
	       (demangled_rust_open(readable) && match_test(match, readable, strlen(readable)));
}

/* Returns whether the mangled or the demangled name matches. */
static bool matches(struct worker *worker, const struct match *match, struct name name)
{
	char *readable = worker->readable;

	if (match_test(match, name.text, name.nr_bytes))
		return true;
	if (!demangle(name, readable))
		return false;
	return matches_readable(match, readable) || (!strncmp(name.text, "_R", 2) && matches_rust(match, readable));
}

static bool try_function(struct worker *worker, struct wire_function function, struct name name)
{
	struct draft *draft = &worker->draft;
	bool is_readable = worker->message.header.status && !worker->options.no_demangle &&
			   demangle(name, worker->readable);

	return draft->header.nr < MESSAGE_ELEMENTS_MAX_BYTES / sizeof(function) &&
	       draft_text(draft, name.text, name.nr_bytes, &function.name) &&
	       (!is_readable || draft_text(draft, worker->readable, strlen(worker->readable), &function.readable)) &&
	       draft_element(draft, &function, sizeof(function));
}

static void add_function(struct worker *worker, struct wire_function function, struct name name)
{
	if (try_function(worker, function, name))
		return;
	worker_send_full(worker);
	try_function(worker, function, name);
}

/* Adds a function. An indirect function is replaced by its implementations, if they are known. */
static void add_symbol(struct worker *worker, const struct indexed_file *file, const struct symtab_symbol *symbol,
		       struct name name)
{
	struct wire_function function = {
		.file_offset = symtab_start(&file->table, symbol),
		.address = symtab_address(&file->table, symtab_start(&file->table, symbol)),
		.size = symbol->unsized ? 0 : symbol->size,
		.kind = symbol->ifunc ? FUNCTION_RESOLVER : FUNCTION_PLAIN,
	};
	const struct ifunc_choice *choices = NULL;
	size_t nr = 0;

	if (symbol->ifunc)
		choices = ifuncs_of(&file->ifuncs, function.file_offset, &nr);
	if (!nr)
		add_function(worker, function, name);
	for (size_t i = 0; i < nr; i++)
		add_function(worker,
			     (struct wire_function){
				     .file_offset = choices[i].implementation,
				     .address = symtab_address(&file->table, choices[i].implementation),
				     .kind = FUNCTION_IMPLEMENTATION,
			     },
			     name);
}

void worker_find(struct worker *worker, struct indexed_file *file)
{
	const char *pattern = message_text(&worker->message, 0);
	int err = file->status == SYMBOL_OK ? 0 : file->status == SYMBOL_HIDDEN ? -EPERM : -ENOEXEC;
	struct match *match;
	char error[256];

	err = err ?: match_new(pattern ?: "", &match, error, sizeof(error));
	if (err) {
		worker_send_failure(worker, MESSAGE_FUNCTIONS, err);
		return;
	}
	worker_start(worker, MESSAGE_FUNCTIONS);
	for (size_t i = 0; i < worker_nr_symbols(file); i++) {
		struct worker_symbol symbol = worker_symbol(file, i, worker->scratch);

		if (!symbol.name.text || !matches(worker, match, symbol.name))
			continue;
		if (file->kernel)
			add_function(worker, (struct wire_function){ .address = symbol.start }, symbol.name);
		else
			add_symbol(worker, file, &file->table.symbols.data[i], symbol.name);
	}
	worker_send(worker);
	match_free(match);
}

static bool add_usdt_text(struct draft *draft, const struct usdt_notes *notes, uint32_t position,
			  uint32_t *ret_position)
{
	const char *text = usdt_text(notes, position);

	return draft_text(draft, text, strnlen(text, NAME_MAX_BYTES / 4), ret_position);
}

static bool try_probe(struct draft *draft, const struct usdt_notes *notes, const struct usdt_note *note)
{
	struct wire_usdt wire = { .file_offset = note->file_offset, .semaphore_offset = note->semaphore_offset };

	return draft->header.nr < MESSAGE_ELEMENTS_MAX_BYTES / sizeof(wire) &&
	       add_usdt_text(draft, notes, note->provider, &wire.provider) &&
	       add_usdt_text(draft, notes, note->name, &wire.name) &&
	       add_usdt_text(draft, notes, note->arguments, &wire.arguments) &&
	       draft_element(draft, &wire, sizeof(wire));
}

static bool matches_text(const struct match *match, const char *text)
{
	return match_test(match, text, strlen(text));
}

void worker_find_usdt(struct worker *worker, struct indexed_file *file)
{
	const struct usdt_notes *notes = &file->usdt;
	const char *provider = message_text(&worker->message, 0);
	const char *name = provider ? message_text(&worker->message, (uint32_t)strlen(provider) + 1) : NULL;
	struct match *providers = NULL, *names = NULL;
	char error[256];
	int err = file->status != SYMBOL_OK ? -ENOEXEC : file->usdt_err;

	err = err ?: name ? 0 : -EINVAL;
	err = err ?: match_new(provider, &providers, error, sizeof(error));
	err = err ?: match_new(name, &names, error, sizeof(error));
	if (err)
		worker_send_failure(worker, MESSAGE_USDT, err);
	else
		worker_start(worker, MESSAGE_USDT);
	for (size_t i = 0; !err && i < notes->notes.nr; i++) {
		const struct usdt_note *note = &notes->notes.data[i];

		if (!matches_text(providers, usdt_text(notes, note->provider)) ||
		    !matches_text(names, usdt_text(notes, note->name)) || try_probe(&worker->draft, notes, note))
			continue;
		worker_send_full(worker);
		try_probe(&worker->draft, notes, note);
	}
	if (!err)
		worker_send(worker);
	match_free(providers);
	match_free(names);
}

struct beginnings {
	struct worker *worker;
	const struct indexed_file *file;
	const struct elf_file *elf;
};

/* Returns whether a symbol or a stub of the procedure linkage table begins at the address. The cold part of a function does not count. */
static bool begins(void *context, uint64_t address)
{
	const struct beginnings *it = context;
	const struct symtab_symbol *symbol;
	struct name name;
	uint64_t offset;

	if (elf_file_offset_of_address(it->elf, address, &offset))
		return false;
	if (plt_lookup(&it->file->plt, offset))
		return true;
	symbol = symtab_lookup(&it->file->table, offset);
	if (!symbol || symtab_start(&it->file->table, symbol) != offset)
		return false;
	name = symtab_name(&it->file->table, symbol, it->worker->scratch);
	return !memmem(name.text, name.nr_bytes, ".cold", strlen(".cold"));
}

static void send_ends(struct worker *worker, const struct elf_file *elf, const function_ends *ends)
{
	worker_start(worker, MESSAGE_ENDS);
	for (size_t i = 0; i < ends->nr; i++) {
		struct wire_end wire = { .may_go_on = ends->data[i].may_go_on };

		if ((i && ends->data[i].address == ends->data[i - 1].address) ||
		    elf_file_offset_of_address(elf, ends->data[i].address, &wire.file_offset))
			continue;
		if (draft_element(&worker->draft, &wire, sizeof(wire)))
			continue;
		worker_send_full(worker);
		draft_element(&worker->draft, &wire, sizeof(wire));
	}
	worker_send(worker);
}

void worker_find_ends(struct worker *worker, struct indexed_file *file, int fd)
{
	_cleanup_(elf_file_done) struct elf_file elf = { .fd = -1 };
	struct beginnings context = { worker, file, &elf };
	uint32_t size = worker->message.header.status;
	struct wire_query query = {};
	function_ends ends = {};
	uint64_t address;
	int err = file->status == SYMBOL_OK && fd >= 0 ? elf_file_open(&elf, fd) : -ENOEXEC;

	if (worker->message.header.nr)
		message_element(&worker->message, 0, &query, sizeof(query));
	err = err ?: elf_file_address_of_offset(&elf, query.where, &address);
	err = err ?: function_ends_find(&elf, address, size, begins, &context, &ends);
	if (err)
		worker_send_failure(worker, MESSAGE_ENDS, err);
	else
		send_ends(worker, &elf, &ends);
	vec_done(&ends);
}

enum {
	SUGGESTIONS_MAX = 8
};

/* Symbols with similar names, best first. */
struct suggestions {
	struct suggestion {
		unsigned int distance;
		size_t symbol;
	} best[SUGGESTIONS_MAX];
	size_t nr;
};

/* Adds a name if it is similar enough. Equally similar names stay in table order. */
static void consider(struct suggestions *suggestions, const char *word, struct name name, size_t symbol)
{
	struct suggestion candidate = { .symbol = symbol };
	char text[STR_DISTANCE_MAX_LENGTH + 1];
	size_t to = suggestions->nr;

	if (!name.text || name.nr_bytes >= sizeof(text))
		return;
	memcpy(text, name.text, name.nr_bytes);
	text[name.nr_bytes] = '\0';
	candidate.distance = str_distance(word, text);
	while (to && suggestions->best[to - 1].distance > candidate.distance)
		to--;
	if (to == SUGGESTIONS_MAX || !str_is_near(word, candidate.distance))
		return;
	if (suggestions->nr < SUGGESTIONS_MAX)
		suggestions->nr++;
	memmove(&suggestions->best[to + 1], &suggestions->best[to], (suggestions->nr - 1 - to) * sizeof(candidate));
	suggestions->best[to] = candidate;
}

void worker_suggest(struct worker *worker, struct indexed_file *file)
{
	const char *word = message_text(&worker->message, 0);
	struct suggestions suggestions = {};

	for (size_t i = 0; word && file->status == SYMBOL_OK && i < worker_nr_symbols(file); i++)
		consider(&suggestions, word, worker_symbol(file, i, worker->scratch).name, i);
	worker_start(worker, MESSAGE_SUGGESTIONS);
	for (size_t i = 0; i < suggestions.nr; i++)
		worker_add_text(worker, worker_symbol(file, suggestions.best[i].symbol, worker->scratch).name);
	worker_send(worker);
}
