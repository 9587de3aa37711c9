/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saved profiles from anyone: load, print in several views, save again, and load what was saved. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/engine/profile_file.h"
#include "core/render/render.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_all(const struct profile *profile, const struct profile_view *view)
{
	_cleanup_(freep) char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	render_header(profile, view, out);
	for (size_t i = 0; i < profile->intervals.nr; i++) {
		render_report(profile, &profile->intervals.data[i], view, out);
		render_notes(profile, &profile->intervals.data[i], out);
	}
	render_footer(profile, view, out);
	fclose(out);
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < 0x20 && text[i] != '\n')
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile profile, again;
	_cleanup_(buf_done) struct buf bytes = {};
	struct profile_view view;

	err_clear();
	if (profile_decode(data, size, "fuzz", &profile))
		return 0;
	print_all(&profile, &profile.view);
	view = profile.view;
	view.by_name = !view.by_name;
	view.folded = !view.folded;
	print_all(&profile, &view);
	profile_encode(&profile, &bytes);
	if (profile_decode(bytes.data, bytes.nr, "again", &again))
		abort();
	profile_done(&again);
	profile_done(&profile);
	return 0;
}
