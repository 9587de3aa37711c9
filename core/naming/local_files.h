/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the files of a saved profile on the host that reads it. A file is searched by build id below the directories for debug files
 * (DIR/.build-id/ab/cdef…, then /usr/lib/debug) and at its path, and used only if it has that build id. A file without a build id is opened
 * at its path if device and inode are those in the profile, which is only true on the host that saved it.
 */
#pragma once

#include "core/profile/profile.h"
#include "symbolize/symbolize.h"

/* Limit of files to try: a saved profile can name millions of files. */
#define LOCAL_FILES_TRIES_MAX 16384

struct local_files {
	const struct profile *profile;
	struct symbolizer *symbolizer; /* reads build ids; may be identify_only */
	const char *directories;       /* --debug-dir, separated by colons; NULL: none */
	uint32_t next_number; /* this and higher numbers are free for the symbolizer */
};

/* Returns the symbolizer's number for the file, or PROFILE_NONE if it is not found. *ret_fd gets a descriptor; ret_fd may be NULL. */
uint32_t local_files_find(struct local_files *files, uint32_t file, int *ret_fd);

/* Opens a separate debug file with the build id of a file of the profile: a descriptor, or -ENOENT. */
int local_files_find_debug(struct local_files *files, uint32_t file);

/* Whether frames of the profile still need names, or lines that its view requests. */
bool local_files_is_needed(const struct profile *profile);

/* Finds names and lines with its own symbol worker. `vmlinux` as in kernel_debug.h. 0 or a recorded failure, also of `vmlinux`. */
int local_files_name(struct profile *profile, const char *directories, const char *vmlinux);
