/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/render/render.h"

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/escape.h"
#include "core/render/rows.h"

static int write_line(const struct profile *profile, string_id string, FILE *out)
{
	_cleanup_(stream_done) struct stream line = { .out = out };

	escape_add(&line.text, profile_string(profile, string), ESCAPE_LINE);
	buf_addc(&line.text, '\n');
	return stream_finish(&line);
}

int render_header(const struct profile *profile, const struct profile_view *view, FILE *out)
{
	if (view->folded || view->no_header || profile->presentation.quiet || !profile->header)
		return 0;
	return write_line(profile, profile->header, out);
}

int render_footer(const struct profile *profile, const struct profile_view *view, FILE *out)
{
	if (view->folded || profile->presentation.quiet || !profile->footer)
		return 0;
	return write_line(profile, profile->footer, out);
}

/* Adds the local time of the host that recorded the profile. */
static void add_time(struct buf *text, const struct profile *profile, const struct profile_interval *interval)
{
	int64_t local_s = (int64_t)(interval->wall_end_ns / NSEC_PER_SEC) + (int32_t)profile->utc_offset_s;
	unsigned int day_s = (unsigned int)(((local_s % 86400) + 86400) % 86400);

	buf_addf(text, "%02u:%02u:%02u\n", day_s / 3600, day_s / 60 % 60, day_s % 60);
}

static void add_row(struct text_writer *writer, const struct merged_row *row)
{
	const struct profile_view *view = writer->view;
	bool pairs = view->style == VIEW_OFFWAKE || view->style == VIEW_WAKE || view->style == VIEW_LOCK;

	if (view->folded)
		(pairs ? wake_folded_row : folded_row)(writer, row);
	else if (view->style == VIEW_FUNCCOUNT)
		table_row(writer, row);
	else
		(pairs ? wake_text_row : text_row)(writer, row);
}

int render_events(const struct profile *profile, const struct profile_interval *interval, size_t first,
		  const struct profile_view *view, FILE *out)
{
	_cleanup_(writer_done) struct text_writer writer;

	writer_init(&writer, profile, view, out);
	for (size_t i = first; i < interval->rows.nr && !writer.out.err; i++) {
		struct merged_row row = merge_row_alone(profile, &interval->rows.data[i], view);

		if (view->folded)
			folded_row(&writer, &row);
		else
			event_row(&writer, &row, interval);
		stream_turn(&writer.out);
	}
	render_add_cut(interval, &writer.out.text);
	return stream_finish(&writer.out);
}

static int render_rows(const struct profile *profile, const struct profile_interval *interval,
		       const struct profile_view *view, FILE *out)
{
	const bool is_latency = view->style == VIEW_FUNCLATENCY && !view->folded;
	_cleanup_(merged_done) struct merged merged = {};
	_cleanup_(writer_done) struct text_writer writer;

	writer_init(&writer, profile, view, out);
	if (!is_latency)
		merge_interval(profile, interval, view, 0, &merged);
	writer.durations = merged.durations.data;
	if (!view->folded && !profile->presentation.quiet)
		buf_addc(&writer.out.text, '\n');
	if (view->timestamps)
		add_time(&writer.out.text, profile, interval);
	if (view->style == VIEW_FUNCCOUNT && !view->folded && !profile->presentation.quiet)
		buf_addf(&writer.out.text, "%-*s %8s\n", TABLE_NAME_COLUMNS, "FUNC", "COUNT");
	for (size_t i = 0; i < merged.rows.nr && !writer.out.err; i++) {
		add_row(&writer, &merged.rows.data[i]);
		stream_turn(&writer.out);
	}
	if (is_latency)
		latency_add(&writer, interval);
	if (view_shows_durations(view))
		text_all_durations(&writer, interval);
	render_add_cut(interval, &writer.out.text);
	return stream_finish(&writer.out);
}

int render_report(const struct profile *profile, const struct profile_interval *interval,
		  const struct profile_view *view, FILE *out)
{
	if (view->style == VIEW_DUMP && !view->folded)
		return render_dump(profile, interval, view, out);
	if (view->style == VIEW_LOCK && !view->folded)
		return render_lock(profile, interval, view, out);
	if (view->style == VIEW_WALL && !view->folded)
		return render_wall(profile, interval, out);
	if (view->style == VIEW_SNOOP)
		return render_events(profile, interval, 0, view, out);
	return render_rows(profile, interval, view, out);
}
