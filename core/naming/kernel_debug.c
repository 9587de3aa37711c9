/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/naming/kernel_debug.h"

#include <errno.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/match.h"
#include "core/base/why.h"
#include "core/files/debug_files.h"
#include "core/files/debuginfod.h"
#include "core/files/opener.h"

enum {
	FIRST_NUMBER = 0x7e000000, /* larger than those of the profile's files */
	TRIES_MAX = 32, /* functions to try, until a name is unique */
	PAGE = 4096,
};

/* From "Linux 6.1.0-13-amd64 x86_64". */
char *kernel_debug_release(const struct profile *profile)
{
	const char *text = profile_string(profile, profile->kernel_release), *space = strchr(text, ' ');
	char *release = space ? xstrndup(space + 1, strcspn(space + 1, " ")) : xstrdup(text);

	if (release[0] == '.' || strchr(release, '/'))
		release[0] = '\0';
	return release;
}

/* Takes the descriptor. 0; -ENOEXEC: no ELF file with a build id; -ESTALE: another id; -ENODATA: refused by `accept`; -ENOMEM. */
static int check_file(struct kernel_file *file, int fd)
{
	uint32_t number = ++file->number;
	int err = file->is_module ? symbolizer_add_module(file->symbolizer, number, fd)
				  : symbolizer_add_file(file->symbolizer, number, fd, 0);
	const char *build_id = err ? "" : symbolizer_build_id(file->symbolizer, number);

	if (err)
		return -ENOMEM;
	if (*build_id && !strcmp(build_id, file->build_id))
		return !file->accept || file->accept(file->context, number) ? 0 : -ENODATA;
	why_add(file->debug->why, "its build id is %s, the %s's is %s", *build_id ? build_id : "none",
		file->is_module ? "module" : "kernel", file->build_id);
	return *build_id ? -ESTALE : -ENOEXEC;
}

bool kernel_file_at(struct kernel_file *file, char *path)
{
	_cleanup_(freep) char *owned = path;
	const struct opener_request request = { .path = owned, .why = file->debug->why };
	int fd = opener_open(&request);

	return fd >= 0 && !check_file(file, fd);
}

bool kernel_file_in_directories(struct kernel_file *file)
{
	const char *rest = file->debug->directories ?: "", *directory;
	int length;

	do {
		directory = debug_directory_next(&rest, &length);
		if (kernel_file_at(file, xasprintf("%.*s/.build-id/%.2s/%s.debug", length, directory ?: "",
						   file->build_id, file->build_id + 2)))
			return true;
		for (size_t i = 0; i < file->places.nr; i++)
			if (kernel_file_at(file, xasprintf("%.*s/%s", length, directory ?: "", file->places.data[i])))
				return true;
	} while (directory);
	return false;
}

bool kernel_file_from_servers(struct kernel_file *file)
{
	struct debuginfod *servers = file->debug->debuginfod;
	int fd = servers ? debuginfod_open(servers, file->build_id, file->debug->why) : -ENOENT;

	return fd >= 0 && !check_file(file, fd);
}

static int open_said(struct kernel_file *file)
{
	const char *path = file->debug->vmlinux;
	int fd = opener_open_user(path, 0), err;

	if (fd < 0)
		return fd;
	if (!*file->build_id) {
		closep(&fd);
		return fail(-ENODATA, "'%s': cannot be checked: the build id of the kernel is not known", path);
	}
	err = check_file(file, fd);
	if (err == -ESTALE)
		return fail(err, "'%s': not for this kernel: its build id is %s, the kernel's is %s", path,
			    symbolizer_build_id(file->symbolizer, file->number), file->build_id);
	return err ? fail(err, "'%s': not an ELF file with a build id", path) : 0;
}

/* Searches where distributions install it. */
static int open_usual(struct kernel_file *file, const char *release)
{
	bool is_found;

	if (!build_id_is_plain(file->build_id) || !*release) {
		why_add(file->debug->why, "vmlinux: not searched: the kernel's build id or release is unknown");
		return -ENOENT;
	}
	vec_push(&file->places, xasprintf("boot/vmlinux-%s", release));
	vec_push(&file->places, xasprintf("lib/modules/%s/vmlinux", release));
	vec_push(&file->places, xasprintf("usr/lib/modules/%s/vmlinux", release));
	is_found = kernel_file_in_directories(file) ||
		   kernel_file_at(file, xasprintf("/lib/modules/%s/build/vmlinux", release)) ||
		   kernel_file_from_servers(file);
	name_list_done(&file->places);
	return is_found ? 0 : -ENOENT;
}

int kernel_debug_open(struct kernel_debug *debug, const struct profile *profile, struct symbolizer *symbolizer)
{
	struct kernel_file file = {
		.debug = debug,
		.symbolizer = symbolizer,
		.number = FIRST_NUMBER,
		.build_id = profile_string(profile, profile->host.kernel_build_id),
	};
	_cleanup_(freep) char *release = kernel_debug_release(profile);
	int err;

	if (debug->is_tried)
		return debug->is_found ? 0 : -ENOENT;
	debug->is_tried = true;
	err = debug->vmlinux ? open_said(&file) : open_usual(&file, release);
	debug->number = file.number;
	debug->is_found = !err;
	return err;
}

bool kernel_debug_measure(struct kernel_debug *debug, const struct profile *profile, struct symbolizer *symbolizer)
{
	int tries = 0;

	for (size_t i = 0; i < profile->frames.nr && !debug->knows_distance && tries < TRIES_MAX; i++) {
		const struct profile_frame *frame = &profile->frames.data[i];
		uint64_t start = frame->where - frame->offset;
		_cleanup_(freep) struct symbol_function *functions = NULL;
		_cleanup_(freep) char *pattern = NULL;
		size_t nr = 0;

		if (frame->kind != FRAME_KERNEL || !frame->name || frame->level ||
		    strcmp(profile_string(profile, frame->module), "kernel") != 0)
			continue;
		tries++;
		pattern = match_wildcard(profile_string(profile, frame->name));
		if (!pattern || symbolizer_find(symbolizer, debug->number, pattern, &functions, &nr))
			continue;
		if (nr != 1 || (start - functions[0].address) % PAGE) /* several functions have this name */
			continue;
		debug->distance = start - functions[0].address;
		debug->knows_distance = true;
	}
	return debug->knows_distance;
}
