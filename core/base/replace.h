/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes files whole or not at all: into a new file in the same directory, which is synced and then renamed. Replaces an existing regular
 * file; refuses anything else (device, FIFO, symbolic link), because as root a rename over /dev/null would remove it. Only the owner can
 * read the files, because reports show other users' processes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

struct replacement {
	FILE *out;
	const char *path;
	int directory_fd;
	char temporary[64]; /* name of the new file until the rename */
	bool given_away; /* replace_end() gives it to the user of replace_for() */
	const struct replace_agent *by; /* the agent that makes the file; NULL: this process */
};

/*
 * Creates the new file. Until replace_end(), the file at `path` is unchanged, and `path` must stay valid. Returns 0 or a negative errno
 * with a recorded cause.
 */
int replace_begin(const char *path, struct replacement *ret_replacement);

/*
 * Renames the new file to `path`. If `err` is not 0, removes the new file instead and returns `err`. Otherwise returns 0 or a negative
 * errno with a recorded cause.
 */
int replace_end(struct replacement *replacement, int err);

/* Writes a whole file. Errors as above. */
int replace_file(const char *path, const void *bytes, size_t nr_bytes);

/* Removes a file. Returns 0 or -errno with a recorded cause. */
int replace_remove(const char *path);

/*
 * Calls write(context, path). With an agent: if that fails because the disk is full or its file system has failed, tries other directories,
 * so that no recording is lost: $TMPDIR or /tmp, the current directory, /dev/shm. Returns the first error even then; its cause names the
 * kept file.
 */
int replace_or_keep(const char *path, int (*write)(void *context, const char *path), void *context);

/* Whether replace_or_keep() may choose this path. */
bool replace_is_kept(const char *path);

/*
 * Checks, before a long recording, whether replace_begin() works and a first block fits: creates a file and removes it. Returns the result
 * of replace_begin(), and the status of the directory.
 */
int replace_file_check(const char *path, struct stat *ret_directory);

/*
 * Another process that creates, writes, renames, removes and checks files, because this process may not. The functions return 0 or a
 * negative errno with a recorded cause. end() is called after the stream is closed; for an incomplete file, it returns the reason if that
 * process could not write.
 */
struct replace_agent {
	int (*begin)(const char *path, FILE **ret_out);
	int (*end)(const char *path, bool is_whole);
	int (*remove)(const char *path);
	int (*check)(const char *path, struct stat *ret_directory);
};

/* Makes the agent do this from now on; NULL: this process. */
void replace_by(const struct replace_agent *agent);

/*
 * Gives new files to this user, who called the tool through sudo, where that user could have created them: in directories that the user
 * owns or may write into, and in place of no other user's file.
 */
void replace_for(uid_t uid, gid_t gid);

bool replace_gives_away(void);
