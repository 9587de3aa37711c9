/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "applets/common.h"
#include "core/resolve/probe_kinds.h"

/* Defaults of struct run_options and of its plan. */
#define OFF_CPU_DEFAULTS .min_us = 1, .max_us = UINT64_MAX
#define OFF_CPU_PLAN_DEFAULTS PLAN_DEFAULTS, .probe.kind = &probe_scheduler

/* Limits of intervals, and the times of reports. */
extern const struct option_spec off_cpu_table[];
/* What is printed, and the duration. Contains operands, so it must be the last entry of an applet's table. */
extern const struct option_spec off_cpu_run_table[];

/* Call it after key_parts is set, instead of stack_plan() and common_plan(). Returns 0 or a usage error. */
_must_check_ int off_cpu_plan(struct run_options *options);

/* Filters by thread, and by its state when it leaves the CPU. */
extern const struct option_spec sleeper_table[];
