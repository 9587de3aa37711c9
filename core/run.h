/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of a run of a collecting applet: plan, resolve, load, attach, collect, drain, symbolize, render. */
#pragma once

#include <stdbool.h>

struct applet;
struct plan;

struct run_result {
	bool lost; /* --strict and something was lost: exit status 4 */
};

/* Carries out a plan. 0, or a negative errno with a recorded cause. Reports go to stdout, notes to stderr. */
int run_plan(const struct applet *applet, const struct plan *plan, struct run_result *ret_result);
