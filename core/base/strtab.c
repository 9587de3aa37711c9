/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/strtab.h"

#include <string.h>

struct text {
	const char *bytes;
	size_t length;
};

void strtab_done(struct strtab *table)
{
	vec_done(&table->bytes);
	vec_done(&table->offsets);
	hashidx_done(&table->index);
}

static bool same_text(const void *context, uint32_t position, const void *key)
{
	const struct strtab *table = context;
	const struct text *text = key;
	const char *stored = table->bytes.data + table->offsets.data[position];

	return strncmp(stored, text->bytes, text->length) == 0 && stored[text->length] == '\0';
}

/* Whether a text of `nr` bytes fits: offsets and ids have 32 bits. */
static bool has_room(const struct strtab *table, size_t nr)
{
	return nr <= STRTAB_BYTES_MAX - table->bytes.nr && table->offsets.nr < UINT32_MAX - 1;
}

/* Makes room for `nr` more bytes. If `text` points into the table, updates it. */
static void make_room(struct strtab *table, size_t nr, struct text *text)
{
	uintptr_t first = (uintptr_t)table->bytes.data, at = (uintptr_t)text->bytes;
	bool inside = at >= first && at - first < table->bytes.nr;

	vec_reserve(&table->bytes, table->bytes.nr + nr);
	if (inside)
		text->bytes = table->bytes.data + (at - first);
}

string_id strtab_addn(struct strtab *table, const char *bytes, size_t length)
{
	struct text text = { bytes, length ? strnlen(bytes, length) : 0 };
	uint32_t position;
	uint64_t hash;

	if (!text.length)
		return 0;
	hash = hash_bytes(text.bytes, text.length);
	position = hashidx_find(&table->index, hash, same_text, table, &text);
	if (position != HASHIDX_NONE)
		return position + 1;
	if (!has_room(table, text.length + 1))
		return 0;
	make_room(table, text.length + 1, &text);
	vec_push(&table->offsets, (uint32_t)table->bytes.nr);
	memcpy(table->bytes.data + table->bytes.nr, text.bytes, text.length);
	table->bytes.data[table->bytes.nr + text.length] = '\0';
	table->bytes.nr += text.length + 1;
	hashidx_add(&table->index, hash, (uint32_t)table->offsets.nr - 1);
	return (uint32_t)table->offsets.nr;
}

string_id strtab_find(const struct strtab *table, const char *bytes)
{
	struct text text = { bytes, strlen(bytes) };
	uint32_t position = hashidx_find(&table->index, hash_bytes(text.bytes, text.length), same_text, table, &text);

	return position == HASHIDX_NONE ? 0 : position + 1;
}

string_id strtab_add(struct strtab *table, const char *text)
{
	return strtab_addn(table, text, strlen(text));
}

const char *strtab_get(const struct strtab *table, string_id id)
{
	if (!id || id > table->offsets.nr)
		return "";
	return table->bytes.data + table->offsets.data[id - 1];
}
