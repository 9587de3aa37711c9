/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a saved profile, on the host that reads it. They are found by build id below directories of debug files
 * (DIR/.build-id/ab/cdef…, then /usr/lib/debug) or at their own path, and used only if they have that build id. A file
 * without a build id is taken from its path if device and inode are those of the profile, so on the host that made it.
 */
#pragma once

#include "core/profile/profile.h"
#include "symbolize/symbolize.h"

/* At most so many files are tried: a saved profile may name millions, which would take the symbolizer hours. */
#define LOCAL_FILES_TRIES_MAX 16384

struct local_files {
	const struct profile *profile;
	struct symbolizer *symbolizer; /* with or without identify_only; knows build ids */
	const char *directories;       /* --debug-dir, colons between them; NULL none */
	uint32_t next_number;          /* the symbolizer's numbers from here on are free */
};

/*
 * The number that the symbolizer has for the file, or PROFILE_NONE when the file is not found. With `ret_fd` also a
 * descriptor of it for reading.
 */
uint32_t local_files_find(struct local_files *files, uint32_t file, int *ret_fd);

/* A separate debug file with the build id of a file of the profile: a descriptor, or -ENOENT. */
int local_files_find_debug(struct local_files *files, uint32_t file);

/* Whether frames of the profile wait for names, or for the lines that its view asks for. */
bool local_files_is_needed(const struct profile *profile);

/*
 * Finds names and lines, as far as there are any, with a symbol worker for this purpose. `vmlinux`: as in kernel_debug.h. 0 or a
 * recorded failure, also when that is another kernel's.
 */
int local_files_name(struct profile *profile, const char *directories, const char *vmlinux);
