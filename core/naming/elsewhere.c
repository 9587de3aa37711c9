/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/naming/elsewhere.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/files/debug_files.h"
#include "core/files/opener.h"
#include "core/naming/naming.h"
#include "core/naming/source_lines.h"

static bool has_build_id(const struct elsewhere *elsewhere, uint32_t number, const char *build_id)
{
	return !strcmp(symbolizer_build_id(elsewhere->symbolizer, number), build_id);
}

/* Takes the descriptor; the number of the file if it is the right one. */
static uint32_t try_file(struct elsewhere *elsewhere, int fd, const char *build_id, int *ret_fd)
{
	_cleanup_(closep) int copy = ret_fd ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
	uint32_t number = elsewhere->next_number++;

	if (symbolizer_add_file(elsewhere->symbolizer, number, fd))
		return PROFILE_NONE;
	if (*build_id && !has_build_id(elsewhere, number, build_id))
		return PROFILE_NONE;
	if (ret_fd)
		*ret_fd = take_fd(&copy);
	return number;
}

static uint32_t try_directory(struct elsewhere *elsewhere, const char *directory, int length, const char *build_id,
			      int *ret_fd)
{
	_cleanup_(freep) char *path = xasprintf("%.*s/.build-id/%.2s/%s", length, directory, build_id, build_id + 2);
	const struct opener_request request = { .path = path };
	int fd = opener_open(&request);

	return fd < 0 ? PROFILE_NONE : try_file(elsewhere, fd, build_id, ret_fd);
}

static uint32_t try_directories(struct elsewhere *elsewhere, const char *build_id, int *ret_fd)
{
	const char *rest = elsewhere->directories ?: "", *directory;
	uint32_t number = PROFILE_NONE;
	int length;

	while (number == PROFILE_NONE && (directory = debug_directory_next(&rest, &length)))
		number = try_directory(elsewhere, directory, length, build_id, ret_fd);
	return number;
}

static uint32_t try_path(struct elsewhere *elsewhere, const struct profile_file *file, const char *build_id,
			 int *ret_fd)
{
	struct opener_request request = { .path = profile_string(elsewhere->profile, file->path) };
	int fd;

	if (!*build_id) {
		request.device = file->device;
		request.inode = file->inode;
	}
	if (*request.path != '/' || (!*build_id && !request.inode))
		return PROFILE_NONE;
	fd = opener_open(&request);
	return fd < 0 ? PROFILE_NONE : try_file(elsewhere, fd, build_id, ret_fd);
}

uint32_t elsewhere_find(struct elsewhere *elsewhere, uint32_t position, int *ret_fd)
{
	const struct profile_file *file = &elsewhere->profile->files.data[position];
	const char *build_id = profile_string(elsewhere->profile, file->build_id);
	uint32_t number = PROFILE_NONE;

	if (elsewhere->next_number >= ELSEWHERE_TRIES_MAX)
		return PROFILE_NONE;
	if (strspn(build_id, "0123456789abcdef") != strlen(build_id) || strlen(build_id) == 1)
		return PROFILE_NONE; /* of a hostile file: it would be part of a path */
	if (strlen(build_id) > 2)
		number = try_directories(elsewhere, build_id, ret_fd);
	return number == PROFILE_NONE ? try_path(elsewhere, file, build_id, ret_fd) : number;
}

int elsewhere_find_debug(struct elsewhere *elsewhere, uint32_t position)
{
	const struct profile_file *file = &elsewhere->profile->files.data[position];
	const struct debug_search search = { .directories = elsewhere->directories };
	struct symbol_debug_wish wish = { profile_string(elsewhere->profile, file->build_id), "", 0 };

	if (strlen(wish.build_id) < 3 || strspn(wish.build_id, "0123456789abcdef") != strlen(wish.build_id))
		return -ENOENT;
	for (;;) {
		int fd = debug_files_open(&search, &wish), found = -1;

		if (fd < 0)
			return -ENOENT;
		if (try_file(elsewhere, fd, wish.build_id, &found) != PROFILE_NONE)
			return found;
	}
}

/* ---- names ---- */

static bool waits(const struct profile *profile, const struct profile_frame *frame)
{
	return (frame->kind == FRAME_USER_FILE && frame->reason == REASON_NOT_TRIED) ||
	       source_lines_waits(profile, frame);
}

bool elsewhere_is_needed(const struct profile *profile)
{
	for (size_t i = 0; i < profile->frames.nr; i++)
		if (waits(profile, &profile->frames.data[i]))
			return true;
	return false;
}

static void find_waiting(struct elsewhere *elsewhere, uint32_t *numbers)
{
	const struct profile *profile = elsewhere->profile;

	for (size_t i = 0; i < profile->files.nr; i++)
		numbers[i] = PROFILE_NONE - 1; /* nobody waits for it, so far */
	for (size_t i = 0; i < profile->frames.nr; i++) {
		const struct profile_frame *frame = &profile->frames.data[i];

		if (frame->kind == FRAME_USER_FILE && waits(profile, frame) && numbers[frame->file] == PROFILE_NONE - 1)
			numbers[frame->file] = elsewhere_find(elsewhere, frame->file, NULL);
	}
}

int elsewhere_name(struct profile *profile, const char *directories, const char *vmlinux)
{
	struct debuginfod debuginfod = {};
	const struct naming naming = {
		.debug_directories = directories,
		.debuginfod = &debuginfod,
		.lines = profile->view.lines || profile->view.inlines,
	};
	_cleanup_(source_lines_done) struct source_lines lines = {
		.left_ns = SOURCE_LINES_NS,
		.kernel = { .vmlinux = vmlinux, .directories = directories, .debuginfod = &debuginfod },
	};
	_cleanup_(freep) uint32_t *numbers = xcalloc(profile->files.nr, sizeof(*numbers));
	struct elsewhere elsewhere = { .profile = profile, .directories = directories };
	int err;

	debuginfod_start(&debuginfod);
	err = naming_start(&naming, &elsewhere.symbolizer);
	err = err ?: naming_await(elsewhere.symbolizer);
	if (err) {
		symbolizer_free(elsewhere.symbolizer);
		debuginfod_done(&debuginfod);
		return err;
	}
	if (vmlinux)
		err = kernel_debug_open(&lines.kernel, profile, elsewhere.symbolizer);
	find_waiting(&elsewhere, numbers);
	name_saved_frames(profile, elsewhere.symbolizer, numbers);
	source_lines_find(&lines, profile, elsewhere.symbolizer, numbers, UINT64_MAX);
	naming_warn(elsewhere.symbolizer, NULL, true);
	symbolizer_free(elsewhere.symbolizer);
	debuginfod_done(&debuginfod);
	return err;
}
