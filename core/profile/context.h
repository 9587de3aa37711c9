/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wakers in interrupts: the stack of an interrupt continues into the stack of the task that it interrupted, which has
 * nothing to do with the interrupt.
 */
#pragma once

#include "core/profile/profile.h"

/*
 * For every waker in an interrupt: removes the frames of the interrupted task from its stack, and the task's name and ids
 * from its record. If the kernel does not report the context (host_tells_interrupts()), the names in the stack decide. Call it
 * after symbolization. A second call changes nothing.
 */
void settle_contexts(struct profile *profile);
