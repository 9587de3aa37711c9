/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/spaces_child.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <time.h>
#include <unistd.h>

#define CHILD_WORD "--report-addresses"

static void die(const char *what)
{
	perror(what);
	_exit(99);
}

static int find_place(struct dl_phdr_info *info, size_t size, void *context)
{
	struct child_place *place = context;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || place->address < start || place->address >= start + segment->p_memsz)
			continue;
		place->file_offset = place->address - start + segment->p_offset;
		snprintf(place->path, sizeof(place->path), "%s", info->dlpi_name);
		return 1;
	}
	return 0;
}

static struct child_place place_of(const void *address)
{
	struct child_place place = { .address = (uint64_t)(uintptr_t)address };
	char path[256];
	ssize_t length;

	if (!dl_iterate_phdr(find_place, &place))
		die("dl_iterate_phdr");
	length = readlink(place.path[0] ? place.path : "/proc/self/exe", path, sizeof(path) - 1);
	if (!place.path[0] && length > 0)
		snprintf(place.path, sizeof(place.path), "%.*s", (int)length, path);
	return place;
}

/* A function of the library by a name that every copy of it has. */
static const void *library_function(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	const void *function = library ? dlsym(library, "lgamma") : NULL;

	if (!function)
		die(path);
	return function;
}

void child_report_self(int fd, const char *library)
{
	struct child_report report;
	struct timespec now;

	memset(&report, 0, sizeof(report));
	report.tgid = (uint32_t)getpid();
	report.program = place_of((const void *)child_report_self);
	report.libc = place_of(dlsym(RTLD_DEFAULT, "qsort"));
	if (library)
		report.library = place_of(library_function(library));
	clock_gettime(CLOCK_MONOTONIC, &now);
	report.time_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	if (write(fd, &report, sizeof(report)) != sizeof(report))
		die("write");
}

void child_main_if_child(int argc, char **argv)
{
	if (argc < 3 || strcmp(argv[1], CHILD_WORD))
		return;
	child_report_self(atoi(argv[2]), argc > 3 ? argv[3] : NULL);
	_exit(0);
}

int child_exec(int fd, const char *library)
{
	char number[16];
	int pid = fork();

	if (pid)
		return pid;
	snprintf(number, sizeof(number), "%d", fd);
	execl("/proc/self/exe", "child", CHILD_WORD, number, library, NULL);
	die("execl");
	return 0;
}

void child_copy_library(const char *path)
{
	struct child_place place;
	int from, to;

	dlopen("libm.so.6", RTLD_NOW);
	place = place_of(library_function("libm.so.6"));
	from = open(place.path, O_RDONLY | O_CLOEXEC);
	to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	if (from < 0 || to < 0 || sendfile(to, from, NULL, 16 << 20) <= 0)
		die(path);
	close(from);
	close(to);
}

void child_read_report(int fd, struct child_report *ret_report)
{
	if (read(fd, ret_report, sizeof(*ret_report)) != sizeof(*ret_report))
		die("read");
}
