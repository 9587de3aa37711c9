/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/profile_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/replace.h"

enum {
	MAX_FILE_BYTES = 1 << 30
};

static const char *reason(int err)
{
	return strerror(err < 0 ? -err : err);
}

int profile_save_check(const char *path)
{
	return replace_file_check(path);
}

int profile_save(const struct profile *profile, const char *path)
{
	_cleanup_(buf_done) struct buf bytes = {};

	profile_encode(profile, &bytes);
	return replace_file(path, bytes.data, bytes.nr);
}

/* ---- loading ---- */

/* Reads to the size the file had when it was opened; one that shrinks meanwhile is found truncated by the decoder. */
static int read_all(int fd, struct buf *bytes, size_t nr_bytes)
{
	vec_reserve(bytes, nr_bytes + 1);
	while (bytes->nr < nr_bytes) {
		ssize_t nr = read(fd, bytes->data + bytes->nr, nr_bytes - bytes->nr);

		if (nr < 0 && errno != EINTR)
			return -errno;
		if (nr == 0)
			break;
		if (nr > 0)
			bytes->nr += (size_t)nr;
	}
	return 0;
}

/* Does not wait for the writer of a FIFO, does not touch devices. */
static int open_regular(const char *path, size_t *ret_nr_bytes)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return fail(-errno, "'%s': %s", path, reason(errno));
	if (!S_ISREG(st.st_mode))
		return fail(-EINVAL, "'%s': not a regular file", path);
	if (st.st_size > MAX_FILE_BYTES)
		return fail(-EFBIG, "'%s': larger than %d MB", path, MAX_FILE_BYTES >> 20);
	*ret_nr_bytes = (size_t)st.st_size;
	return take_fd(&fd);
}

int profile_load(const char *path, struct profile *ret_profile)
{
	_cleanup_(buf_done) struct buf bytes = {};
	size_t nr_bytes = 0;
	_cleanup_(closep) int fd = open_regular(path, &nr_bytes);
	int err;

	if (fd < 0)
		return fd;
	err = read_all(fd, &bytes, nr_bytes);
	if (err)
		return fail(err, "'%s': %s", path, reason(err));
	return profile_decode(bytes.data, bytes.nr, path, ret_profile);
}
