/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a thread waits for, by the names of its kernel functions. The first frame of a row of `dump` is the thread's state, to which the
 * reason is added: "[S futex]".
 */
#pragma once

#include "core/profile/profile.h"

/* The `where` of the frame of the state (FRAME_TEXT), before its reason is added. */
#define WAIT_STATE_PLACE(letter) (1ULL << 32 | (uint64_t)(uint8_t)(letter))

/* Whether the record is of a thread at a moment, not of an event. */
bool wait_has_state(const struct profile *profile, const struct profile_record *record);

/* Adds the reasons to the records that have a state. Call it after symbolization. A second call changes nothing. */
void wait_reasons_settle(struct profile *profile);
