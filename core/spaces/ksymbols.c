/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/spaces/ksymbols.h"

#include <string.h>

#include "core/base/alloc.h"
#include "core/base/strtab.h"
#include "core/base/vec.h"
#include "core/profile/tracer.h"

enum {
	KSYMBOLS_MAX = 65536, /* later code has no name after its removal */
	PIECES_MAX = 262144, /* one for each page of a symbol */
	PAGE_BYTES = 4096,
	NR_BUCKETS = 16384, /* the pages of such code are close together, so they fall into different buckets */
};

struct ksymbol {
	uint64_t start, end;
	uint64_t since_ns, until_ns; /* 0: before the side-band was opened; UINT64_MAX: not removed */
	string_id name; /* of `strings` */
};

/* A symbol in a page, linked to the piece added before it in the same bucket. */
struct piece {
	uint32_t symbol;
	uint32_t before; /* 1 + the index of that piece; 0: none */
};

struct ksymbols {
	VEC(struct ksymbol) symbols; /* in the order of their records */
	VEC(struct piece) pieces;
	uint32_t newest[NR_BUCKETS]; /* 1 + the index of the newest piece, by page */
	uint64_t first, end; /* all symbols are in [first, end) */
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
	vec_done(&ksymbols->pieces);
	strtab_done(&ksymbols->strings);
	free(ksymbols);
}

/* The newest symbol that was at an address at that time. */
static struct ksymbol *find(const struct ksymbols *ksymbols, uint64_t address, uint64_t time_ns)
{
	if (address < ksymbols->first || address >= ksymbols->end)
		return NULL;
	for (uint32_t i = ksymbols->newest[address / PAGE_BYTES % NR_BUCKETS]; i;
	     i = ksymbols->pieces.data[i - 1].before) {
		struct ksymbol *symbol = &ksymbols->symbols.data[ksymbols->pieces.data[i - 1].symbol];

		if (symbol->start <= address && address < symbol->end && symbol->since_ns <= time_ns &&
		    time_ns < symbol->until_ns)
			return symbol;
	}
	return NULL;
}

uint32_t ksymbols_at(const struct ksymbols *ksymbols, uint64_t address, uint64_t time_ns)
{
	const struct ksymbol *symbol = find(ksymbols, address, time_ns);

	return symbol ? (uint32_t)(symbol - ksymbols->symbols.data) + 1 : 0;
}

static void push(struct ksymbols *ksymbols, const struct sideband_record *record)
{
	const struct ksymbol symbol = {
		.start = record->start,
		.end = record->end,
		.since_ns = record->gone ? 0 : record->time_ns,
		.until_ns = record->gone ? record->time_ns : UINT64_MAX,
		.name = strtab_add(&ksymbols->strings, record->path),
	};

	for (uint64_t number = symbol.start / PAGE_BYTES; number <= (symbol.end - 1) / PAGE_BYTES; number++) {
		uint32_t *newest = &ksymbols->newest[number % NR_BUCKETS];

		vec_push(&ksymbols->pieces, (struct piece){ (uint32_t)ksymbols->symbols.nr, *newest });
		*newest = (uint32_t)ksymbols->pieces.nr;
	}
	vec_push(&ksymbols->symbols, symbol);
	if (record->start < ksymbols->first)
		ksymbols->first = record->start;
	if (record->end > ksymbols->end)
		ksymbols->end = record->end;
}

/*
 * A record ends the code at this address: it reports its removal, or the record of that was lost and the address is reused. This also holds
 * if there is no space for new code.
 */
void ksymbols_add(struct ksymbols *ksymbols, const struct sideband_record *record)
{
	struct ksymbol *before;
	uint64_t nr_pages;

	if (record->start >= record->end)
		return;
	nr_pages = (record->end - 1) / PAGE_BYTES - record->start / PAGE_BYTES + 1;
	before = find(ksymbols, record->start, record->time_ns);
	if (before)
		before->until_ns = record->time_ns;
	if (!(before && record->gone) && ksymbols->symbols.nr < KSYMBOLS_MAX &&
	    nr_pages <= PIECES_MAX - ksymbols->pieces.nr)
		push(ksymbols, record);
}

/* The module name in /proc/kallsyms for such code. */
static const char *module_of(const char *name)
{
	if (!strncmp(name, "bpf", 3))
		return "bpf";
	return !strncmp(name, "ftrace", 6) ? "__builtin__ftrace" : "__builtin__kprobes";
}

/* The code of a frame. A frame without a number can only be in code made before the side-band was opened. */
static const struct ksymbol *symbol_of(const struct ksymbols *ksymbols, const struct profile_frame *frame)
{
	if (frame->generated && frame->generated <= ksymbols->symbols.nr)
		return frame->reason == REASON_KERNEL_HIDDEN ? NULL : &ksymbols->symbols.data[frame->generated - 1];
	if (frame->reason != REASON_KERNEL_UNKNOWN || !frame->where)
		return NULL;
	return find(ksymbols, frame->where - !frame->exact, 0);
}

static void name_frame(const struct ksymbols *ksymbols, struct profile *profile, struct profile_frame *frame)
{
	const struct ksymbol *symbol = symbol_of(ksymbols, frame);
	const char *name, *module;

	if (!symbol)
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
