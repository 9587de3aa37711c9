/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/client/answers.h"

enum {
	FUNCTIONS_MAX = 1u << 20,
	USDT_MAX = 1u << 18,
	ENDS_MAX = 4096,
	LINES_MAX = 1u << 24,
};

void found_done(struct found *found)
{
	vec_done(&found->functions);
	vec_done(&found->probes);
	vec_done(&found->ends);
	vec_done(&found->lines);
	free(found->ranges);
	found->ranges = NULL;
}

/* The name is set only if the status is SYMBOL_OK. */
static void take_name(const struct message *message, struct text_pool *texts, uint32_t i,
		      struct symbol_answer *ret_answer)
{
	enum symbol_status status;
	struct wire_answer wire;
	const char *name, *module;

	message_element(message, i, &wire, sizeof(wire));
	status = wire.status <= SYMBOL_NO_DESCRIPTORS ? (enum symbol_status)wire.status : SYMBOL_MALFORMED;
	*ret_answer = (struct symbol_answer){ .status = status };
	if (status != SYMBOL_OK)
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
	ret_answer->listed_again = wire.listed_again;
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

size_t answers_none(const struct message *message, size_t nr, struct symbol_answer *ret_answers)
{
	if (message->header.nr > nr)
		return 0;
	for (uint32_t i = 0; i < message->header.nr; i++)
		ret_answers[i] = (struct symbol_answer){ .status = SYMBOL_NO_MEMORY };
	return message->header.nr;
}

/* Returns the pool's copy of a string of the message; NULL, and *err, if that fails. */
static const char *keep_text(const struct message *message, struct text_pool *texts, uint32_t position, int *err)
{
	const char *text = message_text(message, position), *kept = text ? text_pool_add(texts, text) : NULL;

	if (!kept)
		*err = text ? -ENOMEM : -EPROTO;
	return kept;
}

static int take_function(const struct message *message, struct text_pool *texts, uint32_t i, struct found *found)
{
	struct symbol_function function;
	struct wire_function wire;
	int err = 0;

	message_element(message, i, &wire, sizeof(wire));
	if (wire.kind > FUNCTION_IMPLEMENTATION)
		return -EPROTO;
	if (found->functions.nr >= FUNCTIONS_MAX)
		return -EMSGSIZE;
	function = (struct symbol_function){
		.name = keep_text(message, texts, wire.name, &err),
		.readable = wire.readable == NO_TEXT ? NULL : keep_text(message, texts, wire.readable, &err),
		.file_offset = wire.file_offset,
		.address = wire.address,
		.size = wire.size,
		.kind = (enum symbol_function_kind)wire.kind,
	};
	return err ?: vec_try_push(&found->functions, function);
}

static int take_usdt(const struct message *message, struct text_pool *texts, uint32_t i, struct found *found)
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

static int take_end(const struct message *message, uint32_t i, struct found *found)
{
	struct wire_end wire;

	message_element(message, i, &wire, sizeof(wire));
	if (found->ends.nr >= ENDS_MAX || wire.may_go_on > 1)
		return -EPROTO;
	return vec_try_push(&found->ends, (struct symbol_end){ wire.file_offset, wire.may_go_on });
}

static int take_missing(const struct message *message, struct text_pool *texts, const struct wire_source *wire,
			struct found *found)
{
	int err = found->missing_split ? -EPROTO : 0;

	if (!err)
		found->missing_split = keep_text(message, texts, wire->file, &err);
	found->nr_missing_splits = wire->line;
	return err;
}

/* The lines of one place must be adjacent. */
static int take_line(const struct message *message, struct text_pool *texts, uint32_t i, struct found *found)
{
	struct symbol_line_range *range;
	struct wire_source wire;
	struct symbol_line line;
	int err = 0;

	message_element(message, i, &wire, sizeof(wire));
	if (wire.query == SPLITS_MISSING)
		return take_missing(message, texts, &wire, found);
	if (wire.query >= found->nr_places)
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

static int worker_errno(uint32_t status)
{
	static const uint32_t known[] = { ENOEXEC, ENOMEM, EBADMSG, ENODATA, EPERM, ETIME, EMFILE };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (status == known[i])
			return -(int)status;
	return -EINVAL;
}

int answers_found(const struct message *message, struct text_pool *texts, struct found *found)
{
	/* A message has at most 40 KB of text, so one check per message is enough. */
	int err = texts->nr_bytes - found->nr_before > ANSWER_TEXT_MAX ? -EMSGSIZE : 0;

	if (message->header.status)
		return worker_errno(message->header.status);
	for (uint32_t i = 0; !err && i < message->header.nr; i++) {
		if (message->header.kind == MESSAGE_FUNCTIONS)
			err = take_function(message, texts, i, found);
		else if (message->header.kind == MESSAGE_USDT)
			err = take_usdt(message, texts, i, found);
		else if (message->header.kind == MESSAGE_ENDS)
			err = take_end(message, i, found);
		else
			err = take_line(message, texts, i, found);
	}
	if (err || !message->header.more)
		return err;
	return message->header.nr ? 1 : -EPROTO; /* empty messages could go on for ever */
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
