/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Predicts which files a command will map, before it is executed: its program as execvp(3) finds it, the interpreter of a script, the
 * dynamic loader, and the libraries that the loader will find.
 *
 * The symbol worker reads the ELF files; expected_files_add_needs() gets what a file needs. A wrong prediction only makes a table too late,
 * or for nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct expected_files;

struct expected_file {
	uint32_t number; /* index of the file in this list */
	int fd; /* the caller's to close */
};

/* `word` is the first argument of execvp(). NULL if the loader's configuration of this host cannot be read. */
struct expected_files *expected_files_new(const char *word);
void expected_files_free(struct expected_files *files);

/* Opens the next file that was not returned yet; false if there is none now. */
bool expected_files_next(struct expected_files *files, struct expected_file *ret_file);

/* Adds what a file of the list needs: `nr` bytes in the form of `needs` of unwind_table.h. */
void expected_files_add_needs(struct expected_files *files, uint32_t number, const char *needs, size_t nr);
