/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/resolve/file_search.h"

/*
 * EVENTS_BY_LENGTH: finds where user functions end, and adds these places to the attach plan, after the places where the functions begin. A
 * function is left out, with a note, if not all of its ends are known and can be probed. 0, or a recorded failure, also if no function is
 * left.
 */
int call_ends_add(struct file_search *search);
