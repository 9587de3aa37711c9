/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that reached no program, as far as the kernel counts them: a program that was not run because one was running on
 * the CPU already, and a probe that was not served at all because the CPU was inside another one.
 */
#include "core/session/drain_private.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/session/session_private.h"

static uint64_t recursions_of_fd(int program)
{
	struct bpf_prog_info info = {};
	__u32 length = sizeof(info);

	if (program < 0 || bpf_prog_get_info_by_fd(program, &info, &length))
		return 0;
	return info.recursion_misses;
}

static uint64_t recursions_of(const struct bpf_program *program)
{
	return recursions_of_fd(bpf_program__fd(program));
}

/* What these miss are no events: a birth is another loss, the end of a process none. */
static bool keeps_children(const struct session *session, const struct bpf_program *program)
{
	const char *name = bpf_program__name(program);

	for (size_t i = 0; session->child_programs && i < NR_CHILD_PROGRAMS; i++)
		if (!strcmp(name, session->child_programs[i]))
			return true;
	return false;
}

static uint64_t program_misses(const struct session *session, const struct bpf_object *object)
{
	struct bpf_program *program;
	uint64_t misses = 0;

	bpf_object__for_each_program(program, object)
		misses += keeps_children(session, program) ? 0 : recursions_of(program);
	return misses;
}

/* Places that have a program of their own have a copy of the object, or only of the program. */
static uint64_t recursion_misses(const struct session *session)
{
	uint64_t misses = program_misses(session, session->skeleton->obj);

	for (size_t i = 0; i < session->copies.nr; i++)
		misses += program_misses(session, session->copies.data[i]->obj);
	for (size_t i = 0; i < session->fentry_programs.nr; i++)
		misses += recursions_of_fd(session->fentry_programs.data[i]);
	return misses;
}

/* Of kprobes; other links have no such number. */
static uint64_t misses_of(int link)
{
	struct bpf_link_info info = {};
	__u32 length = sizeof(info);

	if (bpf_link_get_info_by_fd(link, &info, &length))
		return 0;
	if (info.type == BPF_LINK_TYPE_KPROBE_MULTI)
		return info.kprobe_multi.missed;
	if (info.type == BPF_LINK_TYPE_PERF_EVENT &&
	    (info.perf_event.type == BPF_PERF_EVENT_KPROBE || info.perf_event.type == BPF_PERF_EVENT_KRETPROBE))
		return info.perf_event.kprobe.missed;
	return 0;
}

static uint64_t link_misses(const struct session *session)
{
	uint64_t misses = session->gone_link_misses;

	for (size_t i = 0; i < session->links.nr; i++)
		misses += misses_of(session->links.data[i].fd);
	return misses;
}

void drain_forget_link(struct session *session, int link)
{
	if (session->counts_misses)
		session->gone_link_misses += misses_of(link);
}

/*
 * Births that neither program dealt with, since the start: those that the first one missed or had no room for, less those that
 * the second one dealt with. Of the whole host, for nobody knows whose a birth is that was not seen. The misses are read first,
 * so that what comes meanwhile makes the number smaller. Kernels that tell no misses have tracepoints that are not preempted.
 */
static int64_t lost_births(const struct session *session)
{
	uint64_t lost = recursions_of(session_program(session, session->child_programs[0]));

	for (uint32_t generation = 0; generation < ST_GENERATIONS; generation++) {
		struct st_stats stats;

		drain_sum_stats(session, generation, &stats);
		lost += stats.lost_births;
	}
	return (int64_t)lost;
}

/* A birth whose second report is still to come makes the number smaller later. */
static void note_lost_births(struct session *session, struct profile_interval *interval)
{
	int64_t fresh;

	if (!session->child_programs)
		return;
	if (!session->misses_ended)
		session->lost_births = lost_births(session);
	fresh = session->lost_births - session->reported_lost_births;
	if (fresh <= 0)
		return;
	interval->losses[ST_LOSS_CHILD_LOST] += (uint64_t)fresh;
	session->reported_lost_births = session->lost_births;
}

/* Until the links go. What is missed while they are taken away is part of no interval. */
static void read_misses(struct session *session)
{
	if (session->misses_ended)
		return;
	session->link_misses = link_misses(session);
	session->recursion_misses = recursion_misses(session);
}

void drain_begin_misses(struct session *session)
{
	if (session->child_programs)
		session->reported_lost_births = lost_births(session);
	if (!session->counts_misses || session->attach->mechanism == MECHANISM_TP_BTF) /* counts from the start */
		return;
	read_misses(session);
	session->reported_recursion_misses = session->recursion_misses;
	session->reported_link_misses = session->link_misses;
}

void drain_end_misses(struct session *session)
{
	if (session->counts_misses)
		read_misses(session);
	if (session->child_programs && !session->misses_ended)
		session->lost_births = lost_births(session);
	session->misses_ended = true;
}

void drain_misses(struct session *session, struct profile_interval *interval)
{
	note_lost_births(session, interval);
	if (!session->counts_misses) {
		interval->account.missed = UINT64_MAX;
		return;
	}
	read_misses(session);
	interval->losses[ST_LOSS_RECURSION] += session->recursion_misses - session->reported_recursion_misses;
	interval->losses[ST_LOSS_LINK_MISSED] += session->link_misses - session->reported_link_misses;
	session->reported_recursion_misses = session->recursion_misses;
	session->reported_link_misses = session->link_misses;
	interval->account.missed = interval->losses[ST_LOSS_RECURSION] + interval->losses[ST_LOSS_LINK_MISSED];
}

/* In whole milliseconds, and at least one: that something is missing must be seen. The rest counts the next time. */
void drain_missing_time(struct session *session, struct profile_interval *interval)
{
	uint64_t *loss = &interval->losses[ST_LOSS_DETACHED], now_ns = clock_monotonic_ns(), ms;

	if (!session->missing_since_ns || now_ns < session->missing_since_ns)
		return;
	ms = (now_ns - session->missing_since_ns) / NSEC_PER_MSEC;
	if (!ms && !*loss)
		ms = 1;
	*loss += ms;
	session->missing_since_ns += ms * NSEC_PER_MSEC;
}
