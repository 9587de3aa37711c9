/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define FORMAT_VARIABLE "STACKTOOL_FORMAT"

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

static bool is_screen(void)
{
	return isatty(STDOUT_FILENO) && is_set("TERM") && strcmp(getenv("TERM"), "dumb") != 0;
}

/* NO_COLOR: https://no-color.org/. */
static void fit_screen(struct output_options *options)
{
	struct winsize size = {};

	if (options->path || !is_screen())
		return;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size)) {
		options->rows = size.ws_row;
		options->columns = size.ws_col;
	}
	options->is_colored = !is_set("NO_COLOR");
}

static int by_variable(struct output_options *options)
{
	int err = output_format_parse(getenv(FORMAT_VARIABLE), &options->format);
	const struct err_saved cause = err_save();

	if (!err)
		return output_options_settle(options);
	fail_usage("environment variable %s: %s", FORMAT_VARIABLE, cause.cause);
	hint("%s", cause.hint);
	return err;
}

int terminal_choose_form(struct output_options *options, bool wants_rows)
{
	int err = 0;

	if (!options->format && !options->path) {
		if (is_set(FORMAT_VARIABLE))
			err = by_variable(options);
		else if (!wants_rows && is_screen())
			options->format = OUTPUT_SUMMARY;
	}
	if (options->format == OUTPUT_SUMMARY)
		fit_screen(options);
	return err;
}
