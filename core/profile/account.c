/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The identities of a run, checked by the program itself:
 *
 *   seen    = filtered + recorded + spilled + events lost inside our programs
 *   counted = recorded + spilled - events in a map that could not be read   (or less, if messages were malformed)
 *
 * Events that the kernel did not pass to a program are in no identity.
 */
#include "core/profile/profile.h"

#include <inttypes.h>

#include "core/base/cleanup.h"

#define ERROR_PREFIX "ERROR: accounting does not add up: "

void profile_count_lost_stacks(const struct profile *profile, struct profile_interval *interval)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < interval->rows.nr; i++) {
		uint32_t parts[2];
		size_t nr = profile_parts(profile, interval->rows.data[i].record, parts);

		if (profile->records.data[parts[0]].stack_lost || profile->records.data[parts[nr - 1]].stack_lost)
			lost += interval->rows.data[i].count;
	}
	interval->losses[ST_LOSS_STACK_LOST] = lost;
}

static void count_shown(const struct profile *profile, const struct profile_record *record, uint64_t count,
			uint64_t *losses)
{
	if (profile->view.want_kernel && record->kernel_status == STACK_UNREADABLE)
		losses[ST_LOSS_KERNEL_STACK] += count;
	if (profile->view.want_kernel && record->kernel_status == STACK_TRUNCATED)
		losses[ST_LOSS_KERNEL_TRUNCATED] += count;
	if (record->user_status == STACK_UNREADABLE)
		losses[ST_LOSS_USER_STACK] += count;
	if (record->user_status == STACK_TRUNCATED && record->user_loss != 1 + ST_LOSS_USER_DEEP)
		losses[ST_LOSS_USER_TRUNCATED] += count;
	else if (record->user_loss)
		losses[record->user_loss - 1] += count;
}

void profile_count_shown_stacks(const struct profile *profile, struct profile_interval *interval)
{
	uint64_t *losses = interval->losses;

	if (!view_shows_time(&profile->view) && profile->view.style != VIEW_DUMP)
		return;
	losses[ST_LOSS_KERNEL_STACK] = losses[ST_LOSS_KERNEL_TRUNCATED] = losses[ST_LOSS_USER_STACK] = 0;
	for (size_t i = ST_LOSS_USER_ROOT; i <= ST_LOSS_USER_EXEC; i++)
		losses[i] = 0;
	for (size_t i = 0; i < interval->rows.nr; i++) {
		const struct profile_row *row = &interval->rows.data[i];
		uint32_t parts[2];
		size_t nr = profile_parts(profile, row->record, parts);

		for (size_t part = 0; part < nr; part++)
			count_shown(profile, &profile->records.data[parts[part]], row->count, losses);
	}
}

static bool is_known(uint64_t number)
{
	return number != UINT64_MAX;
}

static uint64_t lost_in_programs(const struct profile_interval *interval)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < ST_NR_KERNEL_LOSSES; i++)
		if (profile_losses[i].class == LOSS_EVENT)
			lost += interval->losses[i];
	return lost;
}

static unsigned int check_seen(const struct profile_interval *interval, struct buf *lines)
{
	const struct profile_account *account = &interval->account;
	uint64_t lost = lost_in_programs(interval);
	uint64_t found = account->filtered + account->recorded + account->spilled + lost;

	if (!is_known(account->seen) || !is_known(account->filtered) || !is_known(account->recorded) ||
	    !is_known(account->spilled) || account->seen == found)
		return 0;
	buf_addf(lines,
		 ERROR_PREFIX "%" PRIu64 " events seen, but %" PRIu64 " filtered + %" PRIu64 " recorded + %" PRIu64
			      " spilled + %" PRIu64 " lost = %" PRIu64 "\n",
		 account->seen, account->filtered, account->recorded, account->spilled, lost, found);
	return 1;
}

static unsigned int check_counted(const struct profile_interval *interval, struct buf *lines)
{
	const struct profile_account *account = &interval->account;
	uint64_t found = account->recorded + account->spilled - interval->losses[ST_LOSS_DRAIN_FAILED];

	if (!is_known(account->counted) || !is_known(account->recorded) || !is_known(account->spilled) ||
	    account->counted == found)
		return 0;
	/* the number of events in a malformed message is unknown */
	if (account->counted < found && interval->losses[ST_LOSS_BAD_MESSAGE])
		return 0;
	buf_addf(lines,
		 ERROR_PREFIX "%" PRIu64 " events were counted, but %" PRIu64 " recorded + %" PRIu64
			      " spilled are %" PRIu64 "\n",
		 account->counted, account->recorded, account->spilled, found);
	return 1;
}

unsigned int profile_check(const struct profile_interval *interval, struct buf *ret_lines)
{
	return check_seen(interval, ret_lines) + check_counted(interval, ret_lines);
}

bool profile_is_exact(const struct profile_interval *interval)
{
	_cleanup_(buf_done) struct buf lines = {};

	return !profile_check(interval, &lines) && !profile_lost(interval);
}

const char *profile_sample_loss(size_t loss)
{
	switch (loss) {
	case ST_LOSS_SAMPLE_LATE:
		return "late";
	case ST_LOSS_SAMPLE_SKIPPED:
		return "skipped";
	case ST_LOSS_SAMPLE_IDLE:
		return "on idle CPUs";
	default:
		return NULL;
	}
}

bool profile_sample_account(const struct profile_interval *interval, struct sample_account *ret_account)
{
	const struct profile_account *account = &interval->account;
	struct sample_account samples = { .expected = account->expected, .taken = account->taken };
	uint64_t rounding = account->expected / 100;

	if (!account->expected || !is_known(account->expected) || !is_known(account->taken))
		return false;
	for (size_t i = 0; i < ST_NR_LOSSES; i++)
		if (profile_sample_loss(i))
			samples.lost += interval->losses[i];
	if (rounding < account->nr_cpus)
		rounding = account->nr_cpus;
	samples.unexplained = (int64_t)(samples.expected - samples.taken - samples.lost);
	if (samples.unexplained <= (int64_t)rounding && samples.unexplained >= -(int64_t)rounding)
		samples.unexplained = 0;
	*ret_account = samples;
	return true;
}
