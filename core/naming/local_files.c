/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/naming/local_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/files/debug_files.h"
#include "core/files/opener.h"
#include "core/naming/naming.h"
#include "core/naming/frame_lines.h"

/* Takes ownership of the descriptor. Returns the file's number, or PROFILE_NONE if it is another file. */
static uint32_t try_file(struct local_files *files, int fd, const char *build_id, int *ret_fd)
{
	_cleanup_(closep) int copy = ret_fd ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
	uint32_t number = files->next_number++;

	if (symbolizer_add_file(files->symbolizer, number, fd, 0))
		return PROFILE_NONE;
	if (*build_id && strcmp(symbolizer_build_id(files->symbolizer, number), build_id) != 0)
		return PROFILE_NONE;
	if (ret_fd)
		*ret_fd = take_fd(&copy);
	return number;
}

static uint32_t try_directories(struct local_files *files, const char *build_id, int *ret_fd)
{
	const char *rest = files->directories ?: "", *directory;
	uint32_t number = PROFILE_NONE;
	int length;

	while (number == PROFILE_NONE && (directory = debug_directory_next(&rest, &length))) {
		_cleanup_(freep) char *path =
			xasprintf("%.*s/.build-id/%.2s/%s", length, directory, build_id, build_id + 2);
		int fd = opener_open(&(struct opener_request){ .path = path });

		if (fd >= 0)
			number = try_file(files, fd, build_id, ret_fd);
	}
	return number;
}

static uint32_t try_path(struct local_files *files, const struct profile_file *file, const char *build_id, int *ret_fd)
{
	struct opener_request request = { .path = profile_string(files->profile, file->path) };
	int fd;

	if (!*build_id) {
		request.device = file->device;
		request.inode = file->inode;
	}
	if (*request.path != '/' || (!*build_id && !request.inode))
		return PROFILE_NONE;
	fd = opener_open(&request);
	return fd < 0 ? PROFILE_NONE : try_file(files, fd, build_id, ret_fd);
}

uint32_t local_files_find(struct local_files *files, uint32_t position, int *ret_fd)
{
	const struct profile_file *file = &files->profile->files.data[position];
	const char *build_id = profile_string(files->profile, file->build_id);
	uint32_t number = PROFILE_NONE;

	if (files->next_number >= LOCAL_FILES_TRIES_MAX)
		return PROFILE_NONE;
	if (build_id_is_plain(build_id))
		number = try_directories(files, build_id, ret_fd);
	else if (*build_id)
		return PROFILE_NONE;
	return number == PROFILE_NONE ? try_path(files, file, build_id, ret_fd) : number;
}

int local_files_find_debug(struct local_files *files, uint32_t position)
{
	const struct profile_file *file = &files->profile->files.data[position];
	const struct debug_search search = { .directories = files->directories };
	struct symbol_debug_request request = { profile_string(files->profile, file->build_id), "", 0 };

	if (!build_id_is_plain(request.build_id))
		return -ENOENT;
	for (;;) {
		int fd = debug_files_open(&search, &request), found = -1;

		if (fd < 0)
			return -ENOENT;
		if (try_file(files, fd, request.build_id, &found) != PROFILE_NONE)
			return found;
	}
}

static bool waits(const struct profile *profile, const struct profile_frame *frame)
{
	return (frame->kind == FRAME_USER_FILE && frame->reason == REASON_NOT_TRIED) ||
	       frame_lines_waits(profile, frame);
}

bool local_files_is_needed(const struct profile *profile)
{
	for (size_t i = 0; i < profile->frames.nr; i++)
		if (waits(profile, &profile->frames.data[i]))
			return true;
	return false;
}

static void find_waiting(struct local_files *files, uint32_t *numbers)
{
	const struct profile *profile = files->profile;

	for (size_t i = 0; i < profile->files.nr; i++)
		numbers[i] = PROFILE_NONE - 1; /* no frame needs it so far */
	for (size_t i = 0; i < profile->frames.nr; i++) {
		const struct profile_frame *frame = &profile->frames.data[i];

		if (frame->kind == FRAME_USER_FILE && waits(profile, frame) && numbers[frame->file] == PROFILE_NONE - 1)
			numbers[frame->file] = local_files_find(files, frame->file, NULL);
	}
}

int local_files_name(struct profile *profile, const char *directories, const char *vmlinux)
{
	struct debuginfod debuginfod = {};
	const struct naming naming = {
		.debug_directories = directories,
		.debuginfod = &debuginfod,
		.lines = profile->view.lines || profile->view.inlines,
	};
	_cleanup_(frame_lines_done) struct frame_lines lines = {
		.left_ns = FRAME_LINES_NS,
		.kernel = { .vmlinux = vmlinux, .directories = directories, .debuginfod = &debuginfod },
	};
	_cleanup_(freep) uint32_t *numbers = xcalloc(profile->files.nr, sizeof(*numbers));
	struct local_files files = { .profile = profile, .directories = directories };
	int err;

	debuginfod_start(&debuginfod);
	err = naming_start(&naming, &files.symbolizer);
	err = err ?: naming_await(files.symbolizer);
	if (err) {
		symbolizer_free(files.symbolizer);
		debuginfod_done(&debuginfod);
		return err;
	}
	if (vmlinux)
		err = kernel_debug_open(&lines.kernel, profile, files.symbolizer);
	find_waiting(&files, numbers);
	name_saved_frames(profile, files.symbolizer, numbers);
	frame_lines_find(&lines, profile, files.symbolizer, numbers, UINT64_MAX);
	naming_warn(files.symbolizer, NULL, true);
	symbolizer_free(files.symbolizer);
	debuginfod_done(&debuginfod);
	return err;
}
