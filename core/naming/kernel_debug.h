/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information of a kernel: a vmlinux with the right build id. A running kernel has moved its addresses (KASLR).
 * The distance is computed from a function of a frame that vmlinux has too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/names.h"
#include "core/profile/profile.h"
#include "symbolize/symbolize.h"

struct kernel_debug {
	const char *vmlinux; /* path from the user; NULL: search where distributions install it */
	const char *directories; /* of debug files, separated by colons, searched before /usr/lib/debug; NULL: none */
	struct debuginfod *debuginfod; /* servers that are queried last (debuginfod.h); NULL: none */
	struct buf *why; /* gets the paths that were searched (core/base/why.h); NULL: not wanted */
	bool is_tried, is_found;
	bool knows_distance;
	uint32_t number; /* the symbolizer's number */
	uint64_t distance; /* modulo 2^64: address in the running kernel = address in vmlinux + distance */
};

/* A file to search for, in the places that `debug` names. */
struct kernel_file {
	const struct kernel_debug *debug;
	struct symbolizer *symbolizer;
	bool is_module;
	const char *build_id;
	name_list places; /* tried after the build-id path, below each directory of debug files and below / */
	uint32_t number; /* the symbolizer's number of the file that was tried last */
	bool (*accept)(void *context, uint32_t number); /* whether to take a file with this build id; NULL: take it */
	void *context;
};

/* Each returns whether it found the file: in the directories, at one path (which is freed), or on the servers. */
bool kernel_file_in_directories(struct kernel_file *file);
bool kernel_file_at(struct kernel_file *file, char *path);
bool kernel_file_from_servers(struct kernel_file *file);

/*
 * Finds the vmlinux of the profile's kernel (profile->host.kernel_build_id, profile->kernel_release) and passes it to
 * the symbolizer. It is searched for once; later calls return the same result. 0; -ENOENT without a cause if there is
 * none; or a recorded failure if debug->vmlinux is not of this kernel.
 */
int kernel_debug_open(struct kernel_debug *debug, const struct profile *profile, struct symbolizer *symbolizer);

/* The release of the profile's kernel, "6.1.0-13-amd64"; "" unknown, or when it cannot be part of a path. malloc()ed. */
char *kernel_debug_release(const struct profile *profile);

/*
 * Computes the distance from a named frame of the kernel itself; false if no frame is suitable. Call
 * kernel_debug_open() first, with success.
 */
bool kernel_debug_measure(struct kernel_debug *debug, const struct profile *profile, struct symbolizer *symbolizer);
