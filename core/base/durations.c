/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/durations.h"

static unsigned int highest_bit(uint64_t number)
{
	return 63 - (unsigned int)__builtin_clzll(number | 1);
}

/* log2 of the length in microseconds of the class that begins with this microsecond. */
static unsigned int class_shift(uint64_t us)
{
	return highest_bit(us | 7) - 2;
}

uint64_t duration_class(uint64_t ns)
{
	uint64_t us = ns / 1000;

	return us >> class_shift(us) << class_shift(us);
}

/* Saturates: a saved profile may have any numbers. */
static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static void add_part(struct duration_part *part, const struct duration_part *more)
{
	part->nr = add(part->nr, more->nr);
	part->sum_ns = add(part->sum_ns, more->sum_ns);
	part->joined = part->joined || more->joined;
	part->least_ns = more->least_ns < part->least_ns ? more->least_ns : part->least_ns;
	part->most_ns = more->most_ns > part->most_ns ? more->most_ns : part->most_ns;
}

void durations_add(struct durations *durations, uint64_t nr, uint64_t sum_ns)
{
	struct duration_part part = { .nr = nr, .sum_ns = sum_ns };

	if (!nr)
		return;
	part.least_ns = part.most_ns = sum_ns / nr;
	part.joined = nr > 1;
	part.class_us = duration_class(sum_ns / nr);
	if (!durations->nr || part.class_us < durations->shortest.class_us)
		durations->shortest = part;
	else if (part.class_us == durations->shortest.class_us)
		add_part(&durations->shortest, &part);
	if (!durations->nr || part.class_us > durations->longest.class_us)
		durations->longest = part;
	else if (part.class_us == durations->longest.class_us)
		add_part(&durations->longest, &part);
	durations->powers[highest_bit(part.class_us)] = add(durations->powers[highest_bit(part.class_us)], nr);
	durations->nr = add(durations->nr, nr);
	durations->sum_ns = add(durations->sum_ns, sum_ns);
}

struct duration_range duration_power(unsigned int power)
{
	return (struct duration_range){ power ? 1ULL << power : 0, (2ULL << power) - 1 };
}

static uint64_t first_ns(const struct duration_part *part)
{
	return part->class_us * 1000;
}

static uint64_t last_ns(const struct duration_part *part)
{
	uint64_t behind_us = part->class_us + (1ULL << class_shift(part->class_us)), behind_ns;

	return __builtin_mul_overflow(behind_us, 1000, &behind_ns) ? UINT64_MAX : behind_ns - 1;
}

/* The length of one duration if all others last `other_ns`: the rest of the sum; 0 if the others take more than the sum. */
static uint64_t rest_ns(const struct duration_part *part, uint64_t other_ns)
{
	uint64_t others_ns;

	if (__builtin_mul_overflow(part->nr - 1, other_ns, &others_ns) || others_ns > part->sum_ns)
		return 0;
	return part->sum_ns - others_ns;
}

static struct duration_range range(uint64_t first_ns, uint64_t last_ns)
{
	return (struct duration_range){ first_ns / 1000, (last_ns > first_ns ? last_ns : first_ns) / 1000 };
}

/* At most the mean; at least the rest of the sum if all others have the longest duration of the class. */
struct duration_range durations_shortest(const struct durations *durations)
{
	const struct duration_part *part = &durations->shortest;
	uint64_t least = rest_ns(part, last_ns(part));

	if (!part->joined)
		return range(part->least_ns, part->least_ns);
	if (least < first_ns(part))
		least = first_ns(part);
	return range(least, part->sum_ns / part->nr);
}

/* At least the mean; at most the rest of the sum if all others have the shortest duration of the class. */
struct duration_range durations_longest(const struct durations *durations)
{
	const struct duration_part *part = &durations->longest;
	uint64_t most = rest_ns(part, first_ns(part)), least = part->sum_ns / part->nr + (part->sum_ns % part->nr > 0);

	if (!part->joined)
		return range(part->most_ns, part->most_ns);
	if (most > last_ns(part))
		most = last_ns(part);
	return range(least, most);
}
