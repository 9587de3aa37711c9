/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/explain.h"

#include <errno.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/session/loaded.h"

static int print(const struct buf *text, FILE *out)
{
	fputs(buf_text(text), out);
	return fflush(out) ? -errno : 0;
}

int explain_plan(const struct plan *plan, const struct attach_plan *attach, FILE *out)
{
	_cleanup_(buf_done) struct buf text = {};

	plan_describe(plan, &text);
	attach_plan_describe(attach, &text);
	return print(&text, out);
}

int explain_programs(const struct plan *plan, const struct attach_plan *attach, FILE *out)
{
	_cleanup_(buf_done) struct buf text = {};
	int err;

	plan_describe(plan, &text);
	attach_plan_describe(attach, &text);
	err = loaded_describe(plan, attach, &text);
	return err ? err : print(&text, out);
}
