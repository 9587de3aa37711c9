/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the file of a library or program that the user names ("c", "ssl", "libssl.so.3", "bash"). */
#pragma once

#include <stdint.h>

/*
 * Opens a library by its name as in bcc ("c", "pthread", "libssl.so.3"), a path, or a program in PATH. With `tgid` the mappings of that
 * process are searched first: the result is the mapped file, and the path is that of /proc/PID/maps. Then the root of the process is
 * searched, and the path is below that root. Returns a descriptor and a malloc()ed path, or a negative errno with a recorded cause and a
 * hint (a similar name).
 */
int opener_open_library(const char *name, uint32_t tgid, char **ret_path);

/* ---- a finder that works as the dynamic loader ---- */

struct library_finder;

/* Reads the loader's configuration of this host; NULL if that is not possible. */
struct library_finder *library_finder_new(void);
void library_finder_free(struct library_finder *finder);

/* Opens an ELF file for this machine by its absolute path: a descriptor, or a negative errno without a cause. */
int library_finder_open(const struct library_finder *finder, const char *path);

/* The malloc()ed path of the library with exactly this name in the loader's directories; NULL: none. */
char *library_finder_find(const struct library_finder *finder, const char *name);
