/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of perf script from anyone: what is read can be printed, and what is printed as such text can be read again. */
#include "core/base/err.h"
#include "core/formats/text_read.h"
#include "core/formats/profile_file.h"
#include "core/render/documents.h"
#include "core/render/render.h"
#include "tests/fuzz/fuzz.h"

static void print(const struct profile *profile)
{
	_cleanup_(freep) char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	render_report(profile, &profile->intervals.data[0], &profile->view, out);
	fclose(out);
}

static void save(const struct profile *profile)
{
	_cleanup_(buf_done) struct buf bytes = {};
	struct profile loaded;

	profile_encode(profile, &bytes);
	if (profile_decode(bytes.data, bytes.nr, "saved", &loaded))
		abort();
	profile_done(&loaded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(stream_done) struct stream text = {};
	_cleanup_(buf_done) struct buf notes = {};
	_cleanup_(profile_done) struct profile profile, again;

	profile_init(&again);
	err_clear();
	perf_script_is((const char *)data, size);
	if (perf_script_decode((const char *)data, size, "fuzz", &profile, &notes))
		return 0;
	print(&profile);
	save(&profile);
	document_perf(&profile, profile.intervals.data, profile.intervals.nr, &text);
	if (text.text.nr && perf_script_decode(text.text.data, text.text.nr, "again", &again, &notes))
		abort();
	return 0;
}
