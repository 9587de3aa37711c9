/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting for a child that attaches or removes user probes (core/host/probe_call.h), until it waits itself for a lock that another process
 * holds, or the user does not want to wait.
 */
#pragma once

#include <stdbool.h>

#include "core/host/probe_call.h"

struct probe_wait {
	unsigned int suspect; /* the process that was found last; 0: none */
	int waited_ms; /* without progress */
	char why[200]; /* once it is stuck: for whom it waits */
};

/* Waits for 50 ms at most. Whether the child has ended. */
bool probe_wait_step(struct probe_wait *wait, struct probe_call *call);

/*
 * After a step: whether to wait no longer. A process that holds the lock is named after a second or two; without one it takes 30 s. If the user does
 * not want to wait, 0.3 s and a second.
 */
bool probe_wait_is_stuck(struct probe_wait *wait);
