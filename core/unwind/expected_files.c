/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/unwind/expected_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/names.h"
#include "core/files/library.h"
#include "core/files/opener.h"
#include "symbolize/unwind.h"

#define MAX_FILES 1000 /* LibreOffice maps 300 */
#define MAX_SCRIPTS 4 /* scripts whose interpreter is a script; the kernel has the same limit */
#define MAX_LOOKS 20000 /* of places for libraries: a file can name thousands of directories */
#define SCRIPT_BYTES 256 /* of the "#!" line, as in the kernel */

struct expected_files {
	struct library_finder *finder;
	int root_fd;
	name_list paths; /* of the files, by number */
	name_list names; /* of libraries that were searched */
	char *program_folders; /* searched first for every library: the program's DT_RPATH; NULL: none */
	size_t nr_given;
	unsigned int nr_looks;
};

/* Opens a program as execvp() finds it, and returns its path. A descriptor or a negative errno. */
static int open_program(const struct expected_files *files, const char *word, char **ret_path)
{
	const char *folders = strchr(word, '/') ? "" : getenv("PATH");
	_cleanup_(freep) char *text = xstrdup(folders ? folders : "/bin:/usr/bin");
	char *rest = text, *folder;

	while ((folder = strsep(&rest, ":"))) {
		_cleanup_(freep) char *name = *folder ? xasprintf("%s/%s", folder, word) : xstrdup(word);
		_cleanup_(freep) char *path = realpath(name, NULL);
		_cleanup_(closep) int fd = path ? opener_file_below(files->root_fd, path, 0) : -1;
		struct stat status;

		if (fd < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode) || !(status.st_mode & 0111))
			continue;
		*ret_path = take_ptr(path);
		return take_fd(&fd);
	}
	return -ENOENT;
}

/* The text after "#!" of a script, malloc()ed; NULL for another file. */
static char *script_line(int fd)
{
	char line[SCRIPT_BYTES + 1] = {};

	if (pread(fd, line, SCRIPT_BYTES, 0) < 2 || line[0] != '#' || line[1] != '!')
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	return xstrdup(line + 2);
}

static void add_program(struct expected_files *files, const char *word, int nr_scripts);

/* The program that env(1) executes: the word after its options, some of which have an argument, and its variables. */
static char *word_behind_env(char *line)
{
	char *word = next_word(&line);

	while (word && (word[0] == '-' || strchr(word, '='))) {
		char *letter = word[0] == '-' && word[1] != '-' ? strpbrk(word, "uCS") : NULL;

		if (letter && letter[0] == 'S' && letter[1]) { /* -Sprogram */
			word = letter + 1;
			continue;
		}
		if (letter && letter[0] != 'S' && !letter[1])
			next_word(&line);
		word = next_word(&line);
	}
	return word;
}

/* Unlike execvp(), the kernel opens a name without a slash in the working directory. env(1) executes another program. */
static void add_interpreter(struct expected_files *files, char *line, int nr_scripts)
{
	char *word = next_word(&line), *name = word ? strrchr(word, '/') : NULL;
	_cleanup_(freep) char *path = word ? xasprintf("%s%s", name ? "" : "./", word) : NULL;

	if (!path)
		return;
	add_program(files, path, nr_scripts);
	name = name && !strcmp(name, "/env") ? word_behind_env(line) : NULL;
	if (name)
		add_program(files, name, nr_scripts);
}

static void add_program(struct expected_files *files, const char *word, int nr_scripts)
{
	_cleanup_(freep) char *path = NULL, *line = NULL;
	_cleanup_(closep) int fd = open_program(files, word, &path);

	if (fd < 0)
		return;
	line = script_line(fd);
	if (!line)
		name_list_add_new(&files->paths, MAX_FILES, take_ptr(path));
	else if (nr_scripts)
		add_interpreter(files, line, nr_scripts - 1);
}

/* Replaces $ORIGIN by the directory of the file at `path`, which names this directory. */
static char *expand_folder(const char *folder, const char *path)
{
	static const char *const origins[] = { "$ORIGIN", "${ORIGIN}" };
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < sizeof(origins) / sizeof(origins[0]); i++) {
		size_t length = strlen(origins[i]);

		if (!strncmp(folder, origins[i], length))
			return xasprintf("%.*s%s", (int)(slash - path), path, folder + length);
	}
	return xstrdup(folder);
}

