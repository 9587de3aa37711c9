/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wakers in interrupts. The stack of an interrupt continues into the stack of the task that it interrupted, which is not the waker. */
#pragma once

#include "core/profile/profile.h"

/*
 * Removes the frames, name and ids of the interrupted task from the record of each waker in an interrupt. If the kernel does not report the
 * context (host_tells_interrupts()), the names in the stack decide. Call it after symbolization. A second call changes nothing.
 */
void settle_contexts(struct profile *profile);
