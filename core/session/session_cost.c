/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs cost: their timed runs, which stand for all. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/session/session_private.h"

/* What a trap of a user probe takes outside of our program; docs/use/overhead.md has the measurement. */
#define TRAP_NS 1000

/* Where no program can tell which place was hit, there is one entry for all. */
uint32_t session_nr_costs(const struct attach_plan *attach)
{
	if (attach->mechanism == MECHANISM_TP_BTF || attach->mechanism == MECHANISM_PERF_EVENT || !attach->points.nr)
		return 1;
	return (uint32_t)attach->points.nr;
}

static size_t bytes_of(const struct session *session)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = session_nr_costs(session->attach) * sizeof(struct st_cost);

	return (bytes + page - 1) / page * page;
}

int session_map_costs(struct session *session)
{
	void *memory =
		mmap(NULL, bytes_of(session), PROT_READ, MAP_SHARED, bpf_map__fd(session->skeleton->maps.st_costs), 0);

	if (memory == MAP_FAILED)
		return fail(-errno, "map of costs: mmap: %s", strerror(errno));
	session->costs = memory;
	return 0;
}

void session_unmap_costs(struct session *session)
{
	if (session->costs)
		munmap((void *)session->costs, bytes_of(session));
	session->costs = NULL;
}

static uint64_t weight(const struct session *session)
{
	return 1ULL << (session->mode == EVENTS_BY_PROBE ? ST_TALLY_COST_BITS : ST_COST_BITS);
}

static uint64_t trap_ns(const struct session *session)
{
	enum mechanism mechanism = session->attach->mechanism;

	return mechanism == MECHANISM_UPROBE || mechanism == MECHANISM_UPROBE_MULTI ? TRAP_NS : 0;
}

static struct session_cost estimate(const struct session *session, struct st_cost timed)
{
	uint64_t runs = timed.runs * weight(session);

	return (struct session_cost){
		.timed = timed.runs,
		.runs = runs,
		.ns = timed.ns * weight(session),
		.trap_ns = runs * trap_ns(session),
	};
}

void session_cost(const struct session *session, struct session_cost *ret_cost)
{
	struct st_cost timed = {};

	for (uint32_t i = 0; session->costs && i < session_nr_costs(session->attach); i++) {
		timed.ns += session->costs[i].ns;
		timed.runs += session->costs[i].runs;
	}
	*ret_cost = estimate(session, timed);
}

void session_cost_by_place(struct session *session)
{
	const struct st_cost none = {};

	while (session->costs_before.nr < session_nr_costs(session->attach)) {
		vec_push(&session->costs_before, none);
		vec_push(&session->costs_fresh, none);
	}
	for (size_t i = 0; session->costs && i < session->costs_before.nr; i++) {
		struct st_cost now = { .ns = session->costs[i].ns, .runs = session->costs[i].runs };
		struct st_cost *before = &session->costs_before.data[i];

		session->costs_fresh.data[i].ns = now.ns - before->ns;
		session->costs_fresh.data[i].runs = now.runs - before->runs;
		*before = now;
	}
}

bool session_take_hottest(struct session *session, size_t *ret_place, struct session_cost *ret_cost)
{
	uint64_t most_ns = 0;

	for (size_t i = 0; i < session->costs_fresh.nr; i++) {
		struct session_cost fresh = estimate(session, session->costs_fresh.data[i]);

		if (fresh.ns + fresh.trap_ns <= most_ns)
			continue;
		most_ns = fresh.ns + fresh.trap_ns;
		*ret_cost = fresh;
		*ret_place = i;
	}
	if (most_ns)
		session->costs_fresh.data[*ret_place] = (struct st_cost){};
	return most_ns;
}
