/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls by their lengths, for bcc.c. */
#pragma once

#include "tests/golden/hand_made.h"

static const struct place lengths_read = { .address = 10, .name = "vfs_read", .module = "kernel", .kernel = true };
static const struct place lengths_rename = { .address = 11, .name = "vfs_rename", .module = "kernel", .kernel = true };

/* bcc's own example of -F; a row is the calls of one class of lengths, with the least sum but in the last one, so that the total is bcc's. */
#define CALLS(id, where, nr, us)                                           \
	{ id,                                                              \
	  NULL,                                                            \
	  0,                                                               \
	  PROGRAM_KPROBE,                                                  \
	  { STACK_OK, ((const struct place *const[]){ &(where), NULL }) }, \
	  .count = nr,                                                     \
	  .sum = (nr) * (us) * 1000ULL }

static const struct event funclatency_events[] = {
	CALLS(1, lengths_read, 1044, 0),    CALLS(2, lengths_read, 383, 2),
	CALLS(3, lengths_read, 76, 4),      CALLS(4, lengths_read, 41, 8),
	CALLS(5, lengths_read, 26, 16),     CALLS(6, lengths_read, 1, 64),
	CALLS(7, lengths_read, 4, 2048),    CALLS(8, lengths_read, 2, 4096),
	CALLS(9, lengths_read, 2, 32768),   CALLS(10, lengths_read, 5, 65536),
	CALLS(11, lengths_read, 5, 131072), CALLS(12, lengths_read, 3, 262144),
	CALLS(13, lengths_read, 6, 919004), CALLS(14, lengths_read, 1, 919023),
	CALLS(15, lengths_rename, 2, 0),    CALLS(16, lengths_rename, 2, 2),
	CALLS(17, lengths_rename, 2, 4),    CALLS(18, lengths_rename, 6, 16),
	CALLS(19, lengths_rename, 18, 32),  {},
};
