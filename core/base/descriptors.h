/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The limit of open files. */
#pragma once

#include <stdint.h>

/*
 * Makes room for so many descriptors beyond the limit of now, and 1,024 in any case: that is what shells give, while a
 * run may need some for each probe and each target. What the kernel does not give is refused where it is opened.
 */
void descriptors_allow(uint64_t nr_more);
