/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system calls behind the tracepoints of the category "syscalls". */
#pragma once

#include <stdbool.h>

struct system_call {
	int number;   /* of this machine's calls */
	bool is_exit; /* its end, not its beginning */
};

/* Takes "sys_enter_NAME" or "sys_exit_NAME" apart. false when it is no such event, or the call is not known here. */
bool system_call_of_event(const char *event, struct system_call *ret_call);
