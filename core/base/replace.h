/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files written whole or not at all: into a new file in the same directory, synced, then renamed, so that the name
 * always holds a whole file. An existing regular file is replaced; anything else (device, FIFO, symbolic link) is
 * refused, because renaming over /dev/null as root would take it away. Readable by the owner only: reports tell of
 * other people's processes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct replacement {
	FILE *out; /* what is written here will be the file */
	const char *path;
	int directory_fd;
	char temporary[64]; /* its name until then */
	const struct replace_agent *by; /* who makes it; NULL: this process */
};

/* Begins to write the file; `path` stays as it is until replace_end(). 0 or a negative errno with a recorded cause. */
int replace_begin(const char *path, struct replacement *ret_replacement);

/*
 * Puts what was written in the place of the file, or drops it if `err` tells that it is not whole, and then returns `err`.
 * 0 or a negative errno with a recorded cause.
 */
int replace_end(struct replacement *replacement, int err);

/* All of it at once. */
int replace_file(const char *path, const void *bytes, size_t nr_bytes);

/* Removes a file that was written before. 0 or -errno with a recorded cause. */
int replace_remove(const char *path);

/* Whether replace_begin() would work, before an hour of recording. Writes nothing; returns what replace_begin() would. */
int replace_file_check(const char *path);

/*
 * Another process that may do what this one may not: it makes the new file and hands over its descriptor, gives it its name or
 * drops it, and removes files. Each returns 0 or a negative errno with a recorded cause. NULL: this process does it.
 */
struct replace_agent {
	int (*begin)(const char *path, int *ret_fd);
	int (*end)(const char *path, bool is_whole);
	int (*remove)(const char *path);
};

void replace_by(const struct replace_agent *agent);
