/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>

/*
 * Raises the limit of open files (RLIMIT_NOFILE) by `nr_more`, starting from at least 1,024. A run may need descriptors for each probe and
 * target. If the kernel refuses, opening files fails later.
 */
void descriptors_allow(uint64_t nr_more);

/* The largest limit that descriptors_allow() has requested. */
uint64_t descriptors_wanted(void);

/* For a child that executes another program: restores the limit from before the first descriptors_allow(). */
void descriptors_restore(void);
