/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/client/answers.h"

enum {
	FUNCTIONS_MAX = 1u << 20,
	USDT_MAX = 1u << 18,
	LINES_MAX = 1u << 24,
};

/* A status of the list, strings that lie in the message, and a name exactly when the status says so. */
static void take_name(const struct message *message, struct text_pool *texts, uint32_t i,
		      struct symbol_answer *ret_answer)
{
	struct wire_answer wire;
	const char *name, *module;

	message_element(message, i, &wire, sizeof(wire));
	*ret_answer = (struct symbol_answer){ .status = SYMBOL_MALFORMED };
	if (wire.status > SYMBOL_NO_DESCRIPTORS)
		return;
	ret_answer->status = (enum symbol_status)wire.status;
	if (wire.status != SYMBOL_OK)
		return;
	name = message_text(message, wire.name);
	module = message_text(message, wire.module);
	if (!name || !*name || !module) {
		ret_answer->status = SYMBOL_MALFORMED;
		return;
	}
	ret_answer->name = text_pool_add(texts, name);
	ret_answer->module = *module ? text_pool_add(texts, module) : NULL;
	ret_answer->offset = wire.offset;
	ret_answer->nameless = wire.nameless;
	if (!ret_answer->name)
		ret_answer->status = SYMBOL_NO_MEMORY;
}

size_t answers_names(const struct message *message, struct text_pool *texts, size_t nr,
		     struct symbol_answer *ret_answers)
{
	if (message->header.nr > nr)
		return 0;
	for (uint32_t i = 0; i < message->header.nr; i++)
		take_name(message, texts, i, &ret_answers[i]);
	return message->header.nr;
}

/* A string of the message, kept; NULL when it is none or memory is gone, with the reason. */
static const char *keep_text(const struct message *message, struct text_pool *texts, uint32_t position, int *err)
{
	const char *text = message_text(message, position);

	if (!text) {
		*err = -EPROTO;
		return NULL;
	}
	text = text_pool_add(texts, text);
	if (!text)
		*err = -ENOMEM;
	return text;
}

static int take_function(const struct message *message, struct text_pool *texts, uint32_t i,
			 struct found_functions *found)
{
	struct wire_function wire;
	const char *name, *readable;
	int err = 0;

	message_element(message, i, &wire, sizeof(wire));
	if (wire.kind > FUNCTION_IMPLEMENTATION)
		return -EPROTO;
	if (found->functions.nr >= FUNCTIONS_MAX)
		return -EMSGSIZE;
	name = keep_text(message, texts, wire.name, &err);
	readable = err || wire.readable == NO_TEXT ? NULL : keep_text(message, texts, wire.readable, &err);
	if (err)
		return err;
	return vec_try_push(&found->functions,
			    (struct symbol_function){ .name = name,
						      .readable = readable,
						      .file_offset = wire.file_offset,
						      .address = wire.address,
						      .size = wire.size,
						      .kind = (enum symbol_function_kind)wire.kind });
}

/* A message has 40 KB of text at most, so it is enough to look before each. */
static int check_size(struct answer_size *size, const struct text_pool *texts)
{
	if (!size->is_begun)
		*size = (struct answer_size){ true, texts->nr_bytes };
	return texts->nr_bytes - size->nr_before > ANSWER_TEXT_MAX ? -EMSGSIZE : 0;
}

static int worker_errno(uint32_t status)
{
	static const uint32_t known[] = { ENOEXEC, ENOMEM, EBADMSG, ENODATA, EPERM, ETIME, EMFILE };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (status == known[i])
			return -(int)status;
	return -EINVAL;
}

/* Empty messages would go on for ever. */
static int goes_on(const struct message *message)
{
	return !message->header.more ? 0 : message->header.nr ? 1 : -EPROTO;
}

int answers_functions(const struct message *message, struct text_pool *texts, struct found_functions *found)
{
	int err = check_size(&found->size, texts);

	if (message->header.status)
		return worker_errno(message->header.status);
	for (uint32_t i = 0; !err && i < message->header.nr; i++)
		err = take_function(message, texts, i, found);
	return err ?: goes_on(message);
}

static int take_usdt(const struct message *message, struct text_pool *texts, uint32_t i, struct found_usdt *found)
{
	struct wire_usdt wire;
	struct symbol_usdt probe;
	int err = 0;

	message_element(message, i, &wire, sizeof(wire));
	if (found->probes.nr >= USDT_MAX)
		return -EMSGSIZE;
	probe = (struct symbol_usdt){
		.file_offset = wire.file_offset,
		.semaphore_offset = wire.semaphore_offset,
		.provider = keep_text(message, texts, wire.provider, &err),
		.name = keep_text(message, texts, wire.name, &err),
		.arguments = keep_text(message, texts, wire.arguments, &err),
	};
	return err ?: vec_try_push(&found->probes, probe);
}

int answers_usdt(const struct message *message, struct text_pool *texts, struct found_usdt *found)
{
	int err = check_size(&found->size, texts);

	if (message->header.status)
		return worker_errno(message->header.status);
	for (uint32_t i = 0; !err && i < message->header.nr; i++)
		err = take_usdt(message, texts, i, found);
	return err ?: goes_on(message);
}

static int take_missing(const struct message *message, struct text_pool *texts, const struct wire_source *wire,
			struct found_lines *found)
{
	int err = found->missing_split ? -EPROTO : 0;

	if (!err)
		found->missing_split = keep_text(message, texts, wire->file, &err);
	found->nr_missing_splits = wire->line;
	return err;
}

/* The lines of one place come together, and only once. */
static int take_line(const struct message *message, struct text_pool *texts, uint32_t i, size_t nr,
		     struct found_lines *found)
{
	struct symbol_line_range *range;
	struct wire_source wire;
	struct symbol_line line;
	int err = 0;

	message_element(message, i, &wire, sizeof(wire));
	if (wire.query == SPLITS_MISSING)
		return take_missing(message, texts, &wire, found);
	if (wire.query >= nr)
		return -EPROTO;
	if (found->lines.nr >= LINES_MAX)
		return -EMSGSIZE;
	range = &found->ranges[wire.query];
	if (range->nr && range->first + range->nr != found->lines.nr)
		return -EPROTO;
	line = (struct symbol_line){
		.name = keep_text(message, texts, wire.name, &err),
		.file = keep_text(message, texts, wire.file, &err),
		.line = wire.line,
		.inlined = wire.inlined,
		.by_libdw = wire.by_libdw,
		.omitted = wire.omitted,
	};
	if (err)
		return err;
	line.name = *line.name ? line.name : NULL;
	line.file = *line.file ? line.file : NULL;
	if (!range->nr++)
		range->first = found->lines.nr;
	return vec_try_push(&found->lines, line);
}

int answers_lines(const struct message *message, struct text_pool *texts, size_t nr, struct found_lines *found)
{
	int err = check_size(&found->size, texts);

	if (message->header.status)
		return worker_errno(message->header.status);
	for (uint32_t i = 0; !err && i < message->header.nr; i++)
		err = take_line(message, texts, i, nr, found);
	return err ?: goes_on(message);
}

size_t answers_suggestions(const struct message *message, struct text_pool *texts, const char **ret_names, size_t room)
{
	size_t nr = 0;

	for (uint32_t i = 0; i < message->header.nr && nr < room; i++) {
		struct wire_text wire;
		const char *text;

		message_element(message, i, &wire, sizeof(wire));
		text = message_text(message, wire.text);
		text = text && *text ? text_pool_add(texts, text) : NULL;
		if (text)
			ret_names[nr++] = text;
	}
	return nr;
}
