/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for a child that attaches or removes user probes, until it ends, is stuck at another process's lock, or the user stops the wait. */
#pragma once

#include <stdbool.h>

#include "core/host/probe_call.h"

struct probe_wait {
	unsigned int suspect; /* the process found last; 0: none */
	int waited_ms; /* without progress */
	char why[200]; /* once stuck: for what it waits */
};

/* Waits for at most 50 ms. Returns whether the child has ended. */
bool probe_wait_step(struct probe_wait *wait, struct probe_call *call);

/*
 * Call after a step: whether to stop waiting. A process that holds the lock is found after a second or two. If none is found, this waits 30
 * s. If the user does not want to wait: 0.3 s and one second.
 */
bool probe_wait_is_stuck(struct probe_wait *wait);
