/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The limit of open files. */
#pragma once

#include <stdint.h>

/*
 * Makes room for so many descriptors beyond the limit of now, and 1,024 in any case: that is what shells give, while a
 * run may need some for each probe and each target. What the kernel does not give is refused where it is opened.
 */
void descriptors_allow(uint64_t nr_more);

/* The largest limit that descriptors_allow() wanted: what a user has to allow, at least. */
uint64_t descriptors_wanted(void);

/* In a child that becomes another program: the limit as it was before the first descriptors_allow(). */
void descriptors_restore(void);
