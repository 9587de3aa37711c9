// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What unwind tables cost: for each file its rows, rules and bytes, and the CPU time of the fastest of several compilations.
 *
 *   unwind_tables [-q] FILE…
 *
 * With -q one line "BYTES-PER-ROW NS-PER-ROW" of the file; exit status 1 for a file that has no table.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* Opening, reading, compiling: all that the worker does. */
static int compile(int fd, struct unwind_table *table)
{
	struct elf_file elf;
	int err = elf_file_open(&elf, fd);

	if (err)
		return err;
	err = unwind_compile(&elf, table);
	elf_file_done(&elf);
	return err;
}

static int measure(const char *path, bool quiet)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct unwind_table table = {};
	double best = 1e9;
	int err = fd < 0 ? -errno : 0;

	for (int i = 0; i < ROUNDS && !err; i++) {
		double start = now_ms();

		unwind_table_done(&table);
		err = compile(fd, &table);
		best = now_ms() - start < best ? now_ms() - start : best;
	}
	if (err) {
		fprintf(stderr, "%s: %s\n", path, strerror(-err));
		return 1;
	}
	if (quiet)
		printf("%.3f %.1f\n", (double)unwind_table_bytes(&table) / (double)table.rows.nr,
		       1e6 * best / (double)table.rows.nr);
	else
		printf("%9zu rows %6zu rules %10zu bytes %6.3f per row %8.2f ms %6.1f ns per row  %s\n", table.rows.nr,
		       table.rules.nr, unwind_table_bytes(&table),
		       (double)unwind_table_bytes(&table) / (double)table.rows.nr, best,
		       1e6 * best / (double)table.rows.nr, path);
	unwind_table_done(&table);
	return 0;
}

int main(int argc, char **argv)
{
	bool quiet = argc > 1 && !strcmp(argv[1], "-q");
	int status = 0;

	for (int i = quiet ? 2 : 1; i < argc; i++)
		status |= measure(argv[i], quiet);
	return status;
}
