/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of a symbol table: a string table of the file, in memory or read name by name.
 *
 * Small string tables are loaded once. Large ones (a C++ library has megabytes) stay in the file, which is kept open:
 * most of their names are never needed, and memory is scarce.
 */
#pragma once

#include <string.h>

#include "symbolize/elf/elf_file.h"

/* Longer names are truncated. */
#define NAME_MAX_BYTES 16384

struct name {
	const char *text; /* not NUL-terminated */
	size_t nr_bytes;
};

struct names {
	bool is_open; /* zeroed names are empty */
	int fd; /* owned; -1: the table came from memory, and the copy is kept */
	uint64_t offset, nr_bytes; /* of the string table */
	char *copy; /* of all of it, with a NUL at the end; NULL: names are read from the file */
};

/*
 * Opens the string table in this range of the file. Loads it, unless it is larger than `copy_max` and in a file. 0, -EBADMSG or another
 * negative errno.
 */
int names_open(struct names *names, const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes, uint64_t copy_max);
void names_done(struct names *names);

/* Loads a string table that was left in the file. If that fails, names are read from the file as before. */
void names_load(struct names *names);

/* Frees the copy, unless there is no file. Names are then read from the file. */
void names_drop_copy(struct names *names);

/*
 * The name at `position`, without version suffix ("memcpy@@GLIBC_2.14" is "memcpy"). It points into the copy or into
 * `scratch`. An unreadable name is empty.
 */
struct name names_get(const struct names *names, uint32_t position, char scratch[NAME_MAX_BYTES]);

/* Whether the names at two positions are the same, without their version suffixes. Adds the bytes compared to *nr_compared. */
bool names_same(const struct names *a, uint32_t position_a, const struct names *b, uint32_t position_b,
		uint64_t *nr_compared);

/* Inline: the texts are constants, and each line of the kernel's list is compared with several. */
static inline bool name_starts_with(struct name name, const char *prefix)
{
	size_t length = strlen(prefix);

	return name.nr_bytes >= length && !memcmp(name.text, prefix, length);
}

static inline bool name_is(struct name name, const char *text)
{
	return name.nr_bytes == strlen(text) && name_starts_with(name, text);
}

static inline bool name_ends_with(struct name name, const char *suffix)
{
	size_t length = strlen(suffix);

	return name.nr_bytes >= length && !memcmp(name.text + name.nr_bytes - length, suffix, length);
}

/*
 * Decides which of two names of one place to show: > 0 if `a` is better. Plain names are preferred to internal ones
 * ("malloc" to "__libc_malloc"), then fewer leading underscores, then the shorter name, then byte order, so that the
 * choice never depends on the order of the table.
 */
int name_compare(struct name a, struct name b);

/* Only the first of these rules, about the beginnings of names. 0 if they are equal in that. */
int name_compare_beginnings(struct name a, struct name b);

/* The rule by which `worse` lost, in words: "is longer". */
const char *name_rule(struct name better, struct name worse);

/*
 * Properties that decide between symbols at one address. A higher bit is more important, so two merits are compared as
 * numbers. If they are equal, the names decide (name_compare). For exported names, the beginnings of the names decide
 * before MERIT_GLOBAL (symtab.c).
 */
enum symbol_merit {
	MERIT_GLOBAL = 1, /* not weak */
	MERIT_DYNAMIC = 2, /* exported by the file: the name that its users know */
	MERIT_NOT_LOCAL = 4,
	MERIT_FUNCTION = 8, /* typed as a function */
	MERIT_SIZED = 16,
	MERIT_ALL = 31,
};
