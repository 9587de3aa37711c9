/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the error of a run and decides the exit status (docs/reference/exit-status.md). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "applets/commands.h"
#include "applets/common.h"
#include "applets/dispatch.h"
#include "applets/status_file.h"
#include "core/base/alloc.h"
#include "core/base/buf.h"
#include "core/base/called.h"
#include "core/base/cleanup.h"
#include "core/base/descriptors.h"
#include "core/base/err.h"
#include "core/base/escape.h"
#include "core/base/names.h"
#include "core/base/replace.h"
#include "core/cli/finish.h"
#include "core/cli/help.h"
#include "core/cli/status.h"
#include "core/host/caller.h"
#include "core/host/signals.h"
#include "core/run/output.h"
#include "core/run/run.h"
#include "core/run/terminal.h"

struct call {
	const struct applet *applet; /* NULL: stacktool itself */
	bool as_bcc;                 /* under the name of a bcc tool */
	bool as_link;                /* argv[0] is the applet's name: defaults and output are those of bcc's tool */
	bool lost;
	bool cut;
	bool has_command; /* there is a command after "--" */
	int status_fd; /* descriptor of --status-file; -1: none */
	int command_status; /* status of the command after "--", if the tool itself did not fail; -1: none */
};

/*
 * Opens 0, 1 and 2 if they are closed. Otherwise the next opened file would get one of these numbers, and a report could be written into a
 * BPF map or a traced program. Without /dev/null, a descriptor that can be neither read nor written takes the number.
 */
static void keep_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0 && open("/", O_PATH) < 0)
			return;
}

/* A link with bcc's name has bcc's option letters. */
static const struct option_spec *options_of(const struct call *call)
{
	return call->as_link && call->as_bcc && call->applet->bcc_options ? call->applet->bcc_options
									  : call->applet->options;
}

static int print_help(const struct call *call, bool all)
{
	_cleanup_(buf_done) struct buf text = {};

	help_text(call->applet, called(), options_of(call), all, &text);
	fputs(buf_text(&text), stdout);
	return 0;
}

/* Unlike a link, a subcommand may print a summary on a terminal. */
static int choose_form(const struct call *call, struct plan *plan)
{
	const struct profile_view *view = &plan->view;
	const struct presentation *presentation = &plan->presentation;
	bool wants_rows = view->folded || view->delimited || view->annotate || view->addresses || view->timestamps ||
			  view->histogram || view->style == VIEW_LOCK || presentation->top || presentation->least ||
			  plan->interval_ns;

	return call->as_link || plan->mode != EVENTS_BY_STACK ? 0 : terminal_choose_form(&plan->output, wants_rows);
}

static bool is_status_file(const struct call *call, const char *path)
{
	struct stat ours, other;

	return path && !fstat(call->status_fd, &ours) && !stat(path, &other) && ours.st_dev == other.st_dev &&
	       ours.st_ino == other.st_ino;
}

/*
 * Refuses a status file that is also a file of the report. Files with %n or %t in their names do not exist yet, so their patterns are
 * compared with its path.
 */
static int check_status_file(const struct call *call, const struct run_options *options)
{
	const struct plan *plan = &options->plan;
	const char *clash = is_status_file(call, plan->save_path) ? plan->save_path : NULL;

	if (options->status_path && output_fits(&plan->output, options->status_path))
		clash = options->status_path;
	for (size_t i = 0; i < output_options_nr(&plan->output); i++) {
		const char *path = output_options_of(&plan->output, i).path;

		clash = is_status_file(call, path) ? path : clash;
	}
	return clash ? fail_usage("argument --status-file: '%s': the report has the same name", clash) : 0;
}

static int run_collecting(struct call *call, struct run_options *options)
{
	struct run_result result = { .command_status = -1 };
	int err;

	options->as_link = call->as_link;
	err = call->applet->plan(options) ?: check_status_file(call, options);
	err = err ?: choose_form(call, &options->plan);
	options->plan.presentation.shows_files = !call->as_link;
	err = err ?: run_plan(call->applet, &options->plan, &result);
	plan_done(&options->plan);
	call->lost = result.lost;
	call->cut = result.cut;
	call->command_status = result.command_status;
	return err;
}

/* Called before the options are parsed, because their errors also need it. */
static bool has_command(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i++)
		if (!strcmp(argv[i], "--"))
			return true;
	return false;
}

static int begin_status_file(struct call *call, int argc, char **argv)
{
	const char *path = status_file_find(argc, argv);

	if (path)
		call->status_fd = status_file_begin(path, call->applet->name);
	return path && call->status_fd < 0 ? call->status_fd : 0;
}

