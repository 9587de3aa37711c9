/* SPDX-License-Identifier: GPL-2.0-or-later */
/* USDT probes by pattern. */
#include <string.h>

#include "core/base/match.h"
#include "symbolize/worker/worker_internal.h"

struct usdt_patterns {
	struct match *provider, *name;
};

static void patterns_done(struct usdt_patterns *patterns)
{
	match_free(patterns->provider);
	match_free(patterns->name);
}

static int patterns_init(struct usdt_patterns *patterns, const struct message *message)
{
	const char *provider = message_text(message, 0);
	const char *name = provider ? message_text(message, (uint32_t)strlen(provider) + 1) : NULL;
	char error[256];
	int err;

	if (!name)
		return -EINVAL;
	err = match_new(provider, &patterns->provider, error, sizeof(error));
	return err ?: match_new(name, &patterns->name, error, sizeof(error));
}

static bool add_text(struct draft *draft, const struct usdt_notes *notes, uint32_t position, uint32_t *ret_position)
{
	const char *text = usdt_text(notes, position);

	return draft_text(draft, text, strnlen(text, NAME_MAX_BYTES / 4), ret_position);
}

static bool add_probe(struct draft *draft, const struct usdt_notes *notes, const struct usdt_note *note)
{
	struct wire_usdt wire = { .file_offset = note->file_offset, .semaphore_offset = note->semaphore_offset };
	size_t room = MESSAGE_ELEMENTS_MAX_BYTES / sizeof(wire);

	return draft->header.nr < room && add_text(draft, notes, note->provider, &wire.provider) &&
	       add_text(draft, notes, note->name, &wire.name) &&
	       add_text(draft, notes, note->arguments, &wire.arguments) && draft_element(draft, &wire, sizeof(wire));
}

static bool matches(const struct usdt_patterns *patterns, const struct usdt_notes *notes, const struct usdt_note *note)
{
	const char *provider = usdt_text(notes, note->provider), *name = usdt_text(notes, note->name);

	return match_test(patterns->provider, provider, strlen(provider)) &&
	       match_test(patterns->name, name, strlen(name));
}

static void send_matches(struct worker *worker, const struct usdt_notes *notes, const struct usdt_patterns *patterns)
{
	uint32_t number = worker->message.header.file;

	draft_start(&worker->draft, MESSAGE_USDT, number);
	for (size_t i = 0; i < notes->notes.nr; i++) {
		const struct usdt_note *note = &notes->notes.data[i];

		if (!matches(patterns, notes, note) || add_probe(&worker->draft, notes, note))
			continue;
		worker->draft.header.more = true;
		worker_send(worker);
		draft_start(&worker->draft, MESSAGE_USDT, number);
		add_probe(&worker->draft, notes, note);
	}
	worker_send(worker);
}

void worker_find_usdt(struct worker *worker, struct indexed_file *file)
{
	struct usdt_patterns patterns = {};
	int err = file->status == SYMBOL_OK ? file->usdt_err : -ENOEXEC;

	err = err ?: patterns_init(&patterns, &worker->message);
	if (err) {
		draft_start(&worker->draft, MESSAGE_USDT, worker->message.header.file);
		worker->draft.header.status = (uint32_t)-err;
		worker_send(worker);
	} else {
		send_matches(worker, &file->usdt, &patterns);
	}
	patterns_done(&patterns);
}
