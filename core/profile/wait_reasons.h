/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a thread waits for, by the names of its innermost kernel functions: the first frame of a row of `dump` is its state and, from
 * then on, the reason: "[S futex]".
 */
#pragma once

#include "core/profile/profile.h"

/* The `where` of the frame of a state without a reason; kind FRAME_TEXT. */
#define WAIT_STATE_PLACE(letter) (1ULL << 32 | (uint64_t)(uint8_t)(letter))

/* Whether the record is of a thread as it was found, and not of an event. */
bool wait_has_state(const struct profile *profile, const struct profile_record *record);

/* Puts the reasons into the records that have a state. Call it after symbolization. A second call changes nothing. */
void wait_reasons_settle(struct profile *profile);
