/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system calls behind the tracepoints of the category "syscalls". */
#pragma once

#include <stdbool.h>

#include "core/plan/plan.h"
#include "core/resolve/attach_plan.h"

struct system_call {
	int number;   /* of this machine's calls */
	bool is_exit; /* its end, not its beginning */
};

/* Takes "sys_enter_NAME" or "sys_exit_NAME" apart. false when it is no such event, or the call is not known here. */
bool system_call_of_event(const char *event, struct system_call *ret_call);

/*
 * Takes the raw tracepoints when all events are beginnings and ends of system calls: the classic ones pass the user's registers
 * before 6.12, so that there is no kernel stack. Anything else among the events keeps all of them classic, and a note may say
 * what that costs.
 */
void system_calls_prefer_raw(const struct plan *plan, struct attach_plan *attach);
