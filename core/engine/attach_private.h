/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What attach.c and attach_kernel.c share. */
#pragma once

#include "core/engine/session_private.h"

/* The link belongs to the session from now on; it stands for `nr_points` places. */
void attach_keep(struct session *session, struct bpf_link *link, size_t nr_points);

/* One place of many was refused: counted, and told at the end of attaching. */
void attach_refused(struct session *session, const struct attach_point *point, int err);

/* Records why nothing could be attached and returns the code. */
int attach_failed(const struct attach_point *point, int err);

int attach_kernel_functions(struct session *session, const struct attach_plan *attach);
