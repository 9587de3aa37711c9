/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/render/filter.h"

#include <errno.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/match.h"

static bool test(const struct match *match, const struct profile *profile, string_id string)
{
	const char *text = profile_string(profile, string);

	return match_test(match, text, strlen(text));
}

/* For each frame: whether its name matches. NULL without an expression. */
static bool *matching_frames(const struct profile *profile, const struct match *match)
{
	bool *frames;

	if (!match)
		return NULL;
	frames = xcalloc(profile->frames.nr + 1, sizeof(*frames));
	for (size_t i = 0; i < profile->frames.nr; i++)
		frames[i] = profile->frames.data[i].name && test(match, profile, profile->frames.data[i].name);
	return frames;
}

static bool record_has_frame(const struct profile *profile, const struct profile_record *record, const bool *frames)
{
	for (size_t at = record->first; at < record_end(record); at++)
		if (frames[profile->stack_frames.data[at]])
			return true;
	return false;
}

/* Of a pair, one of the two stacks is enough. */
static bool has_frame(const struct profile *profile, uint32_t record, const bool *frames)
{
	uint32_t parts[2];
	size_t nr = profile_parts(profile, record, parts);

	for (size_t i = 0; i < nr; i++)
		if (record_has_frame(profile, &profile->records.data[parts[i]], frames))
			return true;
	return false;
}

static bool has_pid(const struct filter *filter, uint32_t tgid)
{
	for (size_t i = 0; i < filter->tgids.nr; i++)
		if (filter->tgids.data[i] == tgid)
			return true;
	return !filter->tgids.nr;
}

static void drop_intervals(struct profile *profile, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		profile_interval_done(&profile->intervals.data[i]);
	profile->intervals.nr -= nr;
	if (nr)
		memmove(profile->intervals.data, profile->intervals.data + nr,
			profile->intervals.nr * sizeof(*profile->intervals.data));
}

/* Removes whole intervals, with their losses. */
static int apply_since(const struct filter *filter, struct profile *profile, uint64_t *ret_from)
{
	uint64_t start = profile->intervals.nr ? profile->intervals.data[0].start_ns : 0;
	size_t nr = 0;

	*ret_from = 0;
	if (!filter->since_ns)
		return 0;
	if (!profile->view.times && profile->intervals.nr < 2)
		return fail(-ENODATA, "argument --since: this profile has neither times nor intervals");
	if (__builtin_add_overflow(start, filter->since_ns, ret_from))
		*ret_from = UINT64_MAX;
	while (nr < profile->intervals.nr && profile->intervals.data[nr].end_ns < *ret_from)
		nr++;
	drop_intervals(profile, nr);
	return 0;
}

static int require_tgids(const struct filter *filter, const struct profile *profile)
{
	if (!filter->tgids.nr || !profile->records.nr)
		return 0;
	for (size_t i = 0; i < profile->records.nr; i++)
		if (profile->records.data[i].tgid)
			return 0;
	return fail(-ENODATA, "argument -p/--pid: this profile has no process ids");
}

struct chosen {
	const struct filter *filter;
	const struct match *comm;
	const bool *wanted, *unwanted; /* frames */
	uint64_t from_ns;
};

static bool is_chosen(const struct chosen *chosen, const struct profile *profile, const struct profile_row *row)
{
	const struct profile_record *record;
	uint32_t parts[2];

	if (view_row_is_of_calls(&profile->view, &profile->records.data[row->record]))
		return true;
	profile_parts(profile, row->record, parts);
	record = &profile->records.data[parts[0]]; /* of a pair: the sleeper */
	if (profile->view.times && profile->records.data[row->record].time_ns < chosen->from_ns)
		return false;
	return (!chosen->wanted || has_frame(profile, row->record, chosen->wanted)) &&
	       (!chosen->unwanted || !has_frame(profile, row->record, chosen->unwanted)) &&
	       has_pid(chosen->filter, record->tgid) && (!chosen->comm || test(chosen->comm, profile, record->comm));
}

static void choose_rows(const struct chosen *chosen, const struct profile *profile, struct profile_interval *interval)
{
	size_t nr = 0;

	for (size_t i = 0; i < interval->rows.nr; i++)
		if (is_chosen(chosen, profile, &interval->rows.data[i]))
			interval->rows.data[nr++] = interval->rows.data[i];
	interval->rows.nr = nr;
	hashidx_done(&interval->row_index); /* its indices have changed */
}

int filter_apply(const struct filter *filter, struct profile *profile)
{
	_cleanup_(match_freep) struct match *include = NULL, *exclude = NULL, *comm = NULL;
	_cleanup_(freep) bool *wanted = NULL;
	_cleanup_(freep) bool *unwanted = NULL;
	struct chosen chosen = { .filter = filter };
	int err;

	if (filter->max_depth)
		profile->presentation.max_depth = filter->max_depth;
	err = match_option("--include", filter->include, &include);
	err = err ?: match_option("--exclude", filter->exclude, &exclude);
	err = err ?: match_option("--comm", filter->comm, &comm);
	err = err ?: require_tgids(filter, profile);
	err = err ?: apply_since(filter, profile, &chosen.from_ns);
	if (err || (!include && !exclude && !comm && !filter->tgids.nr && !chosen.from_ns))
		return err;
	chosen.comm = comm;
	chosen.wanted = wanted = matching_frames(profile, include);
	chosen.unwanted = unwanted = matching_frames(profile, exclude);
	for (size_t i = 0; i < profile->intervals.nr; i++)
		choose_rows(&chosen, profile, &profile->intervals.data[i]);
	return 0;
}
