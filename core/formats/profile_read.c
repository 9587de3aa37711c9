/* SPDX-License-Identifier: GPL-2.0-or-later */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/formats/text_read.h"
#include "core/formats/profile_file.h"

enum {
	MAX_TEXT_BYTES = 1 << 30
};

static int read_all(int fd, const char *name, struct buf *bytes)
{
	while (bytes->nr <= MAX_TEXT_BYTES) {
		ssize_t nr;

		vec_reserve(bytes, bytes->nr + 65536);
		nr = read(fd, bytes->data + bytes->nr, bytes->room - bytes->nr);
		if (nr < 0 && errno != EINTR)
			return fail(-errno, "'%s': %s", name, strerror(errno));
		if (nr == 0)
			return 0;
		if (nr > 0)
			bytes->nr += (size_t)nr;
	}
	return fail(-EFBIG, "'%s': larger than %d MB", name, MAX_TEXT_BYTES >> 20);
}

/*
 * Opens a file, or a pipe such as `<(zcat x.gz)`; does not wait for the writer of a FIFO. Never opens a device, which could rewind a tape
 * or start a watchdog: O_PATH has no such effect.
 */
static int open_source(const char *path)
{
	_cleanup_(closep) int look = open(path, O_PATH | O_CLOEXEC), fd = -1;
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	char same[64];
	struct stat st;

	if (look < 0 || fstat(look, &st))
		return fail(-errno, "'%s': %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode))
		return fail(-EINVAL, "'%s': not a regular file", path);
	snprintf(same, sizeof(same), "/proc/self/fd/%d", look);
	fd = open(same, flags);
	if (fd < 0 && errno == ENOENT) /* no /proc */
		fd = open(path, flags);
	if (fd < 0 || fcntl(fd, F_SETFL, 0))
		return fail(-errno, "'%s': %s", path, strerror(errno));
	return take_fd(&fd);
}

static bool is_pipe(int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && S_ISFIFO(st.st_mode);
}

/* Reports add up counts in 64 bits. */
static int check_sums(const struct profile *profile, const char *name)
{
	uint64_t count = 0, sum = 0;

	for (size_t i = 0; i < profile->intervals.nr; i++) {
		const struct profile_interval *interval = &profile->intervals.data[i];

		for (size_t j = 0; j < interval->rows.nr; j++)
			if (__builtin_add_overflow(count, interval->rows.data[j].count, &count) ||
			    __builtin_add_overflow(sum, interval->rows.data[j].sum, &sum))
				return fail(-ERANGE, "'%s': its counts add up to 2^64 or more", name);
	}
	return 0;
}

static int decode(const struct buf *bytes, const char *name, struct profile *profile, struct buf *notes)
{
	static const char magic[] = "\x89STK";

	if (bytes->nr >= 4 && !memcmp(bytes->data, magic, 4))
		return profile_decode(bytes->data, bytes->nr, name, profile);
	if (!bytes->nr)
		return fail(-EINVAL, "'%s': is empty", name);
	if (perf_script_is(bytes->data, bytes->nr))
		return perf_script_decode(bytes->data, bytes->nr, name, profile, notes);
	return folded_decode(bytes->data, bytes->nr, name, profile, notes);
}

int profile_read(const char *path, struct profile *ret_profile, struct buf *ret_notes)
{
	_cleanup_(buf_done) struct buf bytes = {};
	bool standard = !strcmp(path, "-");
	const char *name = standard ? "standard input" : path;
	_cleanup_(closep) int opened = -1;
	int err;

	profile_init(ret_profile);
	if (!standard) {
		opened = open_source(path);
		if (opened < 0)
			return opened;
	}
	err = read_all(standard ? STDIN_FILENO : opened, name, &bytes);
	if (!err && !bytes.nr && is_pipe(opened)) {
		err = fail(-EINVAL, "'%s': nothing was read: no process writes to this pipe, or it wrote nothing",
			   name);
		hint("start the writer first, or use COMMAND | stacktool report -");
	}
	if (!err)
		err = decode(&bytes, name, ret_profile, ret_notes);
	return err ? err : check_sums(ret_profile, name);
}
