/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "Did you mean": the distance between two words, and the candidate that is near enough to be suggested.
 *
 * The distance counts insertions, deletions and replacements of single letters, and swaps of neighbours, the most common typing
 * error ("mlaloc").
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Words longer than this are not compared: they are STR_TOO_FAR apart unless they are equal. */
#define STR_DISTANCE_MAX_LENGTH 127
#define STR_TOO_FAR 1000u

/* Edits between the two words, 0 for equal ones; 'A' and 'a' differ. */
unsigned int str_distance(const char *a, const char *b);

/* Whether `distance` edits in `word` look like a typing error: one edit for up to five letters, then one for every three. */
bool str_is_near(const char *word, unsigned int distance);

/*
 * Returns the shortest candidate that contains all words of `text`, which '_' and ':' separate ("sched_fork": sched_process_fork), or
 * NULL. One word alone suggests nothing.
 */
const char *str_with_words(const char *text, const char *const *candidates, size_t nr);

/* Returns the candidate nearest to `word` (the first of several), or NULL if none is near enough or has a letter of it. */
const char *str_nearest(const char *word, const char *const *candidates, size_t nr);
