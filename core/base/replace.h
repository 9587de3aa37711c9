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
#include <sys/stat.h>
#include <sys/types.h>

struct replacement {
	FILE *out; /* for the content of the file */
	const char *path;
	int directory_fd;
	char temporary[64]; /* the name of the new file until it is renamed */
	bool given_away; /* at the end, to the user of replace_for() */
	const struct replace_agent *by; /* makes the file; NULL: this process does */
};

/*
 * Makes the new file; what `path` names stays as it is until replace_end(). `path` is borrowed until then. 0 or a negative errno
 * with a recorded cause.
 */
int replace_begin(const char *path, struct replacement *ret_replacement);

/*
 * Renames the new file to `path`. If `err` is not 0, the file is not complete: removes it and returns `err`. 0 or a negative errno with a
 * recorded cause.
 */
int replace_end(struct replacement *replacement, int err);

/* Writes a whole file at once. Errors as above. */
int replace_file(const char *path, const void *bytes, size_t nr_bytes);

/* Removes a file that was written before. 0 or -errno with a recorded cause. */
int replace_remove(const char *path);

/*
 * Calls write(context, path). If that fails in a run because the disk is full or its file system has failed, calls it again for another
 * place, so that an hour of recording is not lost: $TMPDIR or /tmp, the current directory, and memory (/dev/shm). Returns the first failure
 * all the same; its cause then says where the file is.
 */
int replace_or_keep(const char *path, int (*write)(void *context, const char *path), void *context);

/* Whether replace_or_keep() may choose this path. */
bool replace_is_kept(const char *path);

/*
 * Whether replace_begin() will work and a first block fits, to know before an hour of recording: makes a new file and removes it.
 * Returns what replace_begin() would, and the status of the directory.
 */
int replace_file_check(const char *path, struct stat *ret_directory);

/*
 * Another process that makes new files, writes what comes through a stream, renames or removes them at the end, removes files, and checks
 * whether it can make one, because this process may not. Each function returns 0 or a negative errno with a recorded cause. end() is called
 * once the stream is closed; of a file that is not complete it returns why that process could not write it, if so.
 */
struct replace_agent {
	int (*begin)(const char *path, FILE **ret_out);
	int (*end)(const char *path, bool is_whole);
	int (*remove)(const char *path);
	int (*check)(const char *path, struct stat *ret_directory);
};

/* From now on the agent does that; NULL: this process. */
void replace_by(const struct replace_agent *agent);

/*
 * From now on new files belong to this user, who called the tool through sudo, where that user could have made them: the directory is
 * theirs, or they may write into it, and the file that is replaced, if any, is theirs too. Elsewhere files stay those of this process.
 */
void replace_for(uid_t uid, gid_t gid);

/* Whether replace_for() was called. */
bool replace_gives_away(void);
