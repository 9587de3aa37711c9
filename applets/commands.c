/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "applets/dispatch.h"
#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/names.h"
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
	fputs("\n  stacktool APPLET --help         print the most used options of an applet;\n"
	      "                                  --help=all prints all\n"
	      "  stacktool --list                list the applets, one per line\n"
	      "  stacktool help --man [APPLET]   print a man page; view it with '| man -l -'\n"
	      "  stacktool --version             print the version, the libraries and the build options\n"
	      "  stacktool --install DIR         install links under the names of bcc's tools\n"
	      "  stacktool --completions SHELL   print the completion script for bash, zsh or fish\n",
	      stdout);
	return 0;
}

struct installation {
	const char *directory; /* as the user wrote it */
	int directory_fd;
	char program[PATH_MAX];
	struct stat identity;   /* of the program */
	const char *target;     /* of the links */
	VEC(const char *) missing;
};

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* In the program's own directory, links have no path, so that the directory can be moved or mounted elsewhere. */
static const char *choose_target(struct installation *installation)
{
	char *slash = strrchr(installation->program, '/');
	struct stat home, directory;
	int err;

	*slash = '\0';
	err = stat(slash == installation->program ? "/" : installation->program, &home);
	*slash = '/';
	if (err || fstat(installation->directory_fd, &directory))
		return installation->program;
	return same_file(&home, &directory) ? slash + 1 : installation->program;
}

static int find_program(struct installation *installation)
{
	ssize_t length = readlink("/proc/self/exe", installation->program, sizeof(installation->program) - 1);

	if (length <= 0)
		return fail(-errno, "/proc/self/exe: cannot be read: %s", strerror(errno));
	installation->program[length] = '\0';
	if (stat(installation->program, &installation->identity) < 0)
		return fail(-errno, "'%s': cannot be found: %s", installation->program, strerror(errno));
	return 0;
}

static void installation_done(struct installation *installation)
{
	closep(&installation->directory_fd);
	vec_done(&installation->missing);
}

/* Adds a free name to `missing`; accepts a link to this program, and fails for anything else. */
static int check_name(struct installation *installation, const char *name)
{
	struct stat entry;
	int err;

	if (fstatat(installation->directory_fd, name, &entry, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			return fail(-errno, "'%s/%s': %s", installation->directory, name, strerror(errno));
		vec_push(&installation->missing, name);
		return 0;
	}
	if (S_ISLNK(entry.st_mode) && !fstatat(installation->directory_fd, name, &entry, 0) &&
	    same_file(&entry, &installation->identity))
		return 0;
	err = fail(-EEXIST, "'%s/%s': exists and is not a link to stacktool", installation->directory, name);
	hint("nothing was installed: remove that file, or choose another directory");
	return err;
}

static int make_links(const struct installation *installation)
{
	for (size_t i = 0; i < installation->missing.nr; i++) {
		const char *name = installation->missing.data[i];
		int err;

		if (!symlinkat(installation->target, installation->directory_fd, name))
			continue;
		err = fail(-errno, "'%s/%s': cannot be created: %s", installation->directory, name, strerror(errno));
		while (i)
			unlinkat(installation->directory_fd, installation->missing.data[--i], 0);
		return err;
	}
	for (size_t i = 0; i < installation->missing.nr; i++)
		printf("%s/%s -> %s\n", installation->directory, installation->missing.data[i], installation->target);
	return 0;
}

/* Creates a symbolic link for each bcc tool that an applet replaces, all or none; prints the new ones. */
static int install(int argc, char **argv)
{
	const char *directory = argc == 3 ? argv[2] : NULL;
	_cleanup_(installation_done) struct installation installation = { .directory = directory, .directory_fd = -1 };
	int err;

	if (!directory)
		return fail_usage("argument --install: give one directory for the links");
	err = find_program(&installation);
	if (err)
		return err;
	installation.directory_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (installation.directory_fd < 0)
		return fail(-errno, "'%s': cannot be opened: %s", directory, strerror(errno));
	installation.target = choose_target(&installation);
	for (const struct applet *const *applet = applets; !err && *applet; applet++)
		if ((*applet)->bcc_name)
			err = check_name(&installation, (*applet)->bcc_name);
	return err ? err : make_links(&installation);
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

/* The help text that "stacktool WORD --help" prints. */
static void add_help(const struct applet *applet, const char *word, struct buf *text)
{
	_cleanup_(freep) char *command = xasprintf("stacktool %s", path_name(word));

	help_text(applet, command, applet->options, false, text);
}

/* help [APPLET] (also as --help, -h), and help --man [stacktool|APPLET|probes]. */
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
		add_help(applet, word, &text);
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
