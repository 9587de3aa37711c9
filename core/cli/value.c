/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A number is digits only. strtoull() alone would take "-1" for the largest number and "5x" for 5. */
#include "core/cli/value.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"

#define US_PER_S 1000000ull
#define MIN_SECONDS_NS 1000000ull
#define MAX_SECONDS 999999999ull /* almost 10^18 ns: the sum of several fits into 64 bits */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int read_number(const char **cursor, uint64_t min, uint64_t max, uint64_t *ret)
{
	unsigned long long value;
	char *end;

	if (!is_digit(**cursor))
		return -EINVAL;
	errno = 0;
	value = strtoull(*cursor, &end, 10);
	if (errno || value < min || value > max)
		return -EINVAL;
	*cursor = end;
	*ret = value;
	return 0;
}

static int parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *ret)
{
	return read_number(&text, min, max, ret) < 0 || *text ? -EINVAL : 0;
}

/* The digits after the point, as nanoseconds; smaller digits are ignored. */
static const char *read_fraction(const char *text, uint64_t *ret_ns)
{
	uint64_t unit = NSEC_PER_SEC / 10;

	for (*ret_ns = 0; is_digit(*text); text++, unit /= 10)
		*ret_ns += (uint64_t)(*text - '0') * unit;
	return text;
}

/* The unit of a duration, in microseconds; 0: unknown. */
static uint64_t unit_us(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t us;
	} units[] = { { "", US_PER_S }, { "s", US_PER_S },      { "ms", 1000 },
		      { "us", 1 },      { "m", 60 * US_PER_S }, { "h", 3600 * US_PER_S } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(unit, units[i].name))
			return units[i].us;
	return 0;
}

static int parse_seconds(const char *text, uint64_t min_ns, uint64_t *ret_ns)
{
	uint64_t whole = 0, fraction = 0, unit, ns;

	if (*text != '.' && read_number(&text, 0, MAX_SECONDS, &whole) < 0)
		return -EINVAL;
	if (*text == '.') {
		if (!is_digit(text[1]))
			return -EINVAL;
		text = read_fraction(text + 1, &fraction);
	}
	unit = unit_us(text);
	if (!unit || whole > MAX_SECONDS * US_PER_S / unit)
		return -EINVAL;
	ns = whole * 1000 * unit + fraction * unit / US_PER_S;
	if (ns < min_ns || ns > MAX_SECONDS * NSEC_PER_SEC)
		return -EINVAL;
	*ret_ns = ns;
	return 0;
}

/* A number without a unit is in microseconds. */
static int parse_microseconds(const struct option_spec *spec, const char *text, uint64_t *ret_us)
{
	uint64_t us, ns;

	if (text[strspn(text, "0123456789")]) {
		if (is_digit(text[strlen(text) - 1]) || parse_seconds(text, 0, &ns))
			return -EINVAL;
		us = ns / 1000;
	} else if (parse_number(text, 0, UINT64_MAX, &us)) {
		return -EINVAL;
	}
	if (us < spec->min)
		return -EINVAL;
	*ret_us = us;
	return 0;
}

/* "5" or "0-3". */
static int read_range(const char **cursor, const struct option_spec *spec, uint64_t max, uint64_t *ret_first,
		      uint64_t *ret_last)
{
	if (read_number(cursor, spec->min, max, ret_first))
		return -EINVAL;
	*ret_last = *ret_first;
	if (!spec->ranges || **cursor != '-')
		return 0;
	++*cursor;
	return read_number(cursor, *ret_first, max, ret_last);
}

/* Adds all numbers to the list, or none. */
static int parse_list(const struct option_spec *spec, const char *text, uint64_t max, struct u32_list *list)
{
	size_t before = list->nr;
	uint64_t value, last;

	while (!read_range(&text, spec, max, &value, &last)) {
		for (; value <= last; value++)
			vec_push(list, (uint32_t)value);
		if (!*text)
			return 0;
		if (*text++ != ',')
			break;
	}
	list->nr = before;
	return -EINVAL;
}

static uint64_t limit(const struct option_spec *spec)
{
	uint64_t of_type = UINT32_MAX;

	if (spec->kind == OPTION_KIND_U64)
		of_type = UINT64_MAX;
	else if (spec->kind == OPTION_KIND_INT)
		of_type = INT_MAX;
	return spec->max && spec->max < of_type ? spec->max : of_type;
}

