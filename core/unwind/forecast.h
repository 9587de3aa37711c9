/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files a command will map that has not been executed yet: its program as execvp(3) finds it, or the interpreter of a
 * script, the dynamic loader, and the libraries as that finds them.
 *
 * ELF files are read elsewhere, in the symbol worker: what one needs is told by forecast_add_needs(). It is a guess, which
 * costs nothing but a table too many or too few: what has been opened says what it is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct forecast;

struct forecast_file {
	uint32_t number; /* of the file in this forecast */
	int fd;          /* the receiver's */
};

/* `word` is what execvp() gets. NULL where this host's loader cannot be asked. */
struct forecast *forecast_new(const char *word);
void forecast_free(struct forecast *forecast);

/* Opens the next file that is not known yet; false while there is none. */
bool forecast_next(struct forecast *forecast, struct forecast_file *ret_file);

/* What a file of the forecast needs, in the form of `needs` of unwind_table.h: `nr` bytes. */
void forecast_add_needs(struct forecast *forecast, uint32_t number, const char *needs, size_t nr);
