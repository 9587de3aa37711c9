/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files a command will map that has not been executed yet: its program as execvp(3) finds it, or the interpreter
 * of a script, the dynamic loader, and the libraries that the loader will find.
 *
 * The symbol worker reads the ELF files; forecast_add_needs() takes what a file needs. The forecast is a guess: when it
 * is wrong, a table is made for nothing or too late, and no more.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct forecast;

struct forecast_file {
	uint32_t number; /* of the file in this forecast */
	int fd;          /* owned by the caller */
};

/* `word` is the first argument of execvp(). NULL where the loader of this host cannot be asked. */
struct forecast *forecast_new(const char *word);
void forecast_free(struct forecast *forecast);

/* Opens the next file that was not given yet; false while there is none. */
bool forecast_next(struct forecast *forecast, struct forecast_file *ret_file);

/* What a file of the forecast needs, in the form of `needs` of unwind_table.h: `nr` bytes. */
void forecast_add_needs(struct forecast *forecast, uint32_t number, const char *needs, size_t nr);
