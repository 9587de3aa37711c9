/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a saved profile, on the host that reads it. A file is searched by build id below the directories of
 * debug files (DIR/.build-id/ab/cdef…, then /usr/lib/debug) and at its own path, and used only if it has that build id.
 * A file without a build id is opened at its path if device and inode are those of the profile, which holds only on the
 * host that saved it.
 */
#pragma once

#include "core/profile/profile.h"
#include "symbolize/symbolize.h"

/* Limit of files to try: a saved profile may name millions, which would take hours. */
#define LOCAL_FILES_TRIES_MAX 16384

struct local_files {
	const struct profile *profile;
	struct symbolizer *symbolizer; /* with or without identify_only; reads build ids */
	const char *directories;       /* --debug-dir, separated by colons; NULL: none */
	uint32_t next_number;          /* the symbolizer's numbers from here on are free */
};

/*
 * The symbolizer's number for the file, or PROFILE_NONE if the file is not found. If `ret_fd` is not NULL, it gets a
 * descriptor of the file.
 */
uint32_t local_files_find(struct local_files *files, uint32_t file, int *ret_fd);

/* A separate debug file with the build id of a file of the profile: a descriptor, or -ENOENT. */
int local_files_find_debug(struct local_files *files, uint32_t file);

/* Whether frames of the profile still need names, or lines that its view requests. */
bool local_files_is_needed(const struct profile *profile);

/*
 * Finds names and lines, as far as possible, with its own symbol worker. `vmlinux` as in kernel_debug.h. 0 or a
 * recorded failure, also if that file is of another kernel.
 */
int local_files_name(struct profile *profile, const char *directories, const char *vmlinux);
