/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/common.h"
#include "core/cli/applet.h"
#include "core/run/run.h"

struct bundle_options {
	const char *debug_directories, *path, *directory;
};

static const struct option_spec table[] = {
	OPTION(0, "debug-dir", struct bundle_options, debug_directories, "DIR[:DIR...]",
	       "search for files and their debug files here first, then in /usr/lib/debug",
	       .parse = debug_directories_parse),
	OPERAND("file", struct bundle_options, path, "a saved profile (--save)", .required = true),
	OPERAND("directory", struct bundle_options, directory, "the target directory, created if missing",
		.required = true),
	OPTION_END,
};

static int collect(void *block)
{
	const struct bundle_options *options = block;

	return run_bundle(options->path, options->directory, options->debug_directories);
}

static const struct applet_example examples[] = {
	{ "five.stk five.files", "copy what 'report --debug-dir five.files five.stk' needs on another host" },
	{},
};

const struct applet bundle_applet = {
	.name = "bundle",
	.summary = "copy the programs that another host needs to name a saved profile",
	.description =
		"Copies the programs and libraries that appear in a saved profile, with their debug files, into a "
		"directory. The copies are named by build id. 'stacktool report --debug-dir DIRECTORY FILE' then "
		"finds the names on any host. Only profiles made with --no-symbolize need this; others contain their "
		"names.\n\nA file is copied only if its build id is still the same as in the profile.",
	.options = table,
	.examples = examples,
	.options_size = sizeof(struct bundle_options),
	.main = collect,
};
