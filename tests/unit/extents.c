/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/extents.h"

#include <inttypes.h>

#include "core/base/buf.h"
#include "tests/harness.h"

void expect_extents(name_of_place *name_of, void *context, uint64_t first, uint64_t last, const char *expected)
{
	_cleanup_(buf_done) struct buf text = {};
	char now[512] = "";

	for (uint64_t place = first, start = first; place <= last + 1; place++) {
		const char *name = place <= last ? name_of(context, place) : "";

		assert_true(strlen(name) < sizeof(now));
		if (!strcmp(name, now))
			continue;
		if (*now)
			buf_addf(&text, "%s%" PRIx64 "-%" PRIx64 " %s", text.nr ? ", " : "", start, place - 1, now);
		strcpy(now, name);
		start = place;
	}
	assert_string_equal(buf_text(&text), expected);
}
