/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The limit of open files (RLIMIT_NOFILE). */
#pragma once

#include <stdint.h>

/*
 * Raises the limit by `nr_more`, from 1,024 at least, because a run may need descriptors for each probe and each target. If the
 * kernel does not allow that, opening them fails later.
 */
void descriptors_allow(uint64_t nr_more);

/* The largest limit that descriptors_allow() has requested; a user must allow at least that. */
uint64_t descriptors_wanted(void);

/* For a child that executes another program: restores the limit from before the first descriptors_allow(). */
void descriptors_restore(void);
