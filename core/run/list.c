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
	WIDTH_MAX = 80, /* of the column of names; what is longer stands out */
};

/* ---- text ---- */

static const char *place_of(enum probe_kind kind, const struct attach_point *point)
{
	if (kind == PROBE_KERNEL_FUNCTION)
		return point->module ? point->module : "kernel";
	return point->path;
}

/* Either name of a function can be typed as a probe; a USDT probe is typed with its provider. */
static const char *name_of(enum probe_kind kind, const struct attach_point *point)
{
	return kind == PROBE_USER_FUNCTION && point->shown ? point->shown : point->name;
}

/* Names are of strangers: escaped first, measured then. */
static size_t name_width(enum probe_kind kind, const struct attach_plan *attach)
{
	size_t width = 0;

	for (size_t i = 0; i < attach->points.nr; i++) {
		_cleanup_(buf_done) struct buf name = {};

		escape_add(&name, name_of(kind, &attach->points.data[i]), ESCAPE_NAME);
		if (name.nr > width && name.nr <= WIDTH_MAX)
			width = name.nr;
	}
	return width;
}

static void add_line(enum probe_kind kind, const struct attach_point *point, size_t width, struct buf *text)
{
	_cleanup_(buf_done) struct buf name = {}, place = {};

	escape_add(&name, name_of(kind, point), ESCAPE_NAME);
	if (!place_of(kind, point)) {
		buf_addf(text, "%s  %s\n", probe_kind_name(kind), buf_text(&name));
		return;
	}
	escape_add(&place, place_of(kind, point), ESCAPE_NAME);
	buf_addf(text, "%s  %-*s  %s\n", probe_kind_name(kind), (int)width, buf_text(&name), buf_text(&place));
}

void list_text(enum probe_kind kind, const struct attach_plan *attach, struct buf *ret_text)
{
	size_t width = name_width(kind, attach);

	for (size_t i = 0; i < attach->points.nr; i++)
		add_line(kind, &attach->points.data[i], width, ret_text);
}

/* ---- the run ---- */

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
	run_say_lines("list", buf_text(&attach->note));
	run_say_lines("list", buf_text(&attach->missing));
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
	if (!err)
		err = look(plan, symbolizer, &attach);
	return err ? err : print(plan, &attach);
}
