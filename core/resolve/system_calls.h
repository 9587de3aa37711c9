/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls in the tracepoint category "syscalls". */
#pragma once

#include <stdbool.h>

#include "core/plan/plan.h"
#include "core/resolve/attach_plan.h"

struct system_call {
	int number;   /* on this machine */
	bool is_exit; /* the end of the call, not its entry */
};

/* Parses "sys_enter_NAME" or "sys_exit_NAME". False: another event, or an unknown call. */
bool system_call_of_event(const char *event, struct system_call *ret_call);

/*
 * Chooses MECHANISM_SYSTEM_CALLS if all events are entries and ends of system calls: before 6.12, their classic tracepoints pass the user's
 * registers, so they have no kernel stacks. If there are other events too, all stay classic, and a note reports the missing stacks.
 */
void system_calls_prefer_raw(const struct plan *plan, struct attach_plan *attach);
