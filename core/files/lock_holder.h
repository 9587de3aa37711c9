/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process whose mmap_lock somebody waits for. */
#pragma once

#include <stdint.h>

/*
 * Returns the first process of /proc whose command line cannot be read within 100 ms, because that takes its mmap_lock; 0: there is none,
 * or none that can be seen. Readers also wait while a writer waits, so while an attempt to attach a user probe waits, the process that it
 * waits for is found.
 */
uint32_t lock_holder_find(void);
