/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks what this host can do, with the remedy for each gap: `stacktool doctor`. It uses the functions that a run uses (host.h,
 * privilege.h, process.h), so both agree. Some abilities are tried; the trial is removed before the answer, so nothing stays changed. What
 * cannot be checked without privileges is "unknown".
 */
#pragma once

#include <stdbool.h>

#include "core/base/vec.h"

enum ability_state {
	ABILITY_YES,
	ABILITY_PARTLY,  /* present, but limited */
	ABILITY_NO,
	ABILITY_UNKNOWN, /* cannot be checked, perhaps for lack of privileges */
};

struct ability {
	const char *id;       /* stable: "kprobe.multi" */
	const char *name;     /* "kprobe.multi links" */
	const char *concerns; /* what does not work without it: "count FUNCTION, …" */
	bool essential; /* nothing can be collected without it */
	enum ability_state state;
	char *finding;
	char *remedy; /* NULL for ABILITY_YES */
};

typedef VEC(struct ability) ability_list;

/* Checks everything, or only the ability `only` (NULL: all) and the capabilities. In the order of the report. */
void doctor_examine(const char *only, ability_list *ret_abilities);
void ability_list_done(ability_list *abilities);

/* The first essential ability that is missing; NULL: none. */
const struct ability *doctor_obstacle(const ability_list *abilities);

/* "yes", "partly", "no", "unknown" */
const char *ability_state_name(enum ability_state state);
