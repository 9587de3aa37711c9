/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/ksymbols.h"

#include <string.h>

#include "core/base/alloc.h"
#include "core/base/strtab.h"
#include "core/base/vec.h"
#include "core/engine/tracer.h"

enum {
	KSYMBOLS_MAX = 65536, /* a host that makes code all the time: the rest has no name when it is gone */
};

struct ksymbol {
	uint64_t start, end;
	uint32_t name; /* of `strings` */
};

struct ksymbols {
	VEC(struct ksymbol) symbols; /* as they came */
	uint64_t first, end;         /* all of them are in [first, end) */
	struct strtab strings;
};

struct ksymbols *ksymbols_new(void)
{
	struct ksymbols *ksymbols = xcalloc(1, sizeof(*ksymbols));

	ksymbols->first = UINT64_MAX;
	return ksymbols;
}

void ksymbols_free(struct ksymbols *ksymbols)
{
	if (!ksymbols)
		return;
	vec_done(&ksymbols->symbols);
	strtab_done(&ksymbols->strings);
	free(ksymbols);
}

static const struct ksymbol *find(const struct ksymbols *ksymbols, uint64_t address)
{
	if (address < ksymbols->first || address >= ksymbols->end)
		return NULL;
	for (size_t i = ksymbols->symbols.nr; i-- > 0;) {
		const struct ksymbol *symbol = &ksymbols->symbols.data[i];

		if (symbol->start <= address && address < symbol->end)
			return symbol;
	}
	return NULL;
}

void ksymbols_add(struct ksymbols *ksymbols, uint64_t start, uint64_t end, const char *name)
{
	const struct ksymbol *known = find(ksymbols, start);

	if (known && known->start == start && known->end == end &&
	    !strcmp(strtab_get(&ksymbols->strings, known->name), name))
		return; /* its end, or it came back */
	if (start >= end || ksymbols->symbols.nr >= KSYMBOLS_MAX)
		return;
	vec_push(&ksymbols->symbols, (struct ksymbol){ start, end, strtab_add(&ksymbols->strings, name) });
	if (start < ksymbols->first)
		ksymbols->first = start;
	if (end > ksymbols->end)
		ksymbols->end = end;
}

/* As /proc/kallsyms says it of the same code. */
static const char *module_of(const char *name)
{
	if (!strncmp(name, "bpf", 3))
		return "bpf";
	return !strncmp(name, "ftrace", 6) ? "__builtin__ftrace" : "__builtin__kprobes";
}

/* The list tells no ends: what it says of generated code that begins before ours may be true of something else only. */
static bool wants_name(const struct profile *profile, const struct profile_frame *frame, const struct ksymbol *symbol)
{
	const char *module = profile_string(profile, frame->module);

	if (frame->reason == REASON_KERNEL_UNKNOWN)
		return true;
	return frame->reason == REASON_NAMED && frame->where - frame->offset < symbol->start &&
	       (!strcmp(module, "bpf") || !strncmp(module, "__builtin__", 11));
}

static void name_frame(const struct ksymbols *ksymbols, struct profile *profile, struct profile_frame *frame)
{
	const struct ksymbol *symbol = find(ksymbols, frame->exact || !frame->where ? frame->where : frame->where - 1);
	const char *name, *module;

	if (!symbol || !wants_name(profile, frame, symbol))
		return;
	name = strtab_get(&ksymbols->strings, symbol->name);
	module = module_of(name);
	frame->reason = REASON_NAMED;
	frame->name = strtab_add(&profile->strings, name);
	frame->module = strtab_add(&profile->strings, module);
	frame->offset = frame->where - symbol->start;
	frame->tracer = frame_is_tracer(name, module);
}

void ksymbols_name_frames(const struct ksymbols *ksymbols, struct profile *profile)
{
	for (size_t i = 0; ksymbols->symbols.nr && i < profile->frames.nr; i++)
		if (profile->frames.data[i].kind == FRAME_KERNEL)
			name_frame(ksymbols, profile, &profile->frames.data[i]);
}
