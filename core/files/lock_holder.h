/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the process whose mmap_lock others wait for. */
#pragma once

#include <stdint.h>

/*
 * Returns the first process whose /proc/PID/cmdline cannot be read within 100 ms, because reading takes the process's mmap_lock; 0: none
 * found. Readers also wait if a writer waits, so this finds the process that blocks an attachment of a user probe.
 */
uint32_t lock_holder_find(void);
