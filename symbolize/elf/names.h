/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of a symbol table: a string table of the file.
 *
 * Small string tables are loaded once. Large ones (a C++ library has megabytes) stay in the file, which is kept open: most of their names
 * are never needed.
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
	bool is_open; /* zeroed: names are empty */
	int fd; /* owned; -1: the file was in memory, so the copy is kept */
	uint64_t offset, nr_bytes; /* of the string table */
	char *copy; /* of the table, followed by a NUL; NULL: names are read from the file */
};

/*
 * Opens the string table in this range of the file, and loads it unless it is in a file and larger than `copy_max`. Returns 0 or a negative
 * errno.
 */
int names_open(struct names *names, const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes, uint64_t copy_max);
void names_done(struct names *names);

/* Loads a string table that was left in the file. On failure it stays there. */
void names_load(struct names *names);

/* Frees the copy, unless there is no file. */
void names_drop_copy(struct names *names);

/* The name at `position`, without version suffix ("memcpy@@GLIBC_2.14": "memcpy"); in the copy or in `scratch`. Empty if unreadable. */
struct name names_get(const struct names *names, uint32_t position, char scratch[NAME_MAX_BYTES]);

/* Whether two names are the same, without version suffixes. Adds the compared bytes to *nr_compared. */
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
 * Decides which of two names of a place to show: > 0 if `a` is better. Rules, in order: no internal prefix ("malloc" before
 * "__libc_malloc"), fewer leading underscores, shorter, byte order. So the choice does not depend on the order of the table.
 */
int name_compare(struct name a, struct name b);

/* The first two of these rules; 0 if they do not decide. */
int name_compare_beginnings(struct name a, struct name b);

/* Why `worse` lost: "is longer". */
const char *name_rule(struct name better, struct name worse);

/*
 * Properties that decide between symbols at one address. Merits are compared as numbers; if they are equal, names decide (name_compare).
 * Between exported symbols, the beginnings of the names decide before MERIT_GLOBAL (symtab.c).
 */
enum symbol_merit {
	MERIT_GLOBAL = 1, /* not weak */
	MERIT_DYNAMIC = 2, /* exported: the name that users of the file know */
	MERIT_NOT_LOCAL = 4,
	MERIT_FUNCTION = 8, /* typed as a function */
	MERIT_SIZED = 16,
	MERIT_ALL = 31,
};
