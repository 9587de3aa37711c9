/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/unwind/trampolines.h"

#include <errno.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/files/foreign_memory.h"

static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa }; /* first, where it was built with -fcf-protection */
/* sub $8,%rsp; call *%rcx; add $8,%rsp; ret */
static const uint8_t body[] = { 0x48, 0x83, 0xec, 0x08, 0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3 };

enum {
	BEHIND_SUB = 4,       /* of the body: the return address lies one word deeper from here on */
	BEHIND_ADD = 10,      /* and no longer from here on */
};

/* Bytes of the trampoline that begins here, 0 when none does; *ret_body gets where its body begins. */
static size_t trampoline_at(const uint8_t *code, size_t nr, size_t *ret_body)
{
	*ret_body = nr >= sizeof(endbr) && !memcmp(code, endbr, sizeof(endbr)) ? sizeof(endbr) : 0;
	if (nr - *ret_body < sizeof(body) || memcmp(code + *ret_body, body, sizeof(body)) != 0)
		return 0;
	return *ret_body + sizeof(body);
}

/* The rules of one trampoline: from each address on the CFA is rsp + offset; after it nothing is known. */
static int add_trampoline(struct unwind_builder *builder, uint64_t start, uint64_t body_at, uint64_t end)
{
	const struct {
		uint64_t address;
		struct st_unwind_rule rule;
	} rules[] = {
		{ start, { .kind = ST_UNWIND_SP, .offset = 8 } },
		{ body_at + BEHIND_SUB, { .kind = ST_UNWIND_SP, .offset = 16 } },
		{ body_at + BEHIND_ADD, { .kind = ST_UNWIND_SP, .offset = 8 } },
		{ end, {} },
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(rules) / sizeof(*rules); i++)
		err = unwind_builder_add(builder, rules[i].address, rules[i].rule);
	return err == -ERANGE ? 0 : err; /* the last one ends with the area */
}

int trampolines_compile(const uint8_t *code, size_t nr, struct unwind_table *ret_table)
{
	_cleanup_(unwind_builder_done) struct unwind_builder builder = {};
	size_t body_at, at = 0, size;
	int err;

	if (!trampoline_at(code, nr, &body_at))
		return -ENODATA;
	err = unwind_builder_init(&builder, 0, nr);
	while (!err && at < nr) {
		size = trampoline_at(code + at, nr - at, &body_at);
		if (size)
			err = add_trampoline(&builder, at, at + body_at, at + size);
		at += size ? size : 1;
	}
	return err ?: unwind_builder_finish(&builder, ret_table);
}

bool trampolines_may_begin(const uint8_t *code, size_t nr)
{
	size_t unused;

	return trampoline_at(code, nr, &unused);
}

int trampolines_read(uint32_t tgid, uint64_t start, uint64_t end, struct unwind_table *ret_table)
{
	_cleanup_(freep) uint8_t *code = NULL;
	size_t nr = (size_t)(end - start);
	int err;

	if (end <= start)
		return -ENODATA;
	if (nr > TRAMPOLINES_BYTES_MAX)
		return -E2BIG;
	code = malloc(nr);
	if (!code)
		return -ENOMEM;
	err = foreign_memory_read(tgid, start, code, nr);
	return err ?: trampolines_compile(code, nr, ret_table);
}
