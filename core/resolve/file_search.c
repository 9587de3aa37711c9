/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/resolve/file_search.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/escape.h"

#define MOST_MISSES 8 /* lines about misses; further ones are only counted */
#define PROBED_FILE 0xf0000000U /* first number for the symbol worker; files of a profile have smaller ones */

void file_search_done(struct file_search *search)
{
	for (size_t i = 0; i < search->files.nr; i++) {
		free(search->files.data[i].path);
		vec_done(&search->files.data[i].tgids);
	}
	vec_done(&search->files);
	buf_done(&search->misses);
}

/* Searches for an open file. 1 and its index, 0, or a recorded failure if files cannot be compared. */
static int find_file(const struct file_search *search, int fd, const char *path, const struct file_identity *identity,
		     size_t *ret_index)
{
	for (size_t i = 0; i < search->files.nr; i++) {
		const struct probed_file *file = &search->files.data[i];
		int same = file->fd < 0 ? file_identity_equal(&file->identity, identity)
					: file_is_same(file->fd, &file->identity, fd, identity);

		if (same < 0)
			return fail(same,
				    "'%s' on an overlay file system may be the same file as '%s'; they could not be "
				    "compared: %s",
				    path, file->path, strerror(-same));
		*ret_index = i;
		if (same)
			return 1;
	}
	return 0;
}

/* A process may have the same file under several names, which are added one after the other. */
static void add_tgid(struct probed_file *file, uint32_t tgid)
{
	if (!file->tgids.nr || vec_last(&file->tgids) != tgid)
		vec_push(&file->tgids, tgid);
}

int file_search_add(struct file_search *search, int fd, char *path, uint32_t tgid, size_t *ret_index)
{
	_cleanup_(closep) int file_fd = fd;
	_cleanup_(freep) char *file_path = path;
	struct probed_file file = { .number = PROBED_FILE + search->attach->nr_files };
	int err = file_identity(fd, &file.identity);
	int known = err ? fail(err, "'%s': %s", path, strerror(-err))
			: find_file(search, fd, path, &file.identity, ret_index);

	if (!known) {
		err = search->attach->nr_files ? 0 : symbolizer_await(search->symbolizer);
		if (err)
			return fail_start(err, "symbol worker");
		/* the search keeps one descriptor, the worker gets the other */
		file.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		err = file.fd < 0 ? -errno : 0;
		if (!err) {
			vec_push(&search->attach->fds, file.fd);
			err = symbolizer_add_file(search->symbolizer, file.number, take_fd(&file_fd), 0);
		}
		if (err)
			return fail(err, "'%s': cannot be passed to the symbol worker: %s", path, strerror(-err));
		search->attach->nr_files++;
		file.path = take_ptr(file_path);
		*ret_index = search->files.nr;
		vec_push(&search->files, file);
	}
	if (known < 0)
		return known;
	if (tgid)
		add_tgid(&search->files.data[*ret_index], tgid);
	return !known;
}

void file_search_close(struct file_search *search, size_t index)
{
	struct probed_file *file = &search->files.data[index];
	size_t nr = 0;

	for (size_t i = 0; i < search->attach->fds.nr; i++)
		if (search->attach->fds.data[i] != file->fd)
			search->attach->fds.data[nr++] = search->attach->fds.data[i];
	search->attach->fds.nr = nr;
	closep(&file->fd);
	file->fd = -1;
}

void file_search_miss(struct file_search *search, const char *format, ...)
{
	_cleanup_(buf_done) struct buf text = {};
	va_list arguments;

	if (search->nr_misses++ >= MOST_MISSES)
		return;
	va_start(arguments, format);
	buf_vaddf(&text, format, arguments);
	va_end(arguments);
	escape_add(&search->misses, buf_text(&text), ESCAPE_LINE);
	buf_addc(&search->misses, '\n');
}

void file_search_finish(struct file_search *search)
{
	if (search->nr_misses > MOST_MISSES)
		buf_addf(&search->misses, "%zu more like these\n", search->nr_misses - MOST_MISSES);
	if (search->nr_misses)
		buf_adds(&search->attach->missing, buf_text(&search->misses));
}
