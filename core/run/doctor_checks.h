/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks what this host can do, with the remedy for each gap: `stacktool doctor`.
 *
 * It uses the same checks as a run (host.h, privilege.h, process.h), so that doctor and a run cannot disagree. Some
 * abilities are tried, and the trial is removed before the answer. Nothing is changed. What cannot be checked without
 * privileges is "unknown".
 */
#pragma once

#include <stdbool.h>

#include "core/base/vec.h"

enum ability_state {
	ABILITY_YES,
	ABILITY_PARTLY,  /* present, but limited */
	ABILITY_NO,
	ABILITY_UNKNOWN, /* cannot be checked, at least not with the privileges of this process */
};

struct ability {
	const char *id;       /* stable: "kprobe.multi" */
	const char *name;     /* "kprobe.multi links" */
	const char *concerns; /* what does not work without it: "count FUNCTION, …" */
	bool essential;       /* without it nothing can be collected */
	enum ability_state state;
	char *finding;        /* what was found */
	char *remedy;         /* the remedy; NULL for ABILITY_YES only */
};

typedef VEC(struct ability) ability_list;

/* Checks everything, or only this ability and the capabilities. The order is that of the report. `remedy` is NULL if none is needed. */
void doctor_examine(const char *only, ability_list *ret_abilities);
void ability_list_done(ability_list *abilities);

/* The first essential ability that is certainly missing; NULL: something can be collected here. */
const struct ability *doctor_obstacle(const ability_list *abilities);

/* "yes", "partly", "no", "unknown" */
const char *ability_state_name(enum ability_state state);
