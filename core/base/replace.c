/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/names.h"

static const struct replace_agent *by;

static struct {
	bool is_set;
	uid_t uid;
	gid_t gid;
} owner;

void replace_by(const struct replace_agent *agent)
{
	by = agent;
}

void replace_for(uid_t uid, gid_t gid)
{
	owner.is_set = true;
	owner.uid = uid;
	owner.gid = gid;
}

bool replace_gives_away(void)
{
	return owner.is_set;
}

/* Keeps the directory open, so that the rename happens in it. */
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

/* In a directory or in place of a file of root, the file would let the user change what others trust. */
static bool is_for_owner(int directory_fd, const char *path)
{
	struct stat directory, replaced;

	if (!owner.is_set || fstat(directory_fd, &directory))
		return false;
	if (!fstatat(directory_fd, path_name(path), &replaced, AT_SYMLINK_NOFOLLOW) && replaced.st_uid != owner.uid)
		return false;
	return directory.st_uid == owner.uid || (directory.st_mode & S_IWOTH) ||
	       (directory.st_gid == owner.gid && (directory.st_mode & S_IWGRP));
}

/* In the same directory, because a rename works only within a file system. */
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
	replacement->given_away = is_for_owner(directory_fd, path);
	replacement->directory_fd = take_fd(&directory_fd);
	return 0;
}

#define FIRST_BLOCK 4096

int replace_file_check(const char *path, struct stat *ret_directory)
{
	struct replacement replacement = { .directory_fd = -1 };
	_cleanup_(closep) int fd = -1;
	int err = by ? by->check(path, ret_directory) : begin_here(path, &replacement, &fd);
	_cleanup_(closep) int directory_fd = replacement.directory_fd;

	if (err || by)
		return err;
	if (fstat(directory_fd, ret_directory))
		*ret_directory = (struct stat){};
	/* Some file systems cannot allocate; then the first write may fail. */
	if (fallocate(fd, 0, 0, FIRST_BLOCK) && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
		err = cannot_write(path, -errno);
	unlinkat(directory_fd, replacement.temporary, 0);
	return err;
}

int replace_begin(const char *path, struct replacement *ret_replacement)
{
	struct replacement replacement = { .path = path, .directory_fd = -1, .by = by };
	int fd, err = by ? by->begin(path, &replacement.out) : begin_here(path, &replacement, &fd);

	if (err)
		return err;
	if (!by)
		replacement.out = xcheck(fdopen(fd, "w"));
	*ret_replacement = replacement;
	return 0;
}

/* Syncs and renames the file. Returns 0 or a negative errno with a recorded cause. */
static int settle(struct replacement *replacement)
{
	if (fflush(replacement->out))
		return cannot_write(replacement->path, -errno);
	if (fsync(fileno(replacement->out)) || renameat(replacement->directory_fd, replacement->temporary,
							replacement->directory_fd, path_name(replacement->path)))
		return cannot_write(replacement->path, -errno);
	/* After the rename: in a directory with the sticky bit, only the owner may rename. A file server may refuse the change of owner. */
	if (replacement->given_away && fchown(fileno(replacement->out), owner.uid, owner.gid))
		replacement->given_away = false;
	fsync(replacement->directory_fd); /* syncs the new name; a failure is harmless */
	return 0;
}

/* Removes the new file and keeps the recorded cause. */
static void drop(struct replacement *replacement)
{
	_cleanup_(err_restore) struct err_saved before = err_save();

	unlinkat(replacement->directory_fd, replacement->temporary, 0);
}

/* Here a failed write is only a broken pipe; the agent knows the reason. */
static int end_by_agent(struct replacement *replacement, int err)
{
	const struct err_saved before = err_save();
	bool is_lost = ferror(replacement->out);
	int why;

	is_lost |= fclose(replacement->out) != 0;
	why = replacement->by->end(replacement->path, !err && !is_lost);
	if (is_lost || !err)
		return why || !is_lost ? why : cannot_write(replacement->path, -EIO);
	err_restore(&before);
	return err;
}

int replace_end(struct replacement *replacement, int err)
{
	_cleanup_(closep) int directory_fd = -1;
	_cleanup_(fclosep) FILE *out = NULL;

	if (replacement->by)
		return end_by_agent(replacement, err);
	directory_fd = replacement->directory_fd;
	out = replacement->out;
	err = err ?: settle(replacement);
	if (err)
		drop(replacement);
	return err;
}

#define KEPT "stacktool-kept-"

static const char *place(size_t n)
{
	const char *temporary = getenv("TMPDIR");

	switch (n) {
	case 0:
		return temporary && *temporary ? temporary : "/tmp";
	case 1:
		return ".";
	case 2:
		return "/dev/shm";
	default:
		return NULL;
	}
}

bool replace_is_kept(const char *path)
{
	for (size_t n = 0; place(n); n++) {
		_cleanup_(freep) char *begin = xasprintf("%s/" KEPT, place(n));

		if (!strncmp(path, begin, strlen(begin)) && !strchr(path + strlen(begin), '/'))
			return true;
	}
	return false;
}

/* Whether the error comes from the disk, and not from the path or from a limit of this process. */
static bool is_of_disk(int err)
{
	return err == -ENOSPC || err == -EDQUOT || err == -EIO || err == -EROFS || err == -ETIMEDOUT;
}

/* A new name each time: in a directory for all users, others may have created a known one. */
static char *new_place(const char *directory, const char *path)
{
	const char *name = path_name(path);
	const size_t added = sizeof(KEPT) + 8, length = strlen(name);
	uint64_t number = 0;

	if (length + added > NAME_MAX) /* keeps the suffix, which selects the format */
		name += length + added - NAME_MAX;
	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		number = (uint64_t)getpid();
	return xasprintf("%s/" KEPT "%08" PRIx32 "-%s", directory, (uint32_t)number, name);
}

int replace_or_keep(const char *path, int (*write)(void *context, const char *path), void *context)
{
	int err = write(context, path);
	struct err_saved first;

	if (!by || !is_of_disk(err))
		return err;
	first = err_save();
	for (size_t n = 0; place(n); n++) {
		_cleanup_(freep) char *kept = new_place(place(n), path);

		err_clear();
		if (!write(context, kept))
			return fail(err, "%s: the file is kept as '%s'", first.cause, kept);
	}
	err_restore(&first);
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
