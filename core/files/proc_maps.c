/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line of maps (fs/proc/task_mmu.c, show_map_vma):
 *
 *   55a0c1000000-55a0c1021000 r-xp 00002000 fe:00 131   <spaces>   /usr/bin/a name (deleted)
 *
 * The name is d_path() with only newlines escaped. A "\012" that is part of a name is read as a newline, because the side-band shows names
 * unescaped. A name can be 4 KB of newlines, which is four times as long when escaped; nested directories can make it even longer.
 */
#include "core/files/proc_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/files/helper.h"
#include "core/host/process.h"

#define MAX_LINE (4 * PATH_MAX + 256)
#define COPY_BYTES (64 << 10)

static const char deleted_suffix[] = " (deleted)";

static int digit_value(char c, unsigned int base)
{
	unsigned int value = 99;

	if (c >= '0' && c <= '9')
		value = (unsigned int)(c - '0');
	else if (c >= 'a' && c <= 'f')
		value = (unsigned int)(c - 'a') + 10;
	return value < base ? (int)value : -1;
}

/* Reads a number of at most 64 bits and skips `terminator`. A space may be missing at the end of the line. */
static int take_number(char **cursor, unsigned int base, char terminator, uint64_t *ret_value)
{
	uint64_t value = 0;
	char *c = *cursor;

	if (digit_value(*c, base) < 0)
		return -EBADMSG;
	for (; digit_value(*c, base) >= 0; c++)
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit_value(*c, base), &value))
			return -EBADMSG;
	if (*c != terminator && !(terminator == ' ' && !*c))
		return -EBADMSG;
	*cursor = *c ? c + 1 : c;
	*ret_value = value;
	return 0;
}

static int take_device(char **cursor, uint64_t *ret_device)
{
	uint64_t major, minor;

	if (take_number(cursor, 16, ':', &major) || take_number(cursor, 16, ' ', &minor))
		return -EBADMSG;
	if (major > UINT32_MAX || minor > UINT32_MAX)
		return -EBADMSG;
	*ret_device = major << 32 | minor;
	return 0;
}

static void unescape_newlines(char *name)
{
	char *write = name;

	for (const char *read = name; *read; read++) {
		if (!strncmp(read, "\\012", 4)) {
			*write++ = '\n';
			read += 3;
		} else {
			*write++ = *read;
		}
	}
	*write = '\0';
}

static bool cut_deleted(char *path)
{
	size_t length = strlen(path), nr_suffix = sizeof(deleted_suffix) - 1;

	if (length <= nr_suffix || strcmp(path + length - nr_suffix, deleted_suffix))
		return false;
	path[length - nr_suffix] = '\0';
	return true;
}

/* Names of plain memory; "[anon:NAME]" is set with prctl(). */
static bool is_memory_name(const char *path)
{
	return !strcmp(path, "[heap]") || !strncmp(path, "[stack", 6) || !strncmp(path, "[anon", 5);
}

enum mapping_kind mapping_classify(char *path, uint64_t inode, bool *ret_deleted)
{
	*ret_deleted = false;
	if (inode) {
		*ret_deleted = cut_deleted(path);
		return MAPPING_FILE;
	}
	if (!strcmp(path, "[vdso]"))
		return MAPPING_VDSO;
	if (path[0] == '[' && !is_memory_name(path))
		return MAPPING_SPECIAL;
	return MAPPING_ANONYMOUS; /* "", "//anon" of the side-band */
}

int proc_maps_parse(char *line, struct proc_mapping *ret_mapping)
{
	struct proc_mapping mapping = {};
	char *cursor = line;

	if (take_number(&cursor, 16, '-', &mapping.start) || take_number(&cursor, 16, ' ', &mapping.end) ||
	    mapping.start >= mapping.end)
		return -EBADMSG;
	if (strnlen(cursor, 5) < 5 || cursor[4] != ' ') /* "r-xp " */
		return -EBADMSG;
	mapping.executable = cursor[2] == 'x';
	cursor += 5;
	if (take_number(&cursor, 16, ' ', &mapping.file_offset) || take_device(&cursor, &mapping.device) ||
	    take_number(&cursor, 10, ' ', &mapping.inode))
		return -EBADMSG;
	cursor += strspn(cursor, " ");
	unescape_newlines(cursor);
	mapping.kind = mapping_classify(cursor, mapping.inode, &mapping.deleted);
	mapping.path = cursor;
	*ret_mapping = mapping;
	return 0;
}

/* What is called for mappings. */
struct visitor {
	proc_maps_visit *visit;
	void *context;
	bool wants_data; /* not only executable ones */
};

