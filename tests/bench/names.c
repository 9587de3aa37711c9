// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What names cost, in CPU time.
 *
 *   names file FILE N      "MS SYMBOLS US NS": to index the file (the fastest of seven) and its symbols; per address, to name N
 *                          random ones for the first time through the worker, both processes; to look up one of a thousand
 *                          that were looked up before
 *   names frame            nanoseconds for a frame that is known: what most addresses of a profile cost
 *   names kernel           "READ MS": milliseconds to read /proc/kallsyms to its end, and to make the table of it
 *   names host N FILE…     "FILES ADDRESSES DIRECT WORKER": milliseconds to name N random addresses of each file by the readers
 *                          in this process, and through the worker, both processes
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/spaces/spaces.h"
#include "symbolize/kernel/kallsyms.h"
#include "symbolize/worker/demangle.h"
#include "symbolize/worker/worker_files.h"

enum {
	ROUNDS = 7,
	WARM = 1000,
	WARM_ROUNDS = 1000,
};

__attribute__((noreturn)) static void give_up(const char *what)
{
	fprintf(stderr, "names: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double clock_ms(clockid_t clock)
{
	return (double)clock_now_ns(clock) / 1e6;
}

static double own_ms(void)
{
	return clock_ms(CLOCK_PROCESS_CPUTIME_ID);
}

/* Of this process and the worker; the supervisor does nothing meanwhile. */
static double both_ms(struct symbolizer *symbolizer)
{
	clockid_t clock;

	if (clock_getcpuclockid(symbolizer_worker_pid(symbolizer), &clock))
		give_up("worker");
	return own_ms() + clock_ms(clock);
}

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		give_up(path);
	return fd;
}

static const struct indexed_file *index_file(struct indexed_files *files, uint32_t number, const char *path)
{
	_cleanup_(closep) int fd = open_file(path);

	indexed_files_add(files, number, fd, false);
	return indexed_files_get(files, number);
}

/* Anywhere in the code of the file. */
static uint64_t random_offset(const struct symtab *table)
{
	const struct code_range *range = &table->code.data[(size_t)rand() % table->code.nr];

	return range->offset + ((uint64_t)rand() << 16 ^ (uint64_t)rand()) % range->size;
}

static struct symbol_query *random_places(const struct indexed_file *file, size_t nr)
{
	struct symbol_query *queries = xcalloc(nr, sizeof(*queries));

	srand(7);
	for (size_t i = 0; i < nr && file->table.code.nr; i++)
		queries[i] = (struct symbol_query){ .where = random_offset(&file->table), .exact = true };
	return queries;
}

/* ---- one file ---- */

static double index_ms(const char *path)
{
	double best = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		struct indexed_files files = {};
		double start = own_ms();

		index_file(&files, 0, path); /* it stays: the worker frees none either */
		best = own_ms() - start < best ? own_ms() - start : best;
	}
	return best;
}

static struct symbolizer *new_symbolizer(void)
{
	struct symbolizer *symbolizer;

	if (symbolizer_new(&(struct symbolizer_options){}, &symbolizer))
		give_up("symbolizer");
	return symbolizer;
}

static double first_us(const char *path, const struct symbol_query *queries, size_t nr)
{
	struct symbolizer *symbolizer = new_symbolizer();
	_cleanup_(freep) struct symbol_answer *answers = xcalloc(nr, sizeof(*answers));
	double start;

	symbolizer_add_file(symbolizer, 0, open_file(path), 0);
	symbolizer_name_file(symbolizer, 0, &(struct symbol_query){ .where = 1 }, 1, answers); /* it is indexed */
	start = both_ms(symbolizer);
	symbolizer_name_file(symbolizer, 0, queries, nr, answers);
	start = both_ms(symbolizer) - start;
	symbolizer_free(symbolizer);
	return start * 1e3 / (double)nr;
}

static double warm_ns(const struct indexed_file *file, const struct symbol_query *queries)
{
	static char scratch[NAME_MAX_BYTES];
	double best = 1e9;

	for (int round = 0; round < WARM_ROUNDS; round++) {
		double start = own_ms();

		for (size_t i = 0; i < WARM; i++) {
			struct found_place place;

			indexed_file_lookup(file, queries[i].where, scratch, &place);
		}
		best = own_ms() - start < best ? own_ms() - start : best;
	}
	return best * 1e6 / WARM;
}

