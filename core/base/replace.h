/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files written whole or not at all: into a new file in the same directory, synced, then renamed, so that the name
 * always holds a whole file. An existing regular file is replaced; anything else (device, FIFO, symbolic link) is
 * refused, because renaming over /dev/null as root would take it away. Readable by the owner only: reports tell of
 * other people's processes.
 */
#pragma once

#include <stddef.h>

/* 0 or a negative errno with a recorded cause. */
int replace_file(const char *path, const void *bytes, size_t nr_bytes);

/* Whether replace_file() could work, before an hour of recording: same answers, writes nothing. */
int replace_file_check(const char *path);
