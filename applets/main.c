/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one place that prints errors and decides the exit status; docs/reference/exit-status.md has the table.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "applets/commands.h"
#include "applets/common.h"
#include "applets/dispatch.h"
#include "core/base/alloc.h"
#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/descriptors.h"
#include "core/base/err.h"
#include "core/base/escape.h"
#include "core/cli/finish.h"
#include "core/cli/help.h"
#include "core/cli/status.h"
#include "core/host/signals.h"
#include "core/run/run.h"

/* What ran, for messages and the exit status. */
struct call {
	const struct applet *applet; /* NULL: stacktool itself */
	bool as_bcc;                 /* by the name of a bcc tool */
	bool lost;
	int command_status; /* of the command that was run: the tool's own, when it succeeded; -1: none */
};

/*
 * With 0, 1 or 2 closed, the next file opened would get that number, and a report would be written into a BPF map or
 * a target's binary.
 */
static void keep_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
			return;
}

/* ---- running ---- */

static int print_help(const struct applet *applet)
{
	_cleanup_(buf_done) struct buf text = {};

	help_text(applet, &text);
	fputs(buf_text(&text), stdout);
	return 0;
}

static int run_collecting(struct call *call, struct run_options *options)
{
	struct run_result result = { .command_status = -1 };
	int err = call->applet->plan(options) ?: run_plan(call->applet, &options->plan, &result);

	plan_done(&options->plan);
	call->lost = result.lost;
	call->command_status = result.command_status;
	return err;
}

/* argv[0] is the applet's name. */
static int run_applet(struct call *call, int argc, char **argv)
{
	const struct applet *applet = call->applet;
	_cleanup_(freep) void *options = xcalloc(1, applet->options_size);
	int err;

	if (applet->plan)
		signals_say_end(applet->name);
	if (applet->defaults)
		memcpy(options, applet->defaults, applet->options_size);
	err = options_parse(applet->options, argc, argv, options);
	if (err == OPTIONS_HELP)
		err = print_help(applet);
	else if (!err)
		err = applet->plan ? run_collecting(call, options) : applet->main(options);
	options_done(applet->options, options);
	return err;
}

static int run(struct call *call, int argc, char **argv)
{
	int err;

	call->applet = argc ? applet_find(argv[0], &call->as_bcc) : NULL;
	if (call->applet)
		return run_applet(call, argc, argv);
	if (argc < 2) {
		err = fail_usage("no applet given");
		hint("'stacktool --help' shows how to use it");
		return err;
	}
	if (command_run(argc, argv, &err))
		return err;
	call->applet = applet_find(argv[1], &call->as_bcc);
	if (call->applet)
		return run_applet(call, argc - 1, argv + 1);
	return argv[1][0] == '-' ? fail_usage("unknown option '%s'", argv[1]) : fail_no_applet(argv[1]);
}

/* ---- the end ---- */

static void print_error(const struct call *call)
{
	_cleanup_(buf_done) struct buf text = {};

	buf_adds(&text, "stacktool");
	if (call->applet)
		buf_addf(&text, " %s", call->applet->name);
	buf_adds(&text, ": ");
	escape_add(&text, err_cause(), ESCAPE_LINE);
	if (*err_hint()) {
		buf_adds(&text, "\n  ");
		escape_add(&text, err_hint(), ESCAPE_LINE);
	}
	fprintf(stderr, "%s\n", buf_text(&text));
}

static int status_of(const struct call *call, int err)
{
	if (call->command_status >= 0 && !call->lost)
		return call->command_status;
	if (!err)
		return call->lost ? STATUS_LOST : STATUS_DONE;
	if (err == -EEXIST && err_kind() == ERR_USAGE && call->as_bcc && call->applet->bcc_exclusive_status)
		return call->applet->bcc_exclusive_status;
	switch (err_kind()) {
	case ERR_USAGE:
		return STATUS_USAGE;
	case ERR_HOST:
		return STATUS_HOST;
	case ERR_NO_MATCH:
		return STATUS_NO_MATCH;
	default:
		return STATUS_FAILED;
	}
}

int main(int argc, char **argv)
{
	struct call call = { .command_status = -1 };
	int err, ended;

	keep_standard_descriptors();
	signal(SIGPIPE, SIG_IGN); /* writes fail with EPIPE instead, and the programs are detached in order */
	signal(SIGXFSZ, SIG_IGN); /* and with EFBIG above the limit of file sizes */
	signal(SIGCHLD, SIG_DFL); /* ignored, as a parent may hand it on, it would cost us the status of our children */
	descriptors_allow(0);
	ended = run(&call, argc, argv);
	err = finish_output(stdout, ended);
	if (err && !ended) /* what could not be written is the tool's own failure */
		call.command_status = -1;
	if (err)
		print_error(&call);
	return status_of(&call, err);
}
