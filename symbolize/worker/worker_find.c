/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions by pattern, for probes, and near names for a word that matched nothing. */
#include <string.h>

#include "core/base/match.h"
#include "core/base/suggest.h"
#include "symbolize/worker/worker_internal.h"

/* ---- by pattern ---- */

/* A readable name matches with its parameters and without, so that "ns::f" means every overload. */
static bool matches_readable(const struct match *match, const char *readable)
{
	struct name stem;

	return match_test(match, readable, strlen(readable)) ||
	       (demangled_stem(readable, &stem) && match_test(match, stem.text, stem.nr_bytes));
}

/* "ns::f" means every instance of a generic function, and "ns::T::f" is the short form of "<ns::T>::f". */
static bool matches_rust(const struct match *match, char *readable)
{
	return (demangled_rust_cut(readable) && match_test(match, readable, strlen(readable))) ||
	       (demangled_rust_open(readable) && match_test(match, readable, strlen(readable)));
}

bool worker_matches(struct worker *worker, const struct match *match, struct name name)
{
	char *readable = worker->readable;

	if (match_test(match, name.text, name.nr_bytes))
		return true;
	if (!demangle(name, readable))
		return false;
	return matches_readable(match, readable) || (!strncmp(name.text, "_R", 2) && matches_rust(match, readable));
}

/* The readable name, if there is one and it was asked for. */
static const char *readable_of(struct worker *worker, struct name name)
{
	return worker->message.header.status && !worker->options.no_demangle && demangle(name, worker->readable)
		       ? worker->readable
		       : NULL;
}

static bool add_names(struct draft *draft, struct wire_function *function, struct name name, const char *readable)
{
	return draft_text(draft, name.text, name.nr_bytes, &function->name) &&
	       (!readable || draft_text(draft, readable, strlen(readable), &function->readable));
}

void worker_add_function(struct worker *worker, struct wire_function function, struct name name)
{
	size_t room = MESSAGE_ELEMENTS_MAX_BYTES / sizeof(function);
	const char *readable = readable_of(worker, name);
	struct draft *draft = &worker->draft;

	if (draft->header.nr >= room || !add_names(draft, &function, name, readable)) {
		draft->header.more = true;
		worker_send(worker);
		draft_start(draft, MESSAGE_FUNCTIONS, worker->message.header.file);
		add_names(draft, &function, name, readable);
	}
	draft_element(draft, &function, sizeof(function));
}

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
		worker_add_function(worker, function, name);
	for (size_t i = 0; i < nr; i++)
		worker_add_function(worker,
				    (struct wire_function){
					    .file_offset = choices[i].implementation,
					    .address = symtab_address(&file->table, choices[i].implementation),
					    .kind = FUNCTION_IMPLEMENTATION,
				    },
				    name);
}

static void send_matches(struct worker *worker, const struct indexed_file *file, const struct match *match)
{
	const struct symtab *table = &file->table;

	draft_start(&worker->draft, MESSAGE_FUNCTIONS, worker->message.header.file);
	for (size_t i = 0; i < table->symbols.nr; i++) {
		const struct symtab_symbol *symbol = &table->symbols.data[i];
		struct name name = symtab_name(table, symbol, worker->scratch);

		if (worker_matches(worker, match, name))
			add_symbol(worker, file, symbol, name);
	}
	worker_send(worker);
}

void worker_send_failure(struct worker *worker, enum message_kind kind, int err)
{
	draft_start(&worker->draft, kind, worker->message.header.file);
	worker->draft.header.status = (uint32_t)-err;
	worker_send(worker);
}

void worker_find(struct worker *worker, struct indexed_file *file)
{
	const char *pattern = message_text(&worker->message, 0);
	struct match *match;
	char error[256];
	int err = file->status == SYMBOL_OK ? 0 : -ENOEXEC;

	err = err ?: match_new(pattern ?: "", &match, error, sizeof(error));
	if (err) {
		worker_send_failure(worker, MESSAGE_FUNCTIONS, err);
		return;
	}
	send_matches(worker, file, match);
	match_free(match);
}

/* ---- by similarity ---- */

/* Keeps the list in order; of equally near ones the first stays in front. */
static void consider(struct suggestions *suggestions, struct suggestion candidate)
{
	size_t to = suggestions->nr;

	while (to && suggestions->best[to - 1].distance > candidate.distance)
		to--;
	if (to == SUGGESTIONS_MAX)
		return;
	if (suggestions->nr < SUGGESTIONS_MAX)
		suggestions->nr++;
	memmove(&suggestions->best[to + 1], &suggestions->best[to], (suggestions->nr - 1 - to) * sizeof(candidate));
	suggestions->best[to] = candidate;
}

void worker_consider(struct suggestions *suggestions, const char *word, struct name name, uint32_t symbol)
{
	char text[STR_DISTANCE_MAX_LENGTH + 1];
	unsigned int distance;

	if (name.nr_bytes >= sizeof(text))
		return;
	memcpy(text, name.text, name.nr_bytes);
	text[name.nr_bytes] = '\0';
	distance = str_distance(word, text);
	if (str_is_near(word, distance))
		consider(suggestions, (struct suggestion){ distance, symbol });
}

void worker_add_text(struct worker *worker, struct name text)
{
	struct wire_text wire;

	if (draft_text(&worker->draft, text.text, text.nr_bytes, &wire.text))
		draft_element(&worker->draft, &wire, sizeof(wire));
}

void worker_suggest(struct worker *worker, struct indexed_file *file)
{
	const char *word = message_text(&worker->message, 0);
	const struct symtab *table = &file->table;
	struct suggestions suggestions = {};

	if (word && file->status == SYMBOL_OK)
		for (uint32_t i = 0; i < table->symbols.nr; i++)
			worker_consider(&suggestions, word,
					symtab_name(table, &table->symbols.data[i], worker->scratch), i);
	draft_start(&worker->draft, MESSAGE_SUGGESTIONS, worker->message.header.file);
	for (size_t i = 0; i < suggestions.nr; i++)
		worker_add_text(worker,
				symtab_name(table, &table->symbols.data[suggestions.best[i].symbol], worker->scratch));
	worker_send(worker);
}
