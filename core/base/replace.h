/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes files whole or not at all: into a new file in the same directory, which is synced and then renamed. An existing regular
 * file is replaced; anything else (device, FIFO, symbolic link) is refused, because as root renaming over /dev/null would
 * remove it. Only the owner can read the files, because reports show processes of other people.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct replacement {
	FILE *out; /* for the content of the file */
	const char *path;
	int directory_fd;
	char temporary[64]; /* the name of the new file until it is renamed */
	const struct replace_agent *by; /* makes the file; NULL: this process does */
};

/*
 * Makes the new file; what `path` names stays as it is until replace_end(). `path` is borrowed until then. 0 or a negative errno
 * with a recorded cause.
 */
int replace_begin(const char *path, struct replacement *ret_replacement);

/*
 * Renames the new file to `path`. If `err` is not 0, the file is not whole: removes it and returns `err`. 0 or a negative errno with a
 * recorded cause.
 */
int replace_end(struct replacement *replacement, int err);

/* Writes a whole file at once. Errors as above. */
int replace_file(const char *path, const void *bytes, size_t nr_bytes);

/* Removes a file that was written before. 0 or -errno with a recorded cause. */
int replace_remove(const char *path);

/* Whether replace_begin() will work, to know before an hour of recording. Writes nothing; returns what replace_begin() would. */
int replace_file_check(const char *path);

/*
 * Another process that makes new files and passes their descriptors, renames or removes them at the end, and removes files, because
 * this process may not. Each function returns 0 or a negative errno with a recorded cause.
 */
struct replace_agent {
	int (*begin)(const char *path, int *ret_fd);
	int (*end)(const char *path, bool is_whole);
	int (*remove)(const char *path);
};

/* From now on the agent does that; NULL: this process. */
void replace_by(const struct replace_agent *agent);
