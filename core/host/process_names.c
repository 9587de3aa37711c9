/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/process_names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/names.h"
#include "core/base/vec.h"
#include "core/host/process.h"

#define PID_LIMIT 4194304ul /* PID_MAX_LIMIT of 64-bit kernels */
#define COMM_BYTES 15 /* TASK_COMM_LEN without the 0 */
#define COMM_ROOM 80 /* for kernel threads, /proc adds the current work */
#define ENDS_OF_ENTRY ",\t\n"
#define BLANKS " "
#define NUMBERS "-0123456789"

/* What the user typed. */
struct wanted {
	const char *name;
	const char *path; /* with links resolved; the name itself if it is no path */
	size_t length;
};

static bool read_comm(int proc, const char *id, char ret_comm[COMM_ROOM])
{
	_cleanup_(freep) char *path = xasprintf("%s/comm", id);
	_cleanup_(closep) int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, ret_comm, COMM_ROOM);

	if (length <= 0 || ret_comm[length - 1] != '\n')
		return false;
	ret_comm[length - 1] = '\0';
	return true;
}

/* False for a kernel thread. Removes the " (deleted)" of a replaced program. */
static bool read_program(int proc, const char *id, char ret_path[PATH_MAX])
{
	static const char deleted[] = " (deleted)";
	_cleanup_(freep) char *link = xasprintf("%s/exe", id);
	ssize_t length = readlinkat(proc, link, ret_path, PATH_MAX - 1);
	size_t nr_deleted = sizeof(deleted) - 1;

	if (length < 0)
		return false;
	if ((size_t)length > nr_deleted && !memcmp(ret_path + length - nr_deleted, deleted, nr_deleted))
		length -= (ssize_t)nr_deleted;
	ret_path[length] = '\0';
	return true;
}

/* ps shows the names of kernel threads in brackets. */
static bool is_in_brackets(const struct wanted *wanted, const char *comm)
{
	return wanted->name[0] == '[' && wanted->name[wanted->length - 1] == ']' &&
	       strlen(comm) == wanted->length - 2 && !memcmp(wanted->name + 1, comm, wanted->length - 2);
}

/*
 * A command name is cut to 15 bytes. If it is the beginning of the program's name, the program's name must match; else the program is an
 * interpreter, or the process has set its name.
 */
static bool is_wanted(const struct wanted *wanted, const char *comm, const char *path)
{
	const char *program = path ? path_name(path) : "";

	if (!strcmp(comm, wanted->name) || !strcmp(program, wanted->name))
		return true;
	if (!path)
		return is_in_brackets(wanted, comm);
	if (!strcmp(path, wanted->path))
		return true;
	return wanted->length > COMM_BYTES && strlen(comm) == COMM_BYTES && !strncmp(comm, wanted->name, COMM_BYTES) &&
	       strncmp(program, comm, COMM_BYTES) != 0;
}

static void add_new(struct u32_list *list, uint32_t id)
{
	for (size_t i = 0; i < list->nr; i++)
		if (list->data[i] == id)
			return;
	vec_push(list, id);
}

static bool has_ended(uint32_t id)
{
	_cleanup_(err_restore) struct err_saved before = err_save();

	return process_exists(id);
}

static void find_named(const struct wanted *wanted, struct u32_list *living, struct u32_list *ended)
{
	_cleanup_(closedirp) DIR *directory = opendir("/proc");
	char comm[COMM_ROOM], path[PATH_MAX];
	const struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		const unsigned long id = strtoul(entry->d_name, NULL, 10);
		bool has_path;

		if (!id || id == (unsigned long)getpid() || !read_comm(dirfd(directory), entry->d_name, comm))
			continue;
		has_path = read_program(dirfd(directory), entry->d_name, path);
		if (!is_wanted(wanted, comm, has_path ? path : NULL))
			continue;
		if (has_ended((uint32_t)id))
			vec_push(ended, (uint32_t)id);
		else
			vec_push(living, (uint32_t)id);
	}
}

/* Adds the living processes with this name, or the zombies if there are no others. False: there are none. */
static bool add_named(const char *name, struct u32_list *list)
{
	_cleanup_(freep) char *path = strchr(name, '/') ? realpath(name, NULL) : NULL;
	const struct wanted wanted = { name, path ? path : name, strlen(name) };
	struct u32_list living = {}, ended = {};
	const struct u32_list *found = &living;
	bool any;

	find_named(&wanted, &living, &ended);
	if (!living.nr)
		found = &ended;
	for (size_t i = 0; i < found->nr; i++)
		add_new(list, found->data[i]);
	any = found->nr;
	vec_done(&living);
	vec_done(&ended);
	return any;
}

static int fail_none(const char *name)
{
	fail_no_match("argument -p/--pid: no process has the name '%s'", name);
	hint("give process ids, or the name of a command or of its program file");
	return -ESRCH;
}

/* Negative numbers are ids too, impossible ones. */
static bool is_id(const char *word)
{
	return !word[strspn(word, NUMBERS)];
}

static int add_id(const char *text, struct u32_list *list)
{
	const unsigned long id = strlen(text) < 10 && !strchr(text, '-') ? strtoul(text, NULL, 10) : 0;

	if (!id || id > PID_LIMIT)
		return fail_usage("argument -p/--pid: '%s' is not a process id: give 1 to %lu, or a name", text,
				  PID_LIMIT);
	add_new(list, (uint32_t)id);
	return 0;
}

static char *trim(char *text)
{
	size_t length;

	text += strspn(text, BLANKS);
	length = strlen(text);
	while (length && strchr(BLANKS, text[length - 1]))
		text[--length] = '\0';
	return text;
}

/* Adds the words of an entry that is not a name itself. If its first word is not found, the error is about the whole entry. */
static int add_words(const char *entry, struct u32_list *list)
{
	_cleanup_(freep) char *copy = xstrdup(entry);
	char *rest = copy, *word;
	bool any = false;

	while ((word = strsep(&rest, BLANKS))) {
		if (!*word)
			continue;
		if (is_id(word)) {
			int err = add_id(word, list);

			if (err)
				return err;
		} else if (!add_named(word, list)) {
			return fail_none(any ? word : entry);
		}
		any = true;
	}
	return 0;
}

/* Adds the part between two separators. A name may have blanks, also at its ends. */
static int add_entry(char *entry, struct u32_list *list)
{
	char *trimmed;

	if (!entry[strspn(entry, NUMBERS BLANKS)])
		return add_words(entry, list);
	if (add_named(entry, list))
		return 0;
	trimmed = trim(entry);
	return add_named(trimmed, list) ? 0 : add_words(trimmed, list);
}

static int add_entries(const char *text, struct u32_list *list)
{
	_cleanup_(freep) char *copy = xstrdup(text);
	const size_t before = list->nr;
	char *rest = copy, *entry;
	int err = 0;

	while (!err && (entry = strsep(&rest, ENDS_OF_ENTRY)))
		err = add_entry(entry, list);
	if (!err && strstr(text, ",,"))
		err = fail_usage("argument -p/--pid: '%s' has an empty entry", text);
	if (err)
		list->nr = before;
	return err;
}

/* If an entry is not found, the whole text may be a name with commas. */
int process_ids_parse(const char *text, void *ret_list)
{
	struct u32_list *list = ret_list;
	int err = add_entries(text, list);

	if (err == -ESRCH && strpbrk(text, ENDS_OF_ENTRY) && add_named(text, list)) {
		err_clear();
		return 0;
	}
	if (!err && !text[strspn(text, ENDS_OF_ENTRY BLANKS)])
		return fail_usage("argument -p/--pid: is empty: give process ids or names");
	return err;
}
