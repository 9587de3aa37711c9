/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "applets/install.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "applets/dispatch.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"

struct installation {
	const char *directory; /* as typed */
	int directory_fd;
	char program[PATH_MAX]; /* absolute */
	struct stat identity;   /* of the program */
	const char *target;     /* to which the links point */
	VEC(const char *) missing; /* names without a link yet */
};

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* A link in the program's own folder needs no path, so that the folder can be moved or mounted elsewhere. */
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

/* Notes a name that is free. A link to this program is fine, anything else is a failure. */
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

/* All, or none if one cannot be created. */
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

int install_links(const char *directory)
{
	_cleanup_(installation_done) struct installation installation = { .directory = directory, .directory_fd = -1 };
	int err = find_program(&installation);

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
