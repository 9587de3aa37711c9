/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wakers in interrupts: the stack of an interrupt goes on into the task that it hit, which has nothing to do with what
 * the interrupt does.
 */
#pragma once

#include "core/profile/profile.h"

/*
 * For every waker: cuts what is below the interrupt off its stack, and where the kernel could not tell the context
 * (host_tells_interrupts()), tells it by the names in the stack and takes the task's name away. After naming; calling
 * it again changes nothing more.
 */
void settle_contexts(struct profile *profile);
