/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Below a stack, how long its intervals were: the shortest, the mean, the longest, and bcc's histogram of powers of two. */
#include <inttypes.h>

#include "core/render/rows.h"

#define STARS 40
#define NARROW_POWERS 32 /* bcc's columns are wider for histograms that reach beyond; the stars are half as many then */

static unsigned int nr_stars(uint64_t count, uint64_t most, unsigned int width)
{
	if (most > UINT64_MAX / STARS)
		return (unsigned int)((count / STARS) * width / (most / STARS));
	return (unsigned int)(count * width / most);
}

static void add_bar(struct sheet *sheet, unsigned int nr, unsigned int width)
{
	buf_addc(&sheet->out.text, '|');
	for (unsigned int i = 0; i < width; i++)
		buf_addc(&sheet->out.text, i < nr ? '*' : ' ');
	buf_adds(&sheet->out.text, "|\n");
}

/* From the first power that has any on. */
static void add_histogram(struct sheet *sheet, const uint64_t *powers)
{
	unsigned int first = DURATION_POWERS, last = 0, width, columns;
	uint64_t most = 0;

	for (unsigned int i = 0; i < DURATION_POWERS; i++) {
		if (!powers[i])
			continue;
		first = first < i ? first : i;
		last = i;
		most = powers[i] > most ? powers[i] : most;
	}
	width = last < NARROW_POWERS ? STARS : STARS / 2;
	columns = last < NARROW_POWERS ? 10 : 20;
	buf_addf(&sheet->out.text,
		 last < NARROW_POWERS ? "     %-19s : count     distribution\n"
				      : "               %-29s : count     distribution\n",
		 "usecs");
	for (unsigned int i = first; i <= last; i++) {
		struct duration_range range = duration_power(i);

		buf_addf(&sheet->out.text, "%*" PRIu64 " -> %-*" PRIu64 " : %-8" PRIu64 " ", (int)columns,
			 range.first_us, (int)columns, range.last_us, powers[i]);
		add_bar(sheet, nr_stars(powers[i], most, width), width);
	}
}

static void add_range(struct sheet *sheet, const char *what, struct duration_range range)
{
	buf_addf(&sheet->out.text, "%s %" PRIu64, what, range.first_us);
	if (range.last_us != range.first_us)
		buf_addf(&sheet->out.text, "-%" PRIu64, range.last_us);
}

static void add_durations(struct sheet *sheet, const struct durations *durations)
{
	if (!durations->nr)
		return;
	buf_addf(&sheet->out.text, "        %" PRIu64 " interval%s:", durations->nr, durations->nr == 1 ? "" : "s");
	add_range(sheet, " shortest", durations_shortest(durations));
	buf_addf(&sheet->out.text, ", mean %" PRIu64 ",", durations->sum_ns / durations->nr / 1000);
	add_range(sheet, " longest", durations_longest(durations));
	buf_addc(&sheet->out.text, '\n');
	add_histogram(sheet, durations->powers);
}

void text_durations(struct sheet *sheet, const struct merged_row *row)
{
	if (sheet->durations)
		add_durations(sheet, &sheet->durations[row->durations]);
}

/* Rows that --top or --min-count leaves out are in it. */
void text_all_durations(struct sheet *sheet, const struct profile_interval *interval)
{
	struct durations all = {};

	for (size_t i = 0; i < interval->rows.nr; i++)
		durations_add(&all, interval->rows.data[i].count, interval->rows.data[i].sum);
	if (!all.nr || sheet->profile->presentation.quiet)
		return;
	buf_addf(&sheet->out.text, "    all stacks\n        %" PRIu64 "\n", all.sum_ns / 1000);
	add_durations(sheet, &all);
	buf_addc(&sheet->out.text, '\n');
}