/*
 * Visits the whole lines in the buffer and moves the rest, *nr bytes, to its start. Returns the number of lines. A line that does not fit
 * is skipped to its end (`skips`): the part after the limit must not be taken for a line.
 */
static int take_lines(char *buffer, size_t *nr, bool *skips, const struct visitor *visitor)
{
	char *line = buffer, *end = buffer + *nr, *newline;
	struct proc_mapping mapping;
	int nr_lines = 0;

	for (; (newline = memchr(line, '\n', (size_t)(end - line))); line = newline + 1, nr_lines++) {
		*newline = '\0';
		if (!*skips && !proc_maps_parse(line, &mapping) && (mapping.executable || visitor->wants_data))
			visitor->visit(visitor->context, &mapping);
		*skips = false;
	}
	*nr = (size_t)(end - line);
	memmove(buffer, line, *nr);
	if (*nr == MAX_LINE) {
		*skips = true;
		*nr = 0;
	}
	return nr_lines;
}

/* Reads a file, or a pipe that the helper fills until it ends. */
static int read_lines(int fd, struct helper *helper, const struct visitor *visitor)
{
	char buffer[MAX_LINE + 1];
	bool skips = false;
	size_t nr = 0;
	int nr_lines = 0;

	for (;;) {
		int err = helper ? helper_await(helper, fd) : 0;
		ssize_t nr_read = err ? 0 : read(fd, buffer + nr, MAX_LINE - nr);

		if (err)
			return err;
		if (nr_read < 0 && errno == EINTR)
			continue;
		if (nr_read < 0 && errno != EAGAIN)
			return -errno;
		if (nr_read <= 0)
			return nr_lines;
		nr += (size_t)nr_read;
		nr_lines += take_lines(buffer, &nr, &skips, visitor);
	}
}

int proc_maps_read(int fd, proc_maps_visit *visit, void *context)
{
	return read_lines(fd, NULL, &(struct visitor){ visit, context });
}

struct copying {
	char path[64];
	int from, to; /* closed by us; -1: not open */
	char bytes[COPY_BYTES];
};

static int copy_maps(struct helper *helper, void *memory)
{
	struct copying *copying = memory;
	long nr, nr_written;

	copying->from = (int)syscall(SYS_openat, AT_FDCWD, copying->path, O_RDONLY | O_CLOEXEC, 0);
	if (copying->from < 0)
		return -errno;
	while ((nr = syscall(SYS_read, copying->from, copying->bytes, sizeof(copying->bytes))) > 0) {
		for (long done = 0; done < nr; done += nr_written) {
			helper_progress(helper);
			nr_written = syscall(SYS_write, copying->to, copying->bytes + done, nr - done);
			if (nr_written < 0)
				return -errno;
		}
	}
	return nr ? -errno : 0;
}

static int read_by_helper(struct helper *helper, int from, const struct visitor *visitor)
{
	int nr_lines, err = helper_start(helper, copy_maps, false);

	if (err)
		return err == -EBUSY ? -ETIMEDOUT : err;
	nr_lines = read_lines(from, helper, visitor);
	err = helper_end(helper);
	return nr_lines < 0 ? nr_lines : err ? err : nr_lines;
}

static int read_of(uint32_t tgid, const struct visitor *visitor)
{
	_cleanup_(helper_freep) struct helper *helper = NULL;
	uint32_t task = tgid ? process_living_task(tgid) : (uint32_t)getpid();
	struct copying *copying;
	int pipe_fds[2], nr_lines;

	if (process_has_ended(task))
		return -ESRCH;
	helper = helper_new(sizeof(struct copying));
	if (!helper)
		return -ENOMEM;
	copying = helper_memory(helper);
	snprintf(copying->path, sizeof(copying->path), "/proc/%" PRIu32 "/maps", task);
	if (pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	fcntl(pipe_fds[1], F_SETFL, 0); /* the helper blocks in write(), we wait in poll() */
	copying->from = -1;
	copying->to = pipe_fds[1];
	nr_lines = read_by_helper(helper, pipe_fds[0], visitor);
	closep(&copying->from);
	closep(&pipe_fds[0]);
	closep(&pipe_fds[1]);
	return nr_lines;
}

int proc_maps_read_of(uint32_t tgid, proc_maps_visit *visit, void *context)
{
	return read_of(tgid, &(struct visitor){ visit, context });
}

int proc_maps_read_all_of(uint32_t tgid, proc_maps_visit *visit, void *context)
{
	return read_of(tgid, &(struct visitor){ visit, context, .wants_data = true });
}
