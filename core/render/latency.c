/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VIEW_FUNCLATENCY: histograms of the lengths of calls, as bcc's funclatency prints them. A row of the profile has the calls of one class:
 * of their length, in the unit of the view, only the three highest bits are kept (bpf/abi.h). The mean of a row shows its class.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/render/render.h"
#include "core/render/rows.h"

#define NR_CLASSES (4 * 63)

/* A row of the profile. */
struct part {
	string_id name; /* of the function; 0: all functions */
	uint32_t tgid; /* 0: all processes */
	const struct profile_row *row;
};

/* The calls of a function, by powers of two of their lengths. */
struct lengths {
	string_id name;
	uint32_t tgid;
	uint64_t nr;
	uint64_t powers[DURATION_POWERS_MAX];
};

typedef VEC(struct lengths) lengths_list;

struct total {
	uint64_t nr, sum_ns;
	uint64_t classes[NR_CLASSES];
};

static unsigned int class_number(uint64_t length)
{
	unsigned int shift = 61 - (unsigned int)__builtin_clzll(length | 7);

	return 4 * shift + (unsigned int)(length >> shift);
}

static uint64_t class_first(unsigned int number)
{
	return number < 8 ? number : (uint64_t)(4 + number % 4) << (number / 4 - 1);
}

struct duration_range latency_range(const struct profile_view *view, uint64_t count, uint64_t sum_ns)
{
	unsigned int number = class_number(count ? sum_ns / count / view_unit_ns(view) : 0);

	return (struct duration_range){ class_first(number), class_first(number + 1) - 1 };
}

static const char *unit_of(const struct profile_view *view)
{
	return view->milliseconds ? "msecs" : view->microseconds ? "usecs" : "nsecs";
}

static int compare_parts(const void *left, const void *right)
{
	const struct part *a = left, *b = right;

	return a->name != b->name ? (a->name > b->name) - (a->name < b->name)
				  : (a->tgid > b->tgid) - (a->tgid < b->tgid);
}

/* `list` has the parts before this one, in the same order. */
static void add(struct total *all, lengths_list *list, const struct profile_view *view, const struct part *part)
{
	const struct profile_row *row = part->row;
	unsigned int number = class_number(row->sum / row->count / view_unit_ns(view));

	all->nr += row->count;
	all->sum_ns += row->sum;
	all->classes[number] += row->count;
	if (!list->nr || vec_last(list).name != part->name || vec_last(list).tgid != part->tgid)
		vec_push(list, (struct lengths){ .name = part->name, .tgid = part->tgid });
	vec_last(list).nr += row->count;
	vec_last(list).powers[63 - __builtin_clzll(class_first(number) | 1)] += row->count;
}

/* The most calls first. */
static int compare(const void *left, const void *right, void *context)
{
	const struct lengths *a = left, *b = right;
	const struct profile *profile = context;

	if (a->nr != b->nr)
		return a->nr > b->nr ? -1 : 1;
	return strcmp(profile_string(profile, a->name), profile_string(profile, b->name))
		       ?: (a->tgid > b->tgid) - (a->tgid < b->tgid);
}

static void gather(const struct profile *profile, const struct profile_interval *interval,
		   const struct profile_view *view, lengths_list *list, struct total *all)
{
	VEC(struct part) parts = {};

	for (size_t i = 0; i < interval->rows.nr; i++) {
		const struct profile_row *row = &interval->rows.data[i];
		const struct profile_record *record = &profile->records.data[row->record];
		struct part part = { .row = row };

		if (!row->count || (view->slow && record->program != PROGRAM_CALL))
			continue;
		if (view->by_function) {
			part.tgid = record->tgid;
			if (record->nr_kernel)
				part.name = profile->frames.data[profile->stack_frames.data[record->first]].name;
		}
		vec_push(&parts, part);
	}
	if (parts.nr)
		qsort(parts.data, parts.nr, sizeof(*parts.data), compare_parts);
	for (size_t i = 0; i < parts.nr; i++)
		add(all, list, view, &parts.data[i]);
	vec_done(&parts);
	if (list->nr)
		qsort_r(list->data, list->nr, sizeof(*list->data), compare, (void *)profile);
}

static void add_lengths(struct text_writer *writer, const struct lengths *lengths)
{
	if (lengths->name) {
		buf_adds(&writer->out.text, "\nFunction = ");
		writer_add_name(writer, lengths->name);
		if (lengths->tgid)
			buf_addf(&writer->out.text, " [%" PRIu32 "]", lengths->tgid);
		buf_addc(&writer->out.text, '\n');
	}
	text_histogram(writer, unit_of(writer->view), lengths->powers, true);
}

/* The length that at least `parts` of 1,000 calls do not exceed. */
static uint64_t quantile(const struct total *all, uint64_t parts)
{
	uint64_t wanted = all->nr / 1000 * parts + (all->nr % 1000 * parts + 999) / 1000, seen = 0;
	unsigned int i = 0;

	while (i < NR_CLASSES - 1 && (seen += all->classes[i]) < wanted)
		i++;
	return class_first(i + 1) - 1;
}

static void add_quantiles(struct text_writer *writer, const struct total *all)
{
	static const struct {
		const char *name;
		uint64_t parts;
	} quantiles[] = { { "50%", 500 }, { "90%", 900 }, { "99%", 990 }, { "99.9%", 999 }, { "all", 1000 } };

	buf_adds(&writer->out.text, "at most, in ");
	buf_adds(&writer->out.text, unit_of(writer->view));
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++)
		buf_addf(&writer->out.text, "%s %s %" PRIu64, i ? "," : ":", quantiles[i].name,
			 quantile(all, quantiles[i].parts));
	buf_addc(&writer->out.text, '\n');
}

void latency_add(struct text_writer *writer, const struct profile_interval *interval)
{
	const struct profile_view *view = writer->view;
	const uint64_t unit = view_unit_ns(view);
	_cleanup_(freep) struct total *all = xcalloc(1, sizeof(*all));
	lengths_list list = {};

	gather(writer->profile, interval, view, &list, all);
	for (size_t i = 0; i < list.nr; i++)
		add_lengths(writer, &list.data[i]);
	vec_done(&list);
	if (!all->nr)
		return;
	buf_addf(&writer->out.text, "\navg = %" PRIu64 " %s, total: %" PRIu64 " %s, count: %" PRIu64 "\n",
		 all->sum_ns / unit / all->nr, unit_of(view), all->sum_ns / unit, unit_of(view), all->nr);
	if (view->percentiles)
		add_quantiles(writer, all);
	buf_addc(&writer->out.text, '\n');
}