/* argv[0]: the applet's name. */
static int run_applet(struct call *call, int argc, char **argv)
{
	const struct applet *applet = call->applet;
	_cleanup_(freep) void *options = xcalloc(1, applet->options_size);
	int err;

	call->has_command = applet->plan && has_command(argc, argv);
	if (applet->plan)
		signals_say_end();
	err = applet->plan ? begin_status_file(call, argc, argv) : 0;
	if (err < 0)
		return err;
	if (applet->defaults)
		memcpy(options, applet->defaults, applet->options_size);
	err = options_parse(options_of(call), argc, argv, options);
	if (err == OPTIONS_HELP || err == OPTIONS_HELP_ALL)
		err = print_help(call, err == OPTIONS_HELP_ALL);
	else if (!err)
		err = applet->plan ? run_collecting(call, options) : applet->main(options);
	options_done(options_of(call), options);
	return err;
}

static int fail_no_option(const char *word)
{
	int err = fail_usage("unknown option '%s'", word);

	hint("most options come after an applet, as in 'stacktool profile %s'; 'stacktool --help' lists the others",
	     word);
	return err;
}

static int run(struct call *call, int argc, char **argv)
{
	int err;

	call->applet = argc ? applet_find(argv[0], &call->as_bcc) : NULL;
	call->as_link = call->applet;
	if (call->as_link) {
		called_as(path_name(argv[0]), NULL);
		return run_applet(call, argc, argv);
	}
	if (argc < 2) {
		err = fail_usage("no applet given");
		hint("'stacktool --help' shows how to use it");
		return err;
	}
	if (command_run(argc, argv, &err))
		return err;
	call->applet = applet_find(argv[1], &call->as_bcc);
	if (call->applet) {
		called_as("stacktool", path_name(argv[1]));
		return run_applet(call, argc - 1, argv + 1);
	}
	return argv[1][0] == '-' ? fail_no_option(argv[1]) : fail_no_applet(argv[1]);
}

/* With status 125, the message begins with the reason that the status hides. */
static void add_reason(const struct call *call, int own, struct buf *text)
{
	if (call->has_command && call->command_status < 0)
		buf_addf(text, "%s: ", status_word(own));
}

/* If a run with a command lost data or was cut, prints that: the status does not show it. */
static void print_loss(const struct call *call, int own)
{
	if (call->has_command && (own == STATUS_LOST || own == STATUS_CUT))
		fprintf(stderr, "%s: %s: %s\n", called(), status_word(own),
			own == STATUS_LOST
				? "data was lost (--strict)"
				: "the run was ended early because its probes cost too much (--max-overhead)");
}

static void print_error(const struct call *call, int own)
{
	_cleanup_(buf_done) struct buf text = {};

	buf_addf(&text, "%s: ", called());
	add_reason(call, own, &text);
	escape_add(&text, err_cause(), ESCAPE_LINE);
	if (*err_hint()) {
		buf_adds(&text, "\n  ");
		escape_add(&text, err_hint(), ESCAPE_LINE);
	}
	fprintf(stderr, "%s\n", buf_text(&text));
}

static int own_status(const struct call *call, int err)
{
	if (!err && call->cut)
		return STATUS_CUT;
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

static int status_of(const struct call *call, int own)
{
	if (call->command_status >= 0 && !call->lost && !call->cut)
		return call->command_status;
	return own && call->has_command ? STATUS_OWN : own;
}

static void end_status_file(const struct call *call, int err, int own)
{
	const struct run_end end = {
		.applet = call->applet ? call->applet->name : NULL,
		.status = status_of(call, own),
		.own_status = own,
		.reason = status_word(own),
		.message = err ? err_cause() : NULL,
		.command_status = call->command_status,
	};
	sigset_t before;
	int failed;

	if (call->status_fd < 0)
		return;
	signals_hold(&before); /* until the exit, so that no signal changes the status */
	failed = status_file_end(call->status_fd, &end);
	if (!failed)
		return;
	signals_tell_end(NULL);
	signals_release(&before);
	fprintf(stderr, "WARNING: --status-file: cannot be written: %s\n", strerror(-failed));
}

/* Under sudo, gives the written files to the user who called it. */
static void give_files_to_caller(void)
{
	_cleanup_(caller_done) struct caller caller = caller_find();

	if (caller.other)
		replace_for(caller.uid, caller.gid);
}

int main(int argc, char **argv)
{
	struct call call = { .command_status = -1, .status_fd = -1 };
	int err, ended, own;

	keep_standard_descriptors();
	signal(SIGPIPE, SIG_IGN); /* writes fail with EPIPE instead, and programs are detached in order */
	signal(SIGXFSZ, SIG_IGN); /* likewise with EFBIG, above the limit of file sizes */
	signal(SIGCHLD, SIG_DFL); /* if it is still ignored from the parent, the status of children is lost */
	descriptors_allow(0);
	give_files_to_caller();
	ended = run(&call, argc, argv);
	err = finish_output(stdout, ended);
	if (err && !ended) /* the failed write is the tool's own failure */
		call.command_status = -1;
	own = own_status(&call, err);
	if (err)
		print_error(&call, own);
	else
		print_loss(&call, own);
	end_status_file(&call, err, own);
	return status_of(&call, own);
}
