/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a fuzz target once with each file below the given folders: a regression test with the corpus, without libFuzzer. */
#include <errno.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

static unsigned int nr_inputs;

static int feed(const char *path, const struct stat *st, int type, struct FTW *where)
{
	FILE *file;
	uint8_t *data;
	size_t size;

	(void)where;
	if (type != FTW_F)
		return 0;
	file = fopen(path, "rb");
	data = malloc(st->st_size ? st->st_size : 1); /* the exact size, so that the sanitizer finds reads beyond it */
	if (!file || !data) {
		perror(path);
		return 1;
	}
	size = fread(data, 1, st->st_size, file);
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	nr_inputs++;
	return 0;
}

int main(int argc, char **argv)
{
	uint8_t *nothing = malloc(1);

	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	LLVMFuzzerTestOneInput(nothing, 0);
	free(nothing);
	for (int i = 1; i < argc; i++)
		if (nftw(argv[i], feed, 16, FTW_PHYS) && errno != ENOENT)
			return 1;
	printf("%u inputs\n", nr_inputs);
	return 0;
}
