/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions about the kernel: names of addresses, functions by pattern, and the decisions of kallsyms.c in words. */
#include <inttypes.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/match.h"
#include "symbolize/elf/symtab_merit.h"
#include "symbolize/worker/worker_internal.h"

enum {
	ALIASES_TOLD_MAX = 16
};

static struct name name_of(const char *text)
{
	return (struct name){ text, strlen(text) };
}

/* ---- the list ---- */

void worker_take_kernel(struct worker *worker, int fd)
{
	closep(&worker->kernel_fd);
	worker->kernel_fd = fd;
}

/* Reads the list when it is needed for the first time. */
static enum symbol_status read_kernel(struct worker *worker)
{
	int err;

	if (worker->kernel_known)
		return worker->kernel_status;
	worker->kernel_known = true;
	if (worker->kernel_fd < 0) {
		worker->kernel_status = SYMBOL_NO_FILE;
		return worker->kernel_status;
	}
	err = kallsyms_read(&worker->kallsyms, worker->kernel_fd);
	closep(&worker->kernel_fd);
	worker->kernel_fd = -1;
	worker->kernel_status = err == -EPERM || (!err && worker->kallsyms.hidden) ? SYMBOL_HIDDEN
										   : symbol_status_of(err);
	return worker->kernel_status;
}

bool worker_name_in_kernel(struct worker *worker, struct indexed_file *none, const struct wire_query *query,
			   struct wire_answer *ret_answer)
{
	enum symbol_status status = read_kernel(worker);
	struct kernel_function function;

	(void)none;
	if (status != SYMBOL_OK || !kallsyms_lookup(&worker->kallsyms, worker_place_of(query), &function)) {
		ret_answer->status = status != SYMBOL_OK ? status : SYMBOL_NOT_FOUND;
		return true;
	}
	ret_answer->offset = query->where - function.start;
	return worker_add_name(worker, function.name, name_of(function.name), true, &ret_answer->name) &&
	       worker_add_name(worker, function.module, name_of(function.module), true, &ret_answer->module);
}

/* ---- the other way ---- */

static void send_matches(struct worker *worker, const struct match *match)
{
	const struct kallsyms *kallsyms = &worker->kallsyms;

	draft_start(&worker->draft, MESSAGE_FUNCTIONS, SYMBOL_KERNEL);
	for (size_t i = 0; i < kallsyms->symbols.nr; i++) {
		const struct kernel_symbol *symbol = &kallsyms->symbols.data[i];

		if (symbol->name && worker_matches(worker, match, name_of(kallsyms_name(kallsyms, symbol))))
			worker_add_function(worker, (struct wire_function){ .address = symbol->address },
					    name_of(kallsyms_name(kallsyms, symbol)));
	}
	worker_send(worker);
}

static void find(struct worker *worker)
{
	enum symbol_status status = read_kernel(worker);
	const char *pattern = message_text(&worker->message, 0);
	struct match *match;
	char error[256];
	int err = status == SYMBOL_OK ? 0 : status == SYMBOL_HIDDEN ? -EPERM : -ENOEXEC;

	err = err ?: match_new(pattern ?: "", &match, error, sizeof(error));
	if (err) {
		worker_send_failure(worker, MESSAGE_FUNCTIONS, err);
		return;
	}
	send_matches(worker, match);
	match_free(match);
}

static void suggest(struct worker *worker)
{
	const char *word = message_text(&worker->message, 0);
	const struct kallsyms *kallsyms = &worker->kallsyms;
	struct suggestions suggestions = {};

	if (word && read_kernel(worker) == SYMBOL_OK)
		for (uint32_t i = 0; i < kallsyms->symbols.nr; i++)
			worker_consider(&suggestions, word,
					name_of(kallsyms_name(kallsyms, &kallsyms->symbols.data[i])), i);
	draft_start(&worker->draft, MESSAGE_SUGGESTIONS, SYMBOL_KERNEL);
	for (size_t i = 0; i < suggestions.nr; i++)
		worker_add_text(worker,
				name_of(kallsyms_name(kallsyms, &kallsyms->symbols.data[suggestions.best[i].symbol])));
	worker_send(worker);
}

/* ---- why ---- */

static void tell_list(struct worker *worker)
{
	size_t nr = 0;

	for (size_t i = 0; i < worker->kallsyms.symbols.nr; i++)
		nr += worker->kallsyms.symbols.data[i].name != 0;
	worker_tell(worker,
		    "/proc/kallsyms: %zu functions, of the kernel and of %zu more (modules, [bpf] and the like)", nr,
		    (size_t)worker->kallsyms.modules.nr - 1);
}

static const char *rule_between(const struct kernel_symbol *better, const char *name, const struct kernel_symbol *other,
				const char *other_name)
{
	if ((better->merit ^ other->merit) & MERIT_NOT_LOCAL)
		return "is local";
	return better->merit == other->merit ? name_rule(name_of(name), name_of(other_name)) : "is weak";
}

static void tell_aliases(struct worker *worker, const struct kernel_symbol *shown)
{
	const struct kallsyms *kallsyms = &worker->kallsyms;
	const struct kernel_symbol *other = shown;

	for (int i = 0; i < ALIASES_TOLD_MAX && other > kallsyms->symbols.data && other[-1].address == shown->address;
	     i++) {
		const char *passed = kallsyms_name(kallsyms, --other);

		worker_tell(worker, "alias not used: %s: it %s", passed,
			    rule_between(shown, kallsyms_name(kallsyms, shown), other, passed));
	}
}

static void tell_place(struct worker *worker, uint64_t address)
{
	struct kernel_place place = kallsyms_place(&worker->kallsyms, address);
	const char *name, *module;

	if (!place.symbol) {
		worker_tell(worker, "place: below the first symbol: no name");
		return;
	}
	name = kallsyms_name(&worker->kallsyms, place.symbol);
	module = kallsyms_module(&worker->kallsyms, place.symbol);
	if (!place.symbol->name)
		worker_tell(worker, "place: after 0x%" PRIx64 ", where a section ends or data begins: no name",
			    place.symbol->address);
	else
		worker_tell(worker, "symbol %s [%s]: from 0x%" PRIx64 " up to 0x%" PRIx64 ", %s%s", name, module,
			    place.symbol->address, place.end,
			    place.assumed ? "the assumed maximum for the last one" : "the start of the next one",
			    address < place.end ? "" : ": no name");
	if (place.symbol->name)
		tell_aliases(worker, place.symbol);
}

static void explain(struct worker *worker)
{
	struct wire_query query = {};
	enum symbol_status status = read_kernel(worker);

	if (worker->message.header.nr)
		message_element(&worker->message, 0, &query, sizeof(query));
	draft_start(&worker->draft, MESSAGE_SUGGESTIONS, SYMBOL_KERNEL);
	if (status == SYMBOL_OK) {
		tell_list(worker);
		tell_place(worker, worker_place_of(&query));
	}
	worker_send(worker);
}

void worker_answer_about_kernel(struct worker *worker)
{
	switch (worker->message.header.kind) {
	case MESSAGE_FIND:
		find(worker);
		break;
	case MESSAGE_SUGGEST:
		suggest(worker);
		break;
	case MESSAGE_EXPLAIN:
		explain(worker);
		break;
	}
}
