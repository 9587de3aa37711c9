/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/escape.h"
#include "core/host/process.h"
#include "core/naming/naming.h"
#include "core/run/run.h"
#include "core/run/words.h"

enum {
	WIDTH_MAX = 80, /* of the column; longer names exceed it */
};

static const char *name_of(const struct probe_kind *kind, const struct probe_place *place)
{
	return kind->list_name ? kind->list_name(place) : place->name;
}

static const char *home_of(const struct probe_kind *kind, const struct probe_place *place)
{
	return kind->list_home ? kind->list_home(place) : place->path;
}

/* Names are untrusted: they are escaped before they are measured. */
static size_t name_width(const struct probe_kind *kind, const struct attach_plan *attach)
{
	size_t width = 0;

	for (size_t i = 0; i < attach->places.nr; i++) {
		_cleanup_(buf_done) struct buf name = {};

		escape_add(&name, name_of(kind, &attach->places.data[i]), ESCAPE_NAME);
		if (name.nr > width && name.nr <= WIDTH_MAX)
			width = name.nr;
	}
	return width;
}

static void add_line(const struct probe_kind *kind, const struct probe_place *place, size_t width, struct buf *text)
{
	_cleanup_(buf_done) struct buf name = {}, home = {};

	escape_add(&name, name_of(kind, place), ESCAPE_NAME);
	if (!home_of(kind, place)) {
		buf_addf(text, "%s  %s\n", kind->name, buf_text(&name));
		return;
	}
	escape_add(&home, home_of(kind, place), ESCAPE_NAME);
	buf_addf(text, "%s  %-*s  %s\n", kind->name, (int)width, buf_text(&name), buf_text(&home));
}

void list_text(const struct probe_kind *kind, const struct attach_plan *attach, struct buf *ret_text)
{
	size_t width = name_width(kind, attach);

	for (size_t i = 0; i < attach->places.nr; i++)
		add_line(kind, &attach->places.data[i], width, ret_text);
}

static void free_symbolizer(struct symbolizer **symbolizer)
{
	symbolizer_free(*symbolizer);
}

static int look(const struct plan *plan, struct symbolizer *symbolizer, struct attach_plan *attach)
{
	int err = 0;

	for (size_t i = 0; !err && i < plan->tgids.nr; i++)
		err = process_exists(plan->tgids.data[i]);
	return err ? err : resolve_plan(plan, symbolizer, attach);
}

static int print(const struct plan *plan, const struct attach_plan *attach)
{
	_cleanup_(buf_done) struct buf text = {};

	list_text(plan->probe.kind, attach, &text);
	fputs(buf_text(&text), stdout);
	if (fflush(stdout))
		return -errno;
	run_say_lines(buf_text(&attach->note));
	run_say_lines(buf_text(&attach->missing));
	return 0;
}

int run_list(const struct plan *plan)
{
	_cleanup_(free_symbolizer) struct symbolizer *symbolizer = NULL;
	_cleanup_(attach_plan_done) struct attach_plan attach = {};
	const struct naming naming = { .no_demangle = plan->no_demangle, .debug_directories = plan->debug_directories };
	int err = process_require_proc();

	if (!err)
		err = naming_start(&naming, &symbolizer) ?: naming_await(symbolizer);
	err = err ?: look(plan, symbolizer, &attach);
	return err ? err : print(plan, &attach);
}
