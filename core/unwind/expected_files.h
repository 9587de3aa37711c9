/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files a command will map that has not been executed yet: its program as execvp(3) finds it, or the interpreter
 * of a script, the dynamic loader, and the libraries that the loader will find.
 *
 * The symbol worker reads the ELF files; expected_files_add_needs() takes what a file needs. The list is a guess: when it
 * is wrong, a table is made for nothing or too late, and no more.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct expected_files;

struct expected_file {
	uint32_t number; /* of the file in this list */
	int fd;          /* owned by the caller */
};

/* `word` is the first argument of execvp(). NULL where the loader of this host cannot be asked. */
struct expected_files *expected_files_new(const char *word);
void expected_files_free(struct expected_files *files);

/* Opens the next file that was not given yet; false while there is none. */
bool expected_files_next(struct expected_files *files, struct expected_file *ret_file);

/* What a file of the list needs, in the form of `needs` of unwind_table.h: `nr` bytes. */
void expected_files_add_needs(struct expected_files *files, uint32_t number, const char *needs, size_t nr);
