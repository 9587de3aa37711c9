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
#include "core/base/limits.h"

static const char *reason(int err)
{
	return strerror(err < 0 ? -err : err);
}

/* A path in two parts: an open directory and a name in it, so that the rename cannot end up elsewhere. */
struct place {
	int directory_fd;
	const char *name;
};

static void place_done(struct place *place)
{
	closep(&place->directory_fd);
}

static int open_place(const char *path, struct place *ret_place)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	_cleanup_(freep) char *directory = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
	int fd;

	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return fail(-EISDIR, "'%s': is a directory", path);
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fail(-errno, "'%s': cannot open its directory: %s", path, reason(errno));
	*ret_place = (struct place){ fd, name };
	return 0;
}

/* Only a regular file may be replaced: renaming over /dev/null, as root, would take the device away. */
static int check_place(const struct place *place, const char *path)
{
	struct stat st;

	if (fstatat(place->directory_fd, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		if (!S_ISREG(st.st_mode))
			return fail(-EEXIST, "'%s': exists and is not a regular file", path);
	} else if (errno != ENOENT) {
		return fail(-errno, "'%s': %s", path, reason(errno));
	}
	if (faccessat(place->directory_fd, ".", W_OK | X_OK, AT_EACCESS))
		return fail(-errno, "'%s': cannot write into its directory: %s", path, reason(errno));
	return 0;
}

int replace_file_check(const char *path)
{
	_cleanup_(place_done) struct place place = { -1, NULL };
	int err = open_place(path, &place);

	return err ? err : check_place(&place, path);
}

static int write_all(int fd, const char *bytes, size_t nr_bytes)
{
	while (nr_bytes) {
		ssize_t nr = write(fd, bytes, nr_bytes);

		if (nr < 0 && errno != EINTR)
			return -errno;
		if (nr > 0) {
			bytes += nr;
			nr_bytes -= (size_t)nr;
		}
	}
	return fsync(fd) ? -errno : 0;
}

/* A name nobody else has, in the same directory: rename works within one file system only. */
static void temporary_name(char *ret_name, size_t room)
{
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		number = (uint64_t)getpid();
	snprintf(ret_name, room, ".stacktool-%016" PRIx64 ".tmp", number);
}

static int write_new(const struct place *place, const char *temporary, const void *bytes, size_t nr_bytes)
{
	_cleanup_(closep) int fd =
		openat(place->directory_fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int err;

	if (fd < 0)
		return -errno;
	err = write_all(fd, bytes, nr_bytes);
	if (!err && renameat(place->directory_fd, temporary, place->directory_fd, place->name))
		err = -errno;
	if (err)
		unlinkat(place->directory_fd, temporary, 0);
	return err;
}

int replace_file(const char *path, const void *bytes, size_t nr_bytes)
{
	_cleanup_(place_done) struct place place = { -1, NULL };
	char temporary[64];
	int err = open_place(path, &place);

	if (!err)
		err = check_place(&place, path);
	if (err)
		return err;
	temporary_name(temporary, sizeof(temporary));
	err = write_new(&place, temporary, bytes, nr_bytes);
	if (err) {
		_cleanup_(freep) char *what = xasprintf("'%s'", path);

		return fail_write(err, what);
	}
	fsync(place.directory_fd); /* the name; some file systems cannot, and the file is there all the same */
	return 0;
}
