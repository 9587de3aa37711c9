/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where user functions end, for probes that time calls. */
#pragma once

#include "core/resolve/file_search.h"

/*
 * EVENTS_BY_LENGTH: adds the ends of each function to the attach plan, after the places where they begin. A function whose ends are not
 * all known, or cannot all be probed, is left out, with a note; none is left: a failure. 0 or a recorded failure.
 */
int call_ends_add(struct file_search *search);
