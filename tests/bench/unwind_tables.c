// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What unwind tables cost: for each file its rows, rules and bytes, and the CPU time of the fastest of several compilations.
 *
 *   unwind_tables [-q|-u] FILE…
 *
 * With -q one line "BYTES-PER-ROW NS-PER-ROW" of the file; exit status 1 for a file that has no table. With -u only the files with rows
 * that rules cannot express, and a sum (./dev unwind-rules).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "symbolize/cfi/unwind_compile.h"

enum {
	ROUNDS = 7,
};

static double now_ms(void)
{
	return (double)clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e6;
}

/* Opening, reading, compiling: all that the worker does; or without rows from instructions. */
static int compile(int fd, bool information_only, struct unwind_table *table)
{
	struct elf_file elf;
	int err = elf_file_open(&elf, fd);

	if (err)
		return err;
	err = information_only ? unwind_compile_information(&elf, table) : unwind_compile(&elf, table);
	elf_file_done(&elf);
	return err;
}

/* The CPU time of the fastest of several compilations. *table is the caller's. */
static int measure_compile(int fd, bool information_only, struct unwind_table *table, double *ret_ms)
{
	int err = 0;

	*ret_ms = 1e9;
	for (int i = 0; i < ROUNDS && !err; i++) {
		double start = now_ms();

		unwind_table_done(table);
		err = compile(fd, information_only, table);
		*ret_ms = now_ms() - start < *ret_ms ? now_ms() - start : *ret_ms;
	}
	return err;
}

static int measure(const char *path, bool quiet)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct unwind_table table = {}, information = {};
	double all = 0, less = 0;
	int err = fd < 0 ? -errno : measure_compile(fd, false, &table, &all);

	if (err) {
		fprintf(stderr, "%s: %s\n", path, strerror(-err));
		return 1;
	}
	if (!quiet)
		measure_compile(fd, true, &information, &less); /* a file without information has no such table */
	if (quiet)
		printf("%.3f %.1f\n", (double)unwind_table_bytes(&table) / (double)table.rows.nr,
		       1e6 * all / (double)table.rows.nr);
	else
		printf("%9zu rows %6zu rules %10zu bytes %6.3f per row %8.2f ms %6.1f ns per row, "
		       "%zu rows %.2f ms without those from instructions  %s\n",
		       table.rows.nr, table.rules.nr, unwind_table_bytes(&table),
		       (double)unwind_table_bytes(&table) / (double)table.rows.nr, all,
		       1e6 * all / (double)table.rows.nr, information.rows.nr, less, path);
	unwind_table_done(&table);
	unwind_table_done(&information);
	return 0;
}

static size_t nr_unsupported(const struct unwind_table *table)
{
	size_t nr = 0;

	for (size_t i = 0; i < table->rows.nr; i++)
		nr += table->rules.data[ST_UNWIND_ROW_RULE(table->rows.data[i])].kind == ST_UNWIND_UNSUPPORTED;
	return nr;
}

static int show_unsupported(char **paths)
{
	size_t nr_rows = 0, nr_files = 0, nr_bad_rows = 0;

	for (; *paths; paths++) {
		_cleanup_(closep) int fd = open(*paths, O_RDONLY | O_CLOEXEC);
		struct unwind_table table = {};

		if (fd < 0 || compile(fd, true, &table))
			continue;
		if (nr_unsupported(&table))
			printf("%9zu of %zu rows  %s\n", nr_unsupported(&table), table.rows.nr, *paths);
		nr_files++;
		nr_rows += table.rows.nr;
		nr_bad_rows += nr_unsupported(&table);
		unwind_table_done(&table);
	}
	printf("%9zu of %zu rows in %zu files with unwind information\n", nr_bad_rows, nr_rows, nr_files);
	return 0;
}

int main(int argc, char **argv)
{
	bool quiet = argc > 1 && !strcmp(argv[1], "-q");
	int status = 0;

	if (argc > 1 && !strcmp(argv[1], "-u"))
		return show_unsupported(argv + 2);
	for (int i = quiet ? 2 : 1; i < argc; i++)
		status |= measure(argv[i], quiet);
	return status;
}
