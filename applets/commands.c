/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/commands.h"

#include <stdio.h>
#include <string.h>

#include "applets/dispatch.h"
#include "applets/install.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/cli/completions.h"
#include "core/cli/help.h"
#include "core/cli/man.h"
#include "core/cli/version.h"

static int nothing_may_follow(const char *argument, const char *word)
{
	return fail_usage("argument %s: unexpected argument '%s'", argument, word);
}

static int print_list(int argc, char **argv)
{
	if (argc > 2)
		return nothing_may_follow("--list", argv[2]);
	for (const struct applet *const *applet = applets; *applet; applet++)
		printf("%-16s%s\n", (*applet)->name, (*applet)->summary);
	return 0;
}

static int print_version(int argc, char **argv)
{
	_cleanup_(buf_done) struct buf text = {};

	if (argc > 2)
		return nothing_may_follow("--version", argv[2]);
	version_text(&text);
	fputs(buf_text(&text), stdout);
	return 0;
}

static int print_overview(void)
{
	fputs("Usage: stacktool APPLET [argument...]\n"
	      "       stacktool --list | --version | --install DIR | --completions SHELL\n\n"
	      "Counts, times and samples stack traces. Shows which code paths use the CPU, wait,\n"
	      "or call a function, and how often. The applets:\n\n",
	      stdout);
	print_list(0, NULL);
	fputs("\n  stacktool APPLET --help         print the options and examples of an applet\n"
	      "  stacktool --list                list the applets, one per line\n"
	      "  stacktool help --man [APPLET]   print a man page; view it with '| man -l -'\n"
	      "  stacktool --version             print the version, the libraries and the build options\n"
	      "  stacktool --install DIR         install links under the names of bcc's tools\n"
	      "  stacktool --completions SHELL   print the completion script for bash, zsh or fish\n",
	      stdout);
	return 0;
}

static int install(int argc, char **argv)
{
	if (argc != 3)
		return fail_usage("argument --install: give one directory for the links");
	return install_links(argv[2]);
}

static int print_completions(int argc, char **argv)
{
	_cleanup_(buf_done) struct buf text = {};
	int err;

	if (argc != 3)
		return fail_usage("argument --completions: give a shell: bash, zsh or fish");
	err = completions(applets, argv[2], &text);
	if (!err)
		fputs(buf_text(&text), stdout);
	return err;
}

/* help, help APPLET (--help too), help --man [APPLET|probes] */
static int help(int argc, char **argv)
{
	_cleanup_(buf_done) struct buf text = {};
	bool man = argc > 2 && !strcmp(argv[2], "--man");
	int at = man ? 3 : 2;
	const char *word = argc > at ? argv[at] : NULL;
	const struct applet *applet;
	bool as_bcc;

	if (argc > at + 1)
		return nothing_may_follow(argv[1], argv[at + 1]);
	if (!word && !man)
		return print_overview();
	applet = word ? applet_find(word, &as_bcc) : NULL;
	if (applet && man)
		man_page(applet, &text);
	else if (applet)
		help_text(applet, &text);
	else if (man && (!word || !strcmp(word, "stacktool")))
		man_overview(applets, &text);
	else if (man && !strcmp(word, "probes"))
		man_probes(&text);
	else
		return fail_no_applet(word);
	fputs(buf_text(&text), stdout);
	return 0;
}

bool command_run(int argc, char **argv, int *ret_err)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} commands[] = {
		{ "--help", help },
		{ "-h", help },
		{ "--list", print_list },
		{ "--version", print_version },
		{ "-V", print_version },
		{ "--install", install },
		{ "--completions", print_completions },
		{ "help", help },
	};

	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		*ret_err = commands[i].run(argc, argv);
		return true;
	}
	return false;
}
