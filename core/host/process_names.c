/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/process_names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/names.h"
#include "core/base/vec.h"

#define PID_LIMIT 4194304ul /* PID_MAX_LIMIT of 64-bit kernels */
#define COMM_BYTES 15 /* TASK_COMM_LEN without the 0 */
#define SEPARATORS ", \t\n"

static bool has_comm(int proc, const char *id, const char *name)
{
	_cleanup_(freep) char *path = xasprintf("%s/comm", id);
	_cleanup_(closep) int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	char comm[COMM_BYTES + 2] = "";
	ssize_t length = fd < 0 ? -1 : read(fd, comm, sizeof(comm) - 1);

	if (length <= 0 || comm[length - 1] != '\n')
		return false;
	comm[length - 1] = '\0';
	return !strncmp(comm, name, COMM_BYTES);
}

/* The link of a program that was replaced ends in " (deleted)". */
static bool has_program(int proc, const char *id, const char *name)
{
	static const char deleted[] = " (deleted)";
	_cleanup_(freep) char *link = xasprintf("%s/exe", id);
	char path[PATH_MAX];
	ssize_t length = readlinkat(proc, link, path, sizeof(path) - 1);
	const char *program;
	size_t nr;

	if (length < 0)
		return false;
	path[length] = '\0';
	program = path_name(path);
	nr = strlen(name);
	return !strncmp(program, name, nr) && (!program[nr] || !strcmp(program + nr, deleted));
}

static int add_named(const char *name, struct u32_list *list)
{
	_cleanup_(closedirp) DIR *directory = opendir("/proc");
	const struct dirent *entry;
	const size_t before = list->nr;

	while (directory && (entry = readdir(directory))) {
		const unsigned long id = strtoul(entry->d_name, NULL, 10);

		if (!id || id == (unsigned long)getpid())
			continue;
		if (has_comm(dirfd(directory), entry->d_name, name) ||
		    has_program(dirfd(directory), entry->d_name, name))
			vec_push(list, (uint32_t)id);
	}
	if (list->nr > before)
		return 0;
	fail_no_match("argument -p/--pid: no process has the name '%s'", name);
	hint("give process ids, or the name of a command or of its program file");
	return -ESRCH;
}

/* A negative number is an impossible id rather than a name. */
static bool is_id(const char *word)
{
	return !word[strspn(word, "-0123456789")];
}

static int add_id(const char *text, struct u32_list *list)
{
	const unsigned long id = strlen(text) < 10 && *text != '-' ? strtoul(text, NULL, 10) : 0;

	if (!id || id > PID_LIMIT)
		return fail_usage("argument -p/--pid: '%s' is not a process id: give 1 to %lu, or a name", text,
				  PID_LIMIT);
	vec_push(list, (uint32_t)id);
	return 0;
}

int process_ids_parse(const char *text, void *ret_list)
{
	_cleanup_(freep) char *copy = xstrdup(text);
	struct u32_list *list = ret_list;
	const size_t before = list->nr;
	char *rest = copy, *word;
	int err = 0;

	while (!err && (word = strsep(&rest, SEPARATORS)))
		if (*word)
			err = is_id(word) ? add_id(word, list) : add_named(word, list);
	if (!err && strstr(text, ",,"))
		err = fail_usage("argument -p/--pid: '%s' has an empty entry", text);
	if (err)
		list->nr = before;
	else if (list->nr == before)
		err = fail_usage("argument -p/--pid: is empty: give process ids or names");
	return err;
}
