/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a library or program as the user names it ("c", "ssl", "libssl.so.3", "bash") to its file.
 */
#pragma once

#include <stdint.h>

/*
 * Opens the file that is meant by a library name as bcc writes it ("c", "pthread", "libssl.so.3"), a path, or a program in PATH.
 * With `tgid` the mappings of that process are searched first: the file is the one that is mapped, wherever it lies, and the
 * path what /proc/PID/maps calls it; then the root of the process, and the path is one as the process sees it. A descriptor
 * and a malloc()ed path, or a negative errno with a recorded cause and a hint (a near name).
 */
int opener_open_library(const char *name, uint32_t tgid, char **ret_path);

/* ---- as the dynamic loader finds libraries ---- */

struct library_finder;

/* Reads the loader's configuration of this host; NULL where that cannot be done. */
struct library_finder *library_finder_new(void);
void library_finder_free(struct library_finder *finder);

/* Opens an ELF file for this machine by its absolute path: a descriptor, or a negative errno without a cause. */
int library_finder_open(const struct library_finder *finder, const char *path);

/* The path of the library with exactly this name in the loader's folders, malloc()ed; NULL when there is none. */
char *library_finder_find(const struct library_finder *finder, const char *name);
