/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a look-up says of a range of places, as one text. */
#pragma once

#include <stdint.h>

/* The name of a place, "" for none; valid until the next call. */
typedef const char *name_of_place(void *context, uint64_t place);

/*
 * Each of the places from `first` to `last` is looked up. "100-11f first, 200-21f second": these places, hexadecimal and
 * inclusive, have these names, and all others have none.
 */
void expect_extents(name_of_place *name_of, void *context, uint64_t first, uint64_t last, const char *expected);
