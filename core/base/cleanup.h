/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scope guards: `_cleanup_(closep) int fd = -1;` closes the descriptor at the end of its scope, also after a return.
 *
 * A cleanup function takes a pointer to the variable, as the compiler's cleanup attribute requires, and ignores an empty one (-1, NULL).
 * take_fd() and take_ptr() pass the value to another owner.
 */
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(function) __attribute__((cleanup(function)))

static inline void closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static inline void freep(void *pointer)
{
	free(*(void **)pointer);
}

static inline void fclosep(FILE **file)
{
	if (*file)
		fclose(*file);
}

static inline void closedirp(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}

/* Returns the descriptor and sets the variable to -1, so that it is not closed. */
static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/* Returns the pointer and sets the variable to NULL, so that it is not freed. */
#define take_ptr(pointer)                               \
	({                                              \
		__typeof__(pointer) taken_ = (pointer); \
		(pointer) = NULL;                       \
		taken_;                                 \
	})
