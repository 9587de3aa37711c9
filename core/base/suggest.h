/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "Did you mean": the distance between two words, and the candidate to suggest.
 *
 * The distance counts insertions, deletions and replacements of letters, and swaps of neighbours, the most common typing error ("mlaloc").
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Longer words are STR_TOO_FAR apart unless they are equal. */
#define STR_DISTANCE_MAX_LENGTH 127
#define STR_TOO_FAR 1000u

/* Number of edits between two words; case matters. */
unsigned int str_distance(const char *a, const char *b);

/* Whether `distance` edits in `word` look like a typing error: one edit for up to five letters, then one per three. */
bool str_is_near(const char *word, unsigned int distance);

/*
 * The shortest candidate that contains all words of `text`, at least two, separated by '_', ':' or '*' ("sched_fork": sched_process_fork);
 * or NULL.
 */
const char *str_with_words(const char *text, const char *const *candidates, size_t nr);

/* The candidate nearest to `word` (the first of several), or NULL if none is near enough. */
const char *str_nearest(const char *word, const char *const *candidates, size_t nr);
