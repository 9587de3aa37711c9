/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the interrupt in a kernel stack by the names of functions, leaf first. The first match decides: the entry into an interrupt, or a
 * function on the way out of one, which works for the task. Names of x86 and arm64, from 5.10 on.
 */
#include "core/profile/context.h"

#include <string.h>

struct entry {
	const char *name; /* a '*' at the end matches any rest */
	enum event_context context; /* CONTEXT_TASK: on the way out of an interrupt */
};

static const struct entry entries[] = {
	{ "exit_to_user_mode*", CONTEXT_TASK },
	{ "irqentry_exit*", CONTEXT_TASK },
	{ "prepare_exit_to_usermode", CONTEXT_TASK },
	{ "preempt_schedule_irq", CONTEXT_TASK },
	{ "do_notify_resume", CONTEXT_TASK },
	{ "__do_softirq", CONTEXT_SOFTIRQ },
	{ "__softirqentry_text_start", CONTEXT_SOFTIRQ },
	{ "handle_softirqs", CONTEXT_SOFTIRQ },
	{ "run_ksoftirqd", CONTEXT_SOFTIRQ },
	{ "asm_exc_nmi", CONTEXT_NMI },
	{ "end_repeat_nmi", CONTEXT_NMI },
	{ "asm_sysvec_*", CONTEXT_IRQ },
	{ "asm_common_interrupt", CONTEXT_IRQ },
	{ "asm_call_irq_on_stack", CONTEXT_IRQ },
	{ "common_interrupt*", CONTEXT_IRQ },
	{ "apic_timer_interrupt", CONTEXT_IRQ },
	{ "reschedule_interrupt", CONTEXT_IRQ },
	{ "ret_from_intr", CONTEXT_IRQ },
	{ "el1_interrupt", CONTEXT_IRQ },
	{ "el0_interrupt", CONTEXT_IRQ },
	{ "el1h_64_irq*", CONTEXT_IRQ },
	{ "el0t_64_irq*", CONTEXT_IRQ },
	{ "el1_irq", CONTEXT_IRQ },
	{ "el0_irq*", CONTEXT_IRQ },
};

static bool matches(const char *pattern, const char *name)
{
	size_t length = strlen(pattern);

	if (pattern[length - 1] == '*')
		return !strncmp(pattern, name, length - 1);
	return !strcmp(pattern, name);
}

static const struct entry *entry_of(const char *name)
{
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		if (matches(entries[i].name, name))
			return &entries[i];
	return NULL;
}

/* Removes the interrupted task from the record: the waker is the interrupt. */
static void take_away_task(struct profile_record *record)
{
	record->tgid = record->tid = record->comm = 0;
	record->start_time_ns = record->exec_id = record->cgroup_id = 0;
	record->foreign = false;
	record->nr_user = 0;
	record->user_status = STACK_NOT_ASKED;
	record->user_loss = 0;
}

static void settle(struct profile *profile, struct profile_record *record)
{
	const uint32_t *frames = profile->stack_frames.data + record->first;

	for (uint16_t i = 0; i < record->nr_kernel; i++) {
		const struct profile_frame *frame = &profile->frames.data[frames[i]];
		const struct entry *entry =
			frame->name && !frame->level ? entry_of(profile_string(profile, frame->name)) : NULL;

		if (entry && entry->context == CONTEXT_TASK && record->context == CONTEXT_TASK)
			return;
		if (!entry || entry->context == CONTEXT_TASK)
			continue;
		if (record->context == CONTEXT_TASK)
			record->context = (uint8_t)entry->context;
		take_away_task(record);
		record->nr_kernel = (uint16_t)(i + 1);
		return;
	}
}

void settle_contexts(struct profile *profile)
{
	for (size_t i = 0; i < profile->pairs.nr; i++)
		if (profile->pairs.data[i].waker != PROFILE_NONE)
			settle(profile, &profile->records.data[profile->pairs.data[i].waker]);
}
