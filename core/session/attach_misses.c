/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's counts of events that reached no program: struct attachment_misses. */
#include <string.h>

#include "core/session/attach_private.h"

static uint64_t recursions_of(int program)
{
	struct bpf_prog_info info = {};
	__u32 length = sizeof(info);

	if (program < 0 || bpf_prog_get_info_by_fd(program, &info, &length))
		return 0;
	return info.recursion_misses;
}

/* Programs that follow children miss no events: a missed birth is counted separately, and a missed end of a process loses nothing. */
static bool keeps_children(const struct loaded *loaded, const struct bpf_program *program)
{
	const char *name = bpf_program__name(program);

	for (size_t i = 0; loaded->child_programs && i < NR_CHILD_PROGRAMS; i++)
		if (!strcmp(name, loaded->child_programs[i]))
			return true;
	return false;
}

static uint64_t program_misses(const struct loaded *loaded, const struct bpf_object *object)
{
	struct bpf_program *program;
	uint64_t misses = 0;

	bpf_object__for_each_program(program, object)
		misses += keeps_children(loaded, program) ? 0 : recursions_of(bpf_program__fd(program));
	return misses;
}

/* Places may have a copy of the object or of the program. */
static uint64_t recursion_misses(const struct attachment *attachment)
{
	uint64_t misses = program_misses(attachment->loaded, attachment->loaded->skeleton->obj);

	for (size_t i = 0; i < attachment->copies.nr; i++)
		misses += program_misses(attachment->loaded, attachment->copies.data[i]->obj);
	for (size_t i = 0; i < attachment->fentry_programs.nr; i++)
		misses += recursions_of(attachment->fentry_programs.data[i]);
	return misses;
}

/* The misses of a link of kprobes. The kernel counts none for other links. */
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

static uint64_t link_misses(const struct attachment *attachment)
{
	uint64_t misses = attachment->gone_misses;

	for (size_t i = 0; i < attachment->links.nr; i++)
		misses += misses_of(attachment->links.data[i].fd);
	return misses;
}

void attach_keep_misses(struct attachment *attachment, int link)
{
	if (attachment->misses.are_told)
		attachment->gone_misses += misses_of(link);
}

/*
 * Births since the start that neither program handled: those that the first program missed or had no room for, minus those that the second
 * program handled. The number is for the whole host, because the parent of a missed birth is unknown. The misses are read first, so a birth
 * during the read can only make the number smaller. Returns `before` if the statistics cannot be read.
 */
static int64_t lost_births(const struct loaded *loaded, int64_t before)
{
	uint64_t lost = recursions_of(bpf_program__fd(loaded_program(loaded, loaded->child_programs[0])));

	for (uint32_t generation = 0; generation < ST_GENERATIONS; generation++) {
		struct st_stats stats;

		if (!loaded_sum_stats(loaded, generation, &stats))
			return before;
		lost += stats.lost_births;
	}
	return (int64_t)lost;
}

/* Does nothing once detaching has begun: later misses belong to no interval. */
static void read_misses(struct attachment *attachment)
{
	if (attachment->misses_ended)
		return;
	if (attachment->loaded->child_programs)
		attachment->misses.births = lost_births(attachment->loaded, attachment->misses.births);
	if (!attachment->misses.are_told)
		return;
	attachment->misses.in_probe = link_misses(attachment);
	attachment->misses.recursion = recursion_misses(attachment);
}

void attach_begin_misses(struct attachment *attachment)
{
	read_misses(attachment);
	attachment->misses_before = attachment->misses;
	if (attachment->way->counts_from_start)
		attachment->misses_before.in_probe = attachment->misses_before.recursion = 0;
}

void attach_end_misses(struct attachment *attachment)
{
	read_misses(attachment);
	attachment->misses_ended = true;
}

void attachment_misses(struct attachment *attachment, struct attachment_misses *ret_misses)
{
	const struct attachment_misses *before = &attachment->misses_before;

	read_misses(attachment);
	*ret_misses = attachment->misses;
	ret_misses->births -= before->births;
	ret_misses->in_probe -= before->in_probe;
	ret_misses->recursion -= before->recursion;
}
