/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debug information of a kernel: a vmlinux with its build id. A running kernel has moved its addresses (KASLR); a
 * function that a frame is in, whose address the vmlinux has, shows by how much.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/names.h"
#include "core/profile/profile.h"
#include "symbolize/symbolize.h"

struct kernel_debug {
	const char *vmlinux; /* where the user says that it is; NULL: where distributions put it */
	const char *directories; /* of debug files, colons between them, searched before /usr/lib/debug; NULL none */
	struct debuginfod *debuginfod; /* servers are asked for it last (debuginfod.h); NULL: they are not */
	struct buf *why; /* is told where it was looked for (core/base/why.h); NULL */
	bool is_tried, is_found;
	bool knows_distance;
	uint32_t number; /* at the symbolizer */
	uint64_t distance; /* modulo 2^64: address here = address as the linker gave it + distance */
};

/* A file of a kernel that is looked for where `debug` says. */
struct kernel_file {
	const struct kernel_debug *debug;
	struct symbolizer *symbolizer;
	bool is_module;
	const char *build_id;
	name_list places; /* tried after the place for the build id, below each directory of debug files and below / */
	uint32_t number; /* at the symbolizer, of the last file that was tried */
	bool (*accept)(void *context, uint32_t number); /* whether a file with this build id will do; NULL: it will */
	void *context;
};

/* Each returns whether the file was found: in the directories, at one path, which is freed, or on the servers. */
bool kernel_file_in_directories(struct kernel_file *file);
bool kernel_file_at(struct kernel_file *file, char *path);
bool kernel_file_from_servers(struct kernel_file *file);

/*
 * Finds the vmlinux of the profile's kernel (profile->host.kernel_build_id, profile->kernel_release) and gives it to
 * the symbolizer. It is searched for once; later calls have the same result. 0; -ENOENT without a cause when there is
 * none; or a recorded failure about debug->vmlinux, which must be of this kernel.
 */
int kernel_debug_open(struct kernel_debug *debug, const struct profile *profile, struct symbolizer *symbolizer);

/* The release of the profile's kernel, "6.1.0-13-amd64"; "" unknown, or when it cannot be part of a path. malloc()ed. */
char *kernel_debug_release(const struct profile *profile);

/*
 * Finds the distance with a named frame of the kernel itself; false while none tells it. Call it after
 * kernel_debug_open() succeeded.
 */
bool kernel_debug_measure(struct kernel_debug *debug, const struct profile *profile, struct symbolizer *symbolizer);
