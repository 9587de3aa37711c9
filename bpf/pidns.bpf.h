/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pid namespaces of the current task: what the programs see of it. The way there is bpf/pidns.bpf.c. */
#pragma once

#include "bpf/maps.bpf.h"

/*
 * Whether the current task lives in the pid namespace of st_config.filter_pidns, or in one below it; 1 without such a
 * filter. A global function, so that the verifier looks at it once.
 */
int st_in_pid_namespace(void);
