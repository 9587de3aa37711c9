/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "Did you mean": how far two words are apart, and which of several is near enough to be offered.
 *
 * The distance counts single-letter insertions, deletions, replacements and swaps of neighbours, since the last is the
 * commonest slip of a keyboard ("mlaloc").
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Words longer than this are not compared: they are STR_TOO_FAR apart unless they are equal. */
#define STR_DISTANCE_MAX_LENGTH 127
#define STR_TOO_FAR 1000u

/* Edits between the two words, 0 for equal ones; 'A' and 'a' differ. */
unsigned int str_distance(const char *a, const char *b);

/* True when `distance` edits in `word` look like a slip: one edit in up to five letters, then one per three letters. */
bool str_is_near(const char *word, unsigned int distance);

/* The candidate nearest to `word` (the first of equals), or NULL when none is near enough. */
const char *str_nearest(const char *word, const char *const *candidates, size_t nr);
