/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information of a kernel: a vmlinux with the right build id. The addresses of a running kernel are shifted (KASLR). The distance is
 * computed from a function that has a frame and is in vmlinux.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/names.h"
#include "core/profile/profile.h"
#include "symbolize/symbolize.h"

struct kernel_debug {
	const char *vmlinux; /* from --vmlinux; NULL: search where distributions install it */
	const char *directories; /* for debug files, separated by colons, searched before /usr/lib/debug; NULL: none */
	struct debuginfod *debuginfod; /* queries servers last (debuginfod.h); NULL: none */
	struct buf *why; /* gets the paths that were searched (core/base/why.h); may be NULL */
	bool is_tried, is_found;
	bool knows_distance;
	uint32_t number; /* the symbolizer's number */
	uint64_t distance; /* modulo 2^64: address in the running kernel = address in vmlinux + distance */
};

/* A file to search for, where `debug` says. */
struct kernel_file {
	const struct kernel_debug *debug;
	struct symbolizer *symbolizer;
	bool is_module;
	const char *build_id;
	name_list places; /* tried after the build-id path, below each directory for debug files and below / */
	uint32_t number; /* the symbolizer's number of the last file that was tried */
	bool (*accept)(void *context, uint32_t number); /* whether to use a file that has the build id; NULL: use it */
	void *context;
};

/* Each returns whether it found the file: in the directories, at a path (which it frees), or on the servers. */
bool kernel_file_in_directories(struct kernel_file *file);
bool kernel_file_at(struct kernel_file *file, char *path);
bool kernel_file_from_servers(struct kernel_file *file);

/*
 * Finds the vmlinux of the profile's kernel (profile->host.kernel_build_id, profile->kernel_release) and passes it to the symbolizer. 0;
 * -ENOENT without a recorded cause if it is not found; or a recorded failure if debug->vmlinux cannot be used. Only the first call
 * searches; later ones return 0 or -ENOENT.
 */
int kernel_debug_open(struct kernel_debug *debug, const struct profile *profile, struct symbolizer *symbolizer);

/* The release of the profile's kernel, "6.1.0-13-amd64", malloc()ed; "": unknown, or it cannot be part of a path. */
char *kernel_debug_release(const struct profile *profile);

/* Computes the distance from a named frame of the kernel itself. False: none is suitable. Only after kernel_debug_open() returned 0. */
bool kernel_debug_measure(struct kernel_debug *debug, const struct profile *profile, struct symbolizer *symbolizer);
