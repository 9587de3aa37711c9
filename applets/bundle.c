/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bundle: the files that another host needs to name the frames of a saved profile. */
#include "applets/common.h"
#include "core/cli/applet.h"
#include "core/run/run.h"

struct bundle_options {
	const char *debug_directories, *path, *directory;
};

static const struct option_spec table[] = {
	OPTION(0, "debug-dir", struct bundle_options, debug_directories, "DIR[:DIR...]",
	       "look for files and their debug files here first, then in /usr/lib/debug", .noun = "a directory"),
	OPERAND("file", struct bundle_options, path, "a profile as --save wrote it", .required = true,
		.noun = "a file name"),
	OPERAND("directory", struct bundle_options, directory, "where they go; made if it is not there",
		.required = true, .noun = "a directory"),
	OPTION_END,
};

static int collect(const void *block)
{
	const struct bundle_options *options = block;

	return run_bundle(options->path, options->directory, options->debug_directories);
}

static const struct applet_example examples[] = {
	{ "five.stk five.files", "what 'report --debug-dir five.files five.stk' needs elsewhere" },
	{},
};

const struct applet bundle_applet = {
	.name = "bundle",
	.summary = "collect the programs that a saved profile needs elsewhere",
	.description =
		"Copies the programs and libraries in which the frames of a saved profile lie, and their debug files, into a "
		"directory, under their build ids. 'stacktool report --debug-dir DIRECTORY FILE' finds the names there on any "
		"host. For profiles that were made with --no-symbolize; others have their names.\n"
		"\n"
		"A file is taken only with the build id that it had when it was profiled.",
	.options = table,
	.examples = examples,
	.options_size = sizeof(struct bundle_options),
	.main = collect,
};
