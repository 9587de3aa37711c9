/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a library or program as the user names it ("c", "ssl", "libssl.so.3", "bash") to the path of its file.
 */
#pragma once

#include <stdint.h>

/*
 * Finds the file behind a library name as bcc writes it ("c", "pthread", "libssl.so.3"), a path, or a program in PATH.
 * With `tgid` the mappings of that process are searched first, then its root, and the path is one as that process sees
 * it: open it with opener_open_user(path, tgid). 0 and a malloc()ed path, or a negative errno with a recorded cause and a
 * hint (a near name).
 */
int opener_find_library(const char *name, uint32_t tgid, char **ret_path);
