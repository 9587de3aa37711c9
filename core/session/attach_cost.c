/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Estimates the cost of the programs from the runs that they timed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/session/attach_private.h"

int attach_map_costs(struct attachment *attachment)
{
	const struct bpf_map *map = attachment->loaded->skeleton->maps.st_costs;
	size_t nr = bpf_map__max_entries(map);
	void *memory = mmap(NULL, nr * sizeof(struct st_cost), PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);

	if (memory == MAP_FAILED)
		return fail(-errno, "map of costs: mmap: %s", strerror(errno));
	attachment->nr_costs = nr;
	attachment->costs = memory;
	attachment->costs_before = xcalloc(nr, sizeof(*attachment->costs_before));
	attachment->costs_fresh = xcalloc(nr, sizeof(*attachment->costs_fresh));
	return 0;
}

void attach_unmap_costs(struct attachment *attachment)
{
	if (attachment->costs)
		munmap((void *)attachment->costs, attachment->nr_costs * sizeof(struct st_cost));
	free(attachment->costs_before);
	free(attachment->costs_fresh);
}

/* The programs continue to count during the read. `others` is read before the total, so it cannot exceed the total. */
static struct st_cost read_cost(const struct attachment *attachment, size_t place)
{
	const volatile struct st_cost *from = &attachment->costs[place];
	struct st_cost cost = { .others_ns = from->others_ns, .others_runs = from->others_runs };

	cost.ns = from->ns;
	cost.runs = from->runs;
	return cost;
}

static struct attachment_cost estimate(const struct attachment *attachment, struct st_cost timed)
{
	unsigned int bits = attachment->loaded->mode == EVENTS_BY_PROBE ? ST_TALLY_COST_BITS : ST_COST_BITS;
	uint64_t runs = timed.runs << bits;

	return (struct attachment_cost){
		.timed = timed.runs,
		.runs = runs,
		.ns = timed.ns << bits,
		.trap_ns = runs * attachment->way->trap_ns,
		.others_runs = timed.others_runs << bits,
		.others_ns = (timed.others_ns + timed.others_runs * attachment->way->trap_ns) << bits,
	};
}

static uint64_t part_of(uint64_t all, uint64_t others, enum cost_of of)
{
	if (of == COST_ALL)
		return all;
	return of == COST_OTHERS ? others : all - others;
}

uint64_t attachment_cost_ns(const struct attachment_cost *cost, enum cost_of of)
{
	return part_of(cost->ns + cost->trap_ns, cost->others_ns, of);
}

uint64_t attachment_cost_runs(const struct attachment_cost *cost, enum cost_of of)
{
	return part_of(cost->runs, cost->others_runs, of);
}

void attachment_cost(const struct attachment *attachment, struct attachment_cost *ret_cost)
{
	struct st_cost timed = {};

	for (size_t i = 0; i < attachment->nr_costs; i++) {
		const struct st_cost one = read_cost(attachment, i);

		timed.ns += one.ns;
		timed.runs += one.runs;
		timed.others_ns += one.others_ns;
		timed.others_runs += one.others_runs;
	}
	*ret_cost = estimate(attachment, timed);
}

void attachment_cost_by_place(struct attachment *attachment)
{
	for (size_t i = 0; i < attachment->nr_costs; i++) {
		const struct st_cost now = read_cost(attachment, i);
		struct st_cost *before = &attachment->costs_before[i];

		attachment->costs_fresh[i] = (struct st_cost){
			.ns = now.ns - before->ns,
			.runs = now.runs - before->runs,
			.others_ns = now.others_ns - before->others_ns,
			.others_runs = now.others_runs - before->others_runs,
		};
		*before = now;
	}
}

bool attachment_take_hottest(struct attachment *attachment, enum cost_of of, size_t *ret_place,
			     struct attachment_cost *ret_cost)
{
	uint64_t most_ns = 0;

	for (size_t i = 0; i < attachment->nr_costs; i++) {
		struct attachment_cost fresh = estimate(attachment, attachment->costs_fresh[i]);

		if (attachment_cost_ns(&fresh, of) <= most_ns)
			continue;
		most_ns = attachment_cost_ns(&fresh, of);
		*ret_cost = fresh;
		*ret_place = i;
	}
	if (most_ns)
		attachment->costs_fresh[*ret_place] = (struct st_cost){};
	return most_ns;
}
