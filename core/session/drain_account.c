/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accounts for the events of an interval: the statistics of the programs, the expected timed samples, and misses. */
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/session/drain_private.h"
#include "core/session/sample_shares.h"

/* The statistics of a generation since the last call. Zeros if they cannot be read. */
static struct st_stats new_stats(struct drain *drain, uint32_t generation)
{
	struct st_stats sum, fresh;
	const uint64_t *now = (const uint64_t *)&sum, *before = (const uint64_t *)&drain->reported[generation];
	uint64_t *difference = (uint64_t *)&fresh;

	if (!loaded_sum_stats(drain->loaded, generation, &sum))
		return sum;
	for (size_t i = 0; i < sizeof(sum) / sizeof(*now); i++)
		difference[i] = now[i] - before[i];
	drain->reported[generation] = sum;
	return fresh;
}

struct sample_clock drain_read_sample_clock(const struct drain *drain)
{
	struct sampling *sampling = attachment_sampling(drain->attachment);

	if (!sampling)
		return (struct sample_clock){};
	return (struct sample_clock){
		.counter = sampling_counter(sampling),
		.idle_ns = sampling_idle_ns(sampling),
	};
}

/* The number of samples that the counter of the perf events lets expect since the last call. */
static uint64_t expected_samples(struct drain *drain, const struct st_stats *fresh, uint64_t counter)
{
	uint64_t before = drain->reported_counter;
	uint64_t passed = counter - before;

	drain->reported_counter = counter;
	if (drain->sample_period)
		return counter / drain->sample_period - before / drain->sample_period;
	if (!fresh->seen || !fresh->period_sum)
		return 0;
	return (uint64_t)((double)passed * (double)fresh->seen / (double)fresh->period_sum);
}

static uint64_t expected_on_idle(struct drain *drain, uint64_t idle_ns)
{
	uint64_t before = drain->reported_idle_ns;

	drain->reported_idle_ns = idle_ns;
	return drain->sample_period ? idle_ns / drain->sample_period - before / drain->sample_period : 0;
}

static uint64_t samples_in_idle_step(uint64_t sample_period)
{
	return sample_period ? NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK) / sample_period : 0;
}

void drain_account_samples(struct drain *drain, struct profile_interval *interval, const struct st_stats *fresh,
			   struct sample_clock end)
{
	struct sampling *sampling = attachment_sampling(drain->attachment);
	struct sample_counts counts;
	struct sample_shares shares;

	if (!sampling || !drain->loaded->traits->is_sampled) /* the samples of `wall` are not its only events */
		return;
	/* rounded up to whole milliseconds */
	interval->losses[ST_LOSS_CPU_UNSAMPLED] +=
		(sampling_unsampled_ns(sampling) + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC;
	interval->account.taken += fresh->seen;
	interval->account.nr_cpus = (uint32_t)sampling_nr_cpus(sampling);
	if (!drain->loaded->attach->sample.tells_expected) {
		interval->account.expected = UINT64_MAX;
		return;
	}
	counts = (struct sample_counts){
		.expected = expected_samples(drain, fresh, end.counter),
		.taken = fresh->seen,
		.idle_expected = expected_on_idle(drain, end.idle_ns),
		.idle_taken = fresh->idle,
		.late = fresh->late,
		.nr_cpus = interval->account.nr_cpus,
		.nr_in_idle_step = samples_in_idle_step(drain->sample_period),
	};
	share_missing_samples(&counts, &drain->samples_remainder, &shares);
	interval->account.expected += drain->plan->include_idle ? shares.expected : shares.expected - shares.idle;
	interval->losses[ST_LOSS_SAMPLE_IDLE] += drain->plan->include_idle ? shares.idle : 0;
	interval->losses[ST_LOSS_SAMPLE_LATE] += shares.late;
	interval->losses[ST_LOSS_SAMPLE_SKIPPED] += shares.skipped;
}

static void account_misses(struct drain *drain, struct profile_interval *interval)
{
	struct attachment_misses now, *before = &drain->reported_misses;
	uint64_t *losses = interval->losses;

	attachment_misses(drain->attachment, &now);
	if (now.births > before->births)
		losses[ST_LOSS_CHILD_LOST] += (uint64_t)(now.births - before->births);
	else
		now.births = before->births;
	losses[ST_LOSS_RECURSION] += now.recursion - before->recursion;
	losses[ST_LOSS_LINK_MISSED] += now.in_probe - before->in_probe;
	interval->account.missed = now.are_told ? losses[ST_LOSS_RECURSION] + losses[ST_LOSS_LINK_MISSED] : UINT64_MAX;
	*before = now;
}

/* In whole milliseconds; the next call adds the rest. At least 1 in an interval, so that the loss is reported. */
static void account_dropped_time(struct drain *drain, struct profile_interval *interval)
{
	uint64_t *loss = &interval->losses[ST_LOSS_DETACHED], dropped_ns = attachment_dropped_ns(drain->attachment);
	uint64_t reported_ns = drain->reported_dropped_ms * NSEC_PER_MSEC, ms;

	if (!dropped_ns || dropped_ns < reported_ns)
		return;
	ms = (dropped_ns - reported_ns) / NSEC_PER_MSEC;
	if (!ms && !*loss)
		ms = 1;
	*loss += ms;
	drain->reported_dropped_ms += ms;
}

void drain_account_generation(struct drain *drain, const struct drain_target *target, uint32_t generation,
			      struct st_stats *sum)
{
	struct profile_interval *interval = target->interval;
	struct st_stats fresh = new_stats(drain, generation);

	interval->account.seen += fresh.seen;
	interval->account.filtered += fresh.filtered;
	interval->account.recorded += fresh.recorded;
	interval->account.spilled += fresh.losses[ST_LOSS_SPILLED];
	for (size_t i = 0; i < ST_NR_LOSSES; i++)
		interval->losses[i] += fresh.losses[i];
	interval->losses[ST_LOSS_BAD_MESSAGE] += drain->bad_messages;
	drain->bad_messages = 0;
	interval->losses[ST_LOSS_SIDEBAND] += spaces_lost(target->spaces) - drain->reported_sideband;
	drain->reported_sideband = spaces_lost(target->spaces);
	stats_add(sum, &fresh);
	account_misses(drain, interval);
	account_dropped_time(drain, interval);
}
