/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/suggest.h"

#include <string.h>

#define ROW (STR_DISTANCE_MAX_LENGTH + 1)

static unsigned int least(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int smaller = a < b ? a : b;

	return smaller < c ? smaller : c;
}

/* Fills `row` for the first `i` letters of `a` from the rows for i - 1 (`above`) and i - 2 letters (`above2`). */
static void fill_row(const char *a, const char *b, size_t nr_b, size_t i, unsigned int *row, const unsigned int *above,
		     const unsigned int *above2)
{
	row[0] = (unsigned int)i;
	for (size_t j = 1; j <= nr_b; j++) {
		unsigned int replaced = above[j - 1] + (a[i - 1] != b[j - 1]);

		row[j] = least(above[j] + 1, row[j - 1] + 1, replaced);
		if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && above2[j - 2] + 1 < row[j])
			row[j] = above2[j - 2] + 1;
	}
}

unsigned int str_distance(const char *a, const char *b)
{
	size_t nr_a = strlen(a), nr_b = strlen(b);
	unsigned int rows[3][ROW];

	if (!strcmp(a, b))
		return 0;
	if (nr_a >= ROW || nr_b >= ROW)
		return STR_TOO_FAR;
	for (size_t j = 0; j <= nr_b; j++)
		rows[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= nr_a; i++)
		fill_row(a, b, nr_b, i, rows[i % 3], rows[(i + 2) % 3], rows[(i + 1) % 3]);
	return rows[nr_a % 3][nr_b];
}

bool str_is_near(const char *word, unsigned int distance)
{
	size_t length = strlen(word);

	return distance <= (length < 6 ? 1 : length / 3);
}

/* Whether the candidate contains all words of `text`, separated by '_', ':' or '*', and there are at least two. */
static bool has_all_words(const char *candidate, const char *text)
{
	char word[STR_DISTANCE_MAX_LENGTH];
	size_t nr_words = 0;

	for (;; nr_words++) {
		size_t length;

		text += strspn(text, "_:*");
		length = strcspn(text, "_:*");
		if (!length)
			return nr_words > 1;
		if (length >= sizeof(word))
			return false;
		memcpy(word, text, length);
		word[length] = '\0';
		if (!strstr(candidate, word))
			return false;
		text += length;
	}
}

const char *str_with_words(const char *text, const char *const *candidates, size_t nr)
{
	const char *shortest = NULL;

	for (size_t i = 0; i < nr; i++)
		if (has_all_words(candidates[i], text) && (!shortest || strlen(candidates[i]) < strlen(shortest)))
			shortest = candidates[i];
	return shortest;
}

const char *str_nearest(const char *word, const char *const *candidates, size_t nr)
{
	unsigned int best = STR_TOO_FAR;
	const char *nearest = NULL;

	for (size_t i = 0; i < nr; i++) {
		unsigned int distance = str_distance(word, candidates[i]);

		if (distance < best) {
			best = distance;
			nearest = candidates[i];
		}
	}
	return best < strlen(word) && str_is_near(word, best) ? nearest : NULL;
}
