/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the words of a command line to the plan of an applet, as main.c does it. */
#pragma once

#include "core/base/err.h"
#include "core/cli/applet.h"

/* A line of words separated by spaces, parsed and planned in place of what the plan was. What plan() returned. */
int plan_line(const struct applet *applet, const char *line, struct plan *plan);

/* The line is taken. */
void must_plan(const struct applet *applet, const char *line, struct plan *plan);

/* Each of these is taken, as a probe of this kind; lines are separated by "; ". */
void must_plan_each(const struct applet *applet, const struct probe_kind *kind, const char *lines);

/* Each of these is an error of usage. */
void must_refuse_each(const struct applet *applet, const char *lines);

/* What the applet prints first, when one function is attached. */
void expect_header(const struct applet *applet, const char *line, const char *header);

#define PLAN_TEST(name) TEST_WITH(struct plan, plan, name, plan_init, plan_done)
