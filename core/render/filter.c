/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/render/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/match.h"

static void matchp(struct match **match)
{
	match_free(*match);
}

static int compile(const char *option, const char *pattern, struct match **ret_match)
{
	char error[256];
	int err = pattern ? match_new(pattern, ret_match, error, sizeof(error)) : 0;

	if (err == -EINVAL)
		return fail_usage("argument %s: '%s': %s", option, pattern, error);
	return err ? fail(err, "argument %s: '%s': %s", option, pattern, strerror(-err)) : 0;
}

static bool test(const struct match *match, const struct profile *profile, uint32_t string)
{
	const char *text = profile_string(profile, string);

	return match_test(match, text, strlen(text));
}

/* Which frames an expression means; NULL without one. */
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

static bool has_frame(const struct profile *profile, const struct profile_record *record, const bool *frames)
{
	size_t end = (size_t)record->first + record->nr_kernel + record->nr_user;

	for (size_t at = record->first; at < end; at++)
		if (frames[profile->stack_frames.data[at]])
			return true;
	return false;
}

static bool has_pid(const struct filter *filter, uint32_t tgid)
{
	for (size_t i = 0; i < filter->nr_tgids; i++)
		if (filter->tgids[i] == tgid)
			return true;
	return !filter->nr_tgids;
}

int filter_apply(const struct filter *filter, struct profile *profile)
{
	_cleanup_(matchp) struct match *include = NULL, *exclude = NULL, *comm = NULL;
	_cleanup_(freep) bool *wanted = NULL;
	_cleanup_(freep) bool *unwanted = NULL;
	int err = compile("--include", filter->include, &include);

	if (!err)
		err = compile("--exclude", filter->exclude, &exclude);
	if (!err)
		err = compile("--comm", filter->comm, &comm);
	if (err || (!include && !exclude && !comm && !filter->nr_tgids))
		return err;
	wanted = matching_frames(profile, include);
	unwanted = matching_frames(profile, exclude);
	for (size_t i = 0; i < profile->intervals.nr; i++) {
		struct profile_interval *interval = &profile->intervals.data[i];
		size_t nr = 0;

		for (size_t j = 0; j < interval->rows.nr; j++) {
			const struct profile_row *row = &interval->rows.data[j];
			const struct profile_record *record = &profile->records.data[row->record];

			if ((wanted && !has_frame(profile, record, wanted)) ||
			    (unwanted && has_frame(profile, record, unwanted)) || !has_pid(filter, record->tgid) ||
			    (comm && !test(comm, profile, record->comm)))
				continue;
			interval->rows.data[nr++] = *row;
		}
		interval->rows.nr = nr;
		hashidx_done(&interval->row_index); /* its positions are the old ones */
	}
	return 0;
}