static int measure_file(const char *path, size_t nr)
{
	struct indexed_files files = {};
	const struct indexed_file *file = index_file(&files, 0, path);
	_cleanup_(freep) struct symbol_query *queries = random_places(file, nr < WARM ? WARM : nr);

	if (file->status != SYMBOL_OK)
		give_up(path);
	printf("%.3f %zu %.4f %.1f\n", index_ms(path), (size_t)file->table.symbols.nr, first_us(path, queries, nr),
	       warm_ns(file, queries));
	return 0;
}

/* ---- a frame that is known ---- */

static int measure_frame(void)
{
	const struct profile_record record = { .tgid = (uint32_t)getpid() };
	struct symbolizer *symbolizer = new_symbolizer();
	struct profile profile;
	struct spaces *spaces;
	uint64_t addresses[100];
	uint32_t frames[100];
	double best = 1e9;

	profile_init(&profile);
	spaces = spaces_new(
		&(struct spaces_options){ .symbolizer = symbolizer, .profile = &profile, .no_frames = true });
	for (size_t i = 0; i < 100; i++)
		addresses[i] = (uint64_t)(uintptr_t)measure_frame + i;
	for (int round = 0; round < WARM_ROUNDS; round++) {
		double start = own_ms();

		spaces_add_frames(spaces, &record, addresses, 100, true, frames);
		best = own_ms() - start < best ? own_ms() - start : best;
	}
	printf("%.1f\n", best * 1e6 / 100);
	spaces_free(spaces);
	symbolizer_free(symbolizer);
	profile_done(&profile);
	return 0;
}

/* ---- the kernel ---- */

static void read_to_the_end(int fd)
{
	static char buffer[65536];
	off_t offset = 0;
	ssize_t got;

	while ((got = pread(fd, buffer, sizeof(buffer), offset)) > 0)
		offset += got;
}

static int measure_kernel(void)
{
	_cleanup_(closep) int first = open_file("/proc/kallsyms");
	_cleanup_(closep) int second = open_file("/proc/kallsyms");
	struct kallsyms kallsyms;
	double start = own_ms(), read_ms, table_ms;

	read_to_the_end(first);
	read_ms = own_ms() - start;
	start = own_ms();
	errno = -kallsyms_read(&kallsyms, second);
	table_ms = own_ms() - start;
	if (errno || !kallsyms.symbols.nr)
		give_up("/proc/kallsyms");
	printf("%.3f %.3f\n", table_ms, read_ms);
	kallsyms_done(&kallsyms);
	return 0;
}

/* ---- many files ---- */

/* As the worker names a place, but for the message. */
static void name_directly(const struct indexed_file *file, const struct symbol_query *queries, size_t nr)
{
	static char scratch[NAME_MAX_BYTES], readable[DEMANGLED_MAX_BYTES];

	for (size_t i = 0; i < nr; i++) {
		struct found_place place;

		if (indexed_file_lookup(file, queries[i].where, scratch, &place))
			demangle(place.name, readable);
	}
}

static int measure_host(char **paths, size_t nr)
{
	_cleanup_(freep) struct symbol_answer *answers = xcalloc(nr, sizeof(*answers));
	struct symbolizer *symbolizer = new_symbolizer();
	struct indexed_files files = {};
	double direct = 0, worker = 0;
	uint32_t number = 0;

	for (; paths[number]; number++) {
		double start = own_ms();
		const struct indexed_file *file = index_file(&files, number, paths[number]);
		_cleanup_(freep) struct symbol_query *queries = random_places(file, nr);

		name_directly(file, queries, nr);
		direct += own_ms() - start;
		start = both_ms(symbolizer);
		symbolizer_add_file(symbolizer, number, open_file(paths[number]), 0);
		symbolizer_name_file(symbolizer, number, queries, nr, answers);
		worker += both_ms(symbolizer) - start;
	}
	symbolizer_free(symbolizer);
	printf("%u %zu %.3f %.3f\n", number, number * nr, direct, worker);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "file"))
		return measure_file(argv[2], strtoul(argv[3], NULL, 10));
	if (argc == 2 && !strcmp(argv[1], "frame"))
		return measure_frame();
	if (argc == 2 && !strcmp(argv[1], "kernel"))
		return measure_kernel();
	if (argc > 3 && !strcmp(argv[1], "host"))
		return measure_host(argv + 3, strtoul(argv[2], NULL, 10));
	fprintf(stderr, "names: see the head of its source\n");
	return 2;
}
