/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system calls of the tracepoints in the category "syscalls". */
#pragma once

#include <stdbool.h>

#include "core/plan/plan.h"
#include "core/resolve/attach_plan.h"

struct system_call {
	int number;   /* on this machine */
	bool is_exit; /* its end, not its entry */
};

/* Parses "sys_enter_NAME" or "sys_exit_NAME". False: it is another event, or the call is not known. */
bool system_call_of_event(const char *event, struct system_call *ret_call);

/*
 * Chooses MECHANISM_SYSTEM_CALLS if all events are entries and ends of system calls, because their classic tracepoints have no
 * kernel stacks before 6.12: they pass the user's registers. If there are other events too, all stay classic, and a note names the
 * missing stacks.
 */
void system_calls_prefer_raw(const struct plan *plan, struct attach_plan *attach);
