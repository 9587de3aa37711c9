/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the words of a command line to the plan of an applet, as main.c does it. */
#pragma once

#include "core/base/err.h"
#include "core/cli/applet.h"

/* A line of words separated by spaces, parsed and planned. What plan() returned; the plan is to be released anyway. */
int plan_line(const struct applet *applet, const char *line, struct plan *plan);

/* The line is taken. */
void must_plan(const struct applet *applet, const char *line, struct plan *plan);

/* It is not, with an error of this kind. */
void must_refuse(const struct applet *applet, const char *line, enum err_kind kind);

/* What the applet prints first, when one function is attached. */
void expect_header(const struct applet *applet, const char *line, const char *header);
