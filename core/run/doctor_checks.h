/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this host can and cannot do, ability by ability, with the remedy for each gap: `stacktool doctor`.
 *
 * The questions are those that a run asks (host.h, privilege.h, process.h), so that doctor and a run cannot disagree; some
 * are tried out, and the trial is removed before the answer. Nothing is changed. What cannot be asked without
 * privileges is "unknown", never a guess.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/vec.h"

enum ability_state {
	ABILITY_YES,
	ABILITY_PARTLY,  /* there, with less than could be */
	ABILITY_NO,
	ABILITY_UNKNOWN, /* cannot be asked, or not with the privileges of this process */
};

struct ability {
	const char *id;       /* stable: "kprobe.multi" */
	const char *name;     /* "kprobe.multi links" */
	const char *concerns; /* what suffers without it: "count FUNCTION, …" */
	bool essential;       /* without it nothing can be collected */
	enum ability_state state;
	char *finding;        /* what was found */
	char *remedy;         /* what to do; NULL for ABILITY_YES only */
};

typedef VEC(struct ability) ability_list;

/* Asks everything, or besides capabilities only this; the order is that of the report. Entries in need of no remedy have none. */
void doctor_examine(const char *only, ability_list *ret_abilities);
void ability_list_done(ability_list *abilities);

/* The first essential ability that is certainly missing, or NULL: then something can be collected here. */
const struct ability *doctor_obstacle(const ability_list *abilities);

/* "yes", "partly", "no", "unknown" */
const char *ability_state_name(enum ability_state state);
