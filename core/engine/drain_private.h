/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of draining. */
#pragma once

#include "core/engine/drain.h"

/* Adds a row for each thread that is still off the CPU, marked as WAKER_UNFINISHED. 0 or a recorded failure. */
int drain_unfinished(struct session *session, const struct drain_target *target);

/* Adds a row for each name of which events came since the last call. 0 or a recorded failure. */
int drain_tallies(struct session *session, const struct drain_target *target);
