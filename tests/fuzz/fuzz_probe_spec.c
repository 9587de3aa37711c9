/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe_spec_parse() with any text, as wildcard, as expression and after -l: no crash, and the pieces are of the text. */
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/resolve/probe_kinds.h"
#include "core/resolve/probe_spec.h"
#include "tests/fuzz/fuzz.h"

static void must(bool right)
{
	if (!right)
		abort();
}

static void try(const char *text, const char *library, bool regex)
{
	struct probe_spec spec = {};

	err_clear();
	if (probe_spec_parse(text, library, regex, &spec) < 0) {
		must(err_kind() == ERR_USAGE && *err_cause());
		return;
	}
	must(!strcmp(spec.typed, text) && spec.pattern && *spec.pattern && strstr(text, spec.pattern));
	must(!spec.provider || strstr(text, spec.provider));
	must(!spec.target || library || strstr(text, spec.target));
	must((spec.kind == &probe_kernel_function) == !spec.target || spec.kind == &probe_usdt);
	probe_spec_done(&spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(freep) char *text = xstrndup((const char *)data, size);

	try(text, NULL, false);
	try(text, NULL, true);
	try(text, "c", false);
	try(text, "c", true);
	return 0;
}
