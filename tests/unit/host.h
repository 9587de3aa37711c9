/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a test asks of the machine that it runs on. */
#pragma once

#include <stdbool.h>

/* Whether the side-band of all processes may be read here: the kernel is asked, and what it refuses is printed. */
bool may_watch_the_host(void);