/* Searches directories separated by colons (DT_RUNPATH, LD_LIBRARY_PATH); "" is the working directory. NULL: not found. */
static char *find_in(struct expected_files *files, const char *folders, const char *path, const char *name)
{
	_cleanup_(freep) char *text = folders ? xstrdup(folders) : NULL;
	char *rest = text, *folder;

	while ((folder = strsep(&rest, ":")) && files->nr_looks++ < MAX_LOOKS) {
		_cleanup_(freep) char *place = expand_folder(*folder ? folder : ".", path);
		_cleanup_(freep) char *absolute = place[0] == '/' ? NULL : realpath(place, NULL);
		_cleanup_(freep) char *found = xasprintf("%s/%s", absolute ? absolute : place, name);
		_cleanup_(closep) int fd = library_finder_open(files->finder, found);

		if (fd >= 0)
			return take_ptr(found);
	}
	return NULL;
}

/* The directories for libraries in the file at `path`; NULL: none. A file with DT_RUNPATH does not use those of the program. */
struct said_folders {
	const char *path;
	const char *own; /* DT_RUNPATH: only for what this file itself needs */
	const char *old; /* DT_RPATH */
};

/* Searches in the order of ld.so(8). */
static void add_library(struct expected_files *files, const char *name, const struct said_folders *said)
{
	const char *path = said->path;
	char *found;

	if (!name_list_add_new(&files->names, MAX_FILES, xstrdup(name)))
		return;
	found = strchr(name, '/') ? expand_folder(name, path) : find_in(files, said->old, path, name);
	if (!found && !said->own)
		found = find_in(files, files->program_folders, files->paths.data[0], name);
	if (!found)
		found = find_in(files, getenv("LD_LIBRARY_PATH"), path, name);
	if (!found)
		found = find_in(files, said->own, path, name);
	if (!found && files->nr_looks++ < MAX_LOOKS)
		found = library_finder_find(files->finder, name);
	name_list_add_new(&files->paths, MAX_FILES, found);
}

static void add_preloaded(struct expected_files *files)
{
	const struct said_folders nowhere = { .path = "/" };
	const char *names = getenv("LD_PRELOAD");
	_cleanup_(freep) char *text = xstrdup(names ? names : "");
	char *rest = text, *name;

	while ((name = strsep(&rest, ": ")))
		if (*name)
			add_library(files, name, &nowhere);
}

void expected_files_add_needs(struct expected_files *files, uint32_t number, const char *needs, size_t nr)
{
	_cleanup_(freep) char *path = number < files->paths.nr ? xstrdup(files->paths.data[number]) : NULL;
	struct said_folders said = { .path = path };

	for (const char *need = needs; path && need < needs + nr; need += strlen(need) + 1) {
		if (*need == NEEDS_LOADER)
			name_list_add_new(&files->paths, MAX_FILES, xstrdup(need + 1));
		else if (*need == NEEDS_RUNPATH)
			said.own = need + 1;
		else if (*need == NEEDS_RPATH)
			said.old = need + 1;
		else if (*need == NEEDS_LIBRARY)
			add_library(files, need + 1, &said);
	}
	if (!number && said.old && !files->program_folders)
		files->program_folders = xstrdup(said.old);
}

struct expected_files *expected_files_new(const char *word)
{
	struct expected_files *files = xcalloc(1, sizeof(*files));

	files->finder = library_finder_new();
	files->root_fd = opener_root(0);
	if (!files->finder || files->root_fd < 0) {
		expected_files_free(files);
		return NULL;
	}
	add_program(files, word, MAX_SCRIPTS);
	if (files->paths.nr)
		add_preloaded(files);
	return files;
}

void expected_files_free(struct expected_files *files)
{
	if (!files)
		return;
	library_finder_free(files->finder);
	closep(&files->root_fd);
	name_list_done(&files->paths);
	name_list_done(&files->names);
	free(files->program_folders);
	free(files);
}

bool expected_files_next(struct expected_files *files, struct expected_file *ret_file)
{
	while (files->nr_given < files->paths.nr) {
		uint32_t number = (uint32_t)files->nr_given++;
		int fd = library_finder_open(files->finder, files->paths.data[number]);

		if (fd >= 0) {
			*ret_file = (struct expected_file){ number, fd };
			return true;
		}
	}
	return false;
}