static int parse_kind(const struct option_spec *spec, const char *text, void *field)
{
	uint64_t number;

	switch (spec->kind) {
	case OPTION_KIND_SECONDS:
		return parse_seconds(text, MIN_SECONDS_NS, field);
	case OPTION_KIND_MICROSECONDS:
		return parse_microseconds(spec, text, field);
	case OPTION_KIND_U32_LIST:
		return parse_list(spec, text, limit(spec), field);
	case OPTION_KIND_WORDS:
		vec_push((struct word_list *)field, text);
		return 0;
	case OPTION_KIND_TEXT:
		if (!*text)
			return -EINVAL;
		*(const char **)field = text;
		return 0;
	default:
		if (parse_number(text, spec->min, limit(spec), &number))
			return -EINVAL;
	}
	if (spec->kind == OPTION_KIND_U64)
		*(uint64_t *)field = number;
	else if (spec->kind == OPTION_KIND_INT)
		*(int *)field = (int)number;
	else
		*(uint32_t *)field = (uint32_t)number;
	return 0;
}

static const char *noun(const struct option_spec *spec)
{
	if (spec->noun)
		return spec->noun;
	switch (spec->kind) {
	case OPTION_KIND_SECONDS:
	case OPTION_KIND_MICROSECONDS:
		return "a duration";
	case OPTION_KIND_U32_LIST:
		return "a list of numbers";
	default:
		return "a number";
	}
}

/* "1 to 100", "0 or more". */
static void describe_range(const struct option_spec *spec, struct buf *text)
{
	if (spec->max)
		buf_addf(text, "%" PRIu64 " to %" PRIu64, spec->min, spec->max);
	else
		buf_addf(text, "%" PRIu64 " or more", spec->min);
}

static void describe_accepted(const struct option_spec *spec, struct buf *text)
{
	switch (spec->kind) {
	case OPTION_KIND_SECONDS:
		buf_adds(text, "a time from 1ms on, like 5 (seconds), 0.5, 500ms, 2m or 1h");
		break;
	case OPTION_KIND_MICROSECONDS:
		buf_addf(text, "microseconds, %" PRIu64 " or more, or a time with a unit, like 500us or 10ms",
			 spec->min);
		break;
	case OPTION_KIND_U32_LIST:
		buf_adds(text, spec->ranges ? "numbers or ranges separated by commas, like 0-3,5, each "
					    : "numbers separated by commas, each ");
		describe_range(spec, text);
		break;
	default:
		describe_range(spec, text);
	}
}

/* Whether a refused text is a valid duration except that it is too long. */
static bool is_too_long(const char *text)
{
	size_t nr = strspn(text, "0123456789");
	const char *unit = text + nr;
	uint64_t unused;

	if (*unit == '.' && is_digit(unit[1]))
		unit = read_fraction(unit + 1, &unused);
	return strspn(text, "0") < nr && unit_us(unit) && parse_seconds(text, 0, &unused);
}

static int refuse_number(const struct option_spec *spec, const char *label, const char *text)
{
	_cleanup_(buf_done) struct buf accepted = {};
	uint64_t number;

	if (spec->min && !parse_number(text, 0, spec->min - 1, &number))
		describe_range(spec, &accepted);
	else
		buf_addf(&accepted, "%" PRIu64 " to %" PRIu64, spec->min, limit(spec));
	return fail_usage("argument %s: '%s' is out of range: give %s", label, text, buf_text(&accepted));
}

int value_store(const struct option_spec *spec, const char *label, const char *text, void *field)
{
	_cleanup_(buf_done) struct buf accepted = {};

	if (spec->parse)
		return spec->parse(text, field);
	if (!parse_kind(spec, text, field))
		return 0;
	if (spec->kind == OPTION_KIND_TEXT)
		return fail_usage("argument %s: is empty: give at least one letter", label);
	if (!strcmp(noun(spec), "a number") && is_digit(*text) && !text[strspn(text, "0123456789")])
		return refuse_number(spec, label, text);
	if (spec->kind == OPTION_KIND_SECONDS && is_too_long(text))
		return fail_usage("argument %s: '%s' is too long: give at most %" PRIu64 " seconds", label, text,
				  (uint64_t)MAX_SECONDS);
	describe_accepted(spec, &accepted);
	return fail_usage("argument %s: '%s' is not %s: give %s", label, text, noun(spec), buf_text(&accepted));
}
