/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/names.h"

static const struct replace_agent *by;

void replace_by(const struct replace_agent *agent)
{
	by = agent;
}

/* The directory stays open, so that the rename cannot end up elsewhere. */
static int open_directory(const char *path, int *ret_fd)
{
	const char *name = path_name(path);
	_cleanup_(freep) char *directory = name == path ? xstrdup(".") : xstrndup(path, (size_t)(name - path));
	int fd;

	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return fail(-EISDIR, "'%s': is a directory", path);
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fail(-errno, "'%s': cannot open its directory: %s", path, strerror(errno));
	*ret_fd = fd;
	return 0;
}

/* Only a regular file may be replaced: as root, renaming over /dev/null would remove the device. */
static int check_place(int directory_fd, const char *path)
{
	struct stat st;

	if (fstatat(directory_fd, path_name(path), &st, AT_SYMLINK_NOFOLLOW) == 0) {
		if (!S_ISREG(st.st_mode))
			return fail(-EEXIST, "'%s': exists and is not a regular file", path);
	} else if (errno != ENOENT) {
		return fail(-errno, "'%s': %s", path, strerror(errno));
	}
	if (faccessat(directory_fd, ".", W_OK | X_OK, AT_EACCESS))
		return fail(-errno, "'%s': cannot write into its directory: %s", path, strerror(errno));
	return 0;
}

int replace_file_check(const char *path)
{
	_cleanup_(closep) int directory_fd = -1;
	int err = open_directory(path, &directory_fd);

	return err ? err : check_place(directory_fd, path);
}

/* A random name in the same directory, because renaming works only within a file system. */
static void temporary_name(char *ret_name, size_t room)
{
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		number = (uint64_t)getpid();
	snprintf(ret_name, room, ".stacktool-%016" PRIx64 ".tmp", number);
}

static int cannot_write(const char *path, int err)
{
	_cleanup_(freep) char *what = xasprintf("'%s'", path);

	return fail_write(err, what);
}

/* Makes a new file beside `path`. */
static int begin_here(const char *path, struct replacement *replacement, int *ret_fd)
{
	_cleanup_(closep) int directory_fd = -1;
	int err = open_directory(path, &directory_fd);

	if (!err)
		err = check_place(directory_fd, path);
	if (err)
		return err;
	temporary_name(replacement->temporary, sizeof(replacement->temporary));
	*ret_fd = openat(directory_fd, replacement->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			 0600);
	if (*ret_fd < 0)
		return cannot_write(path, -errno);
	replacement->directory_fd = take_fd(&directory_fd);
	return 0;
}

int replace_begin(const char *path, struct replacement *ret_replacement)
{
	struct replacement replacement = { .path = path, .directory_fd = -1 };
	int fd, err;

	replacement.by = by;
	err = by ? by->begin(path, &fd) : begin_here(path, &replacement, &fd);
	if (err)
		return err;
	replacement.out = xcheck(fdopen(fd, "w"));
	*ret_replacement = replacement;
	return 0;
}

/* Syncs and renames the file. 0 or a negative errno with a recorded cause. */
static int settle(struct replacement *replacement)
{
	if (fflush(replacement->out))
		return cannot_write(replacement->path, -errno);
	if (replacement->by)
		return replacement->by->end(replacement->path, true);
	if (fsync(fileno(replacement->out)) || renameat(replacement->directory_fd, replacement->temporary,
							replacement->directory_fd, path_name(replacement->path)))
		return cannot_write(replacement->path, -errno);
	fsync(replacement->directory_fd); /* the new name; a file system that cannot do that has the file anyway */
	return 0;
}

/* Removes the new file. The recorded cause stays. */
static void drop(struct replacement *replacement)
{
	_cleanup_(err_restore) struct err_saved before = err_save();

	if (replacement->by)
		replacement->by->end(replacement->path, false);
	else
		unlinkat(replacement->directory_fd, replacement->temporary, 0);
}

int replace_end(struct replacement *replacement, int err)
{
	_cleanup_(closep) int directory_fd = replacement->directory_fd;
	_cleanup_(fclosep) FILE *out = replacement->out;

	err = err ?: settle(replacement);
	if (err)
		drop(replacement);
	return err;
}

int replace_remove(const char *path)
{
	if (by)
		return by->remove(path);
	return unlink(path) ? fail(-errno, "'%s': %s", path, strerror(errno)) : 0;
}

int replace_file(const char *path, const void *bytes, size_t nr_bytes)
{
	struct replacement replacement;
	int err = replace_begin(path, &replacement);

	if (err)
		return err;
	errno = 0;
	if (nr_bytes && fwrite(bytes, 1, nr_bytes, replacement.out) != nr_bytes)
		err = cannot_write(path, errno ? -errno : -EIO);
	return replace_end(&replacement, err);
}
