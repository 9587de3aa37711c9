/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scope guards: `_cleanup_(closep) int fd = -1;` releases a local at every way out of its scope.
 *
 * A cleanup function takes a pointer to the variable, as the compiler's cleanup attribute asks, and accepts the
 * variable's empty value. Hand a guarded value over with take_fd() or take_ptr().
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

/* Gives the descriptor away: the guarded variable no longer owns it. */
static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/* Gives the pointer away: the guarded variable no longer owns it. */
#define take_ptr(pointer)                               \
	({                                              \
		__typeof__(pointer) taken_ = (pointer); \
		(pointer) = NULL;                       \
		taken_;                                 \
	})
