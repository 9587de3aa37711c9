/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames for addresses of data, such as locks: a place in a file whose symbol names it, or a text like "[heap]+0x2a0".
 *
 * Unlike code, data is looked up in /proc/PID/maps alone, which is read again if no known mapping of the process covers the address, but
 * not more often than every 100 ms.
 */
#pragma once

#include "core/profile/profile.h"
#include "core/spaces/spaces.h"

struct data_places;

struct data_places *data_places_new(void);
void data_places_free(struct data_places *places);

/*
 * The frame of an address of the record's process. The symbolizer must have been started with `data`, which lays the data of a file out
 * as its program headers do: from its code on, at the same distances as in memory.
 */
uint32_t data_places_frame(struct data_places *places, struct spaces *spaces, struct profile *profile,
			   const struct profile_record *record, uint64_t address);

/* Puts texts in place of frames that the symbolizer has not found in the data of their file. Call it after symbolization. */
void data_places_settle(const struct data_places *places, struct profile *profile);
