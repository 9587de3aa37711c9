/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debug information of a kernel: a vmlinux with its build id. Addresses of a running kernel are moved (KASLR); how far is
 * told by the functions that frames are in, whose addresses the vmlinux knows.
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
	const char *build_id;
	name_list places; /* after that for the build id, below each directory of debug files and below / */
	bool (*take)(void *context, int fd); /* becomes owner of the descriptor; whether this is the file */
	void *context;
};

/* Each tries places until one has the file, or tries one path, which it frees. */
bool kernel_file_in_directories(const struct kernel_file *file);
bool kernel_file_at(const struct kernel_file *file, char *path);
bool kernel_file_from_servers(const struct kernel_file *file);

/*
 * Hands the vmlinux of the profile's kernel to the symbolizer: profile->host.kernel_build_id, profile->kernel_release. Once;
 * later calls have the same result. 0; -ENOENT without a cause when there is none, or a recorded failure about
 * debug->vmlinux, which must be that of this kernel.
 */
int kernel_debug_open(struct kernel_debug *debug, const struct profile *profile, struct symbolizer *symbolizer);

/* The release of the profile's kernel, "6.1.0-13-amd64"; "" unknown, or when it cannot be part of a path. malloc()ed. */
char *kernel_debug_release(const struct profile *profile);

/* Finds out the distance by a named frame of the kernel itself; false while that cannot be told. Only after an open one. */
bool kernel_debug_measure(struct kernel_debug *debug, const struct profile *profile, struct symbolizer *symbolizer);
