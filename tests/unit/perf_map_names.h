/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tests of perf maps and of jitdumps ask of both. */
#pragma once

#include <stdint.h>

#include "symbolize/jit/perf_map.h"

/* The name at an address, or "". text: NAME_MAX_BYTES + 1 bytes, to hold it; returned. */
const char *perf_map_text_at(const struct perf_map *map, uint64_t address, char *text);
