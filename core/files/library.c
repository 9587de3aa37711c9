/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loader's cache is not read: its format differs between C libraries, and a container may have none. Its source, the few directories,
 * is searched instead. The header of each file is checked, to skip linker scripts ("libc.so") and libraries for another word size or
 * machine.
 */
#include "core/files/library.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/names.h"
#include "core/base/suggest.h"
#include "core/base/vec.h"
#include "core/files/opener.h"
#include "core/files/proc_maps.h"

#define MAX_CONFIG_BYTES 65536
#define MAX_STEMS 20000
/* Limits of the loader's configuration, which the owner of a container can write. Real ones have about ten entries. */
#define MAX_CONFIGS 200
#define MAX_FOLDERS 200
#define HEADER_BYTES 20 /* of an ELF file, up to e_machine */

static const char *const library_folders[] = { "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib" };
static const char default_programs[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

struct library_finder {
	const char *name;
	uint32_t tgid;
	int root_fd;
	size_t nr_configs; /* files and includes of the loader's configuration that were read */
	uint8_t own_header[HEADER_BYTES]; /* of this program: class, byte order and machine of this host */
	name_list folders;
	name_list stems; /* names to suggest */
};

static void search_done(struct library_finder *search)
{
	closep(&search->root_fd);
	name_list_done(&search->folders);
	name_list_done(&search->stems);
}

/* ---- names ---- */

/* Whether it follows the stem of a library: ".so", ".so.6", "-2.31.so" (the C library before 2.34). */
static bool is_library_suffix(const char *suffix)
{
	if (*suffix == '-')
		suffix += 1 + strspn(suffix + 1, "0123456789.");
	else if (*suffix == '.')
		suffix++;
	else
		return false;
	/* strspn() has skipped the dot after a version such as "2.31." */
	return !strncmp(suffix, "so", 2) && (!suffix[2] || suffix[2] == '.');
}

/* In musl, libc and loader are one file, which may be mapped under the loader's name (Alpine). */
static bool is_named(const char *file, const char *name)
{
	size_t length = strlen(name);

	if (!strcmp(name, "c") && (!strncmp(file, "ld-musl-", 8) || !strncmp(file, "libc.musl-", 10)))
		return true;
	return !strcmp(file, name) ||
	       (!strncmp(file, "lib", 3) && !strncmp(file + 3, name, length) && is_library_suffix(file + 3 + length));
}

/* "ssl" from "libssl.so.3". */
static char *stem_of(const char *file)
{
	const char *start = strncmp(file, "lib", 3) ? file : file + 3;
	const char *suffix = strstr(start, ".so");

	return suffix && suffix > start ? xstrndup(start, (size_t)(suffix - start)) : xstrdup(start);
}

/* ---- files ---- */

static int read_header(int fd, uint8_t header[HEADER_BYTES])
{
	return pread(fd, header, HEADER_BYTES, 0) == HEADER_BYTES && !memcmp(header, "\177ELF", 4) ? 0 : -ENOEXEC;
}

/* Opens an ELF file with our class, byte order and machine. */
static int open_ours(const struct library_finder *search, const char *path)
{
	_cleanup_(closep) int fd = opener_file_below(search->root_fd, path, 0);
	uint8_t header[HEADER_BYTES];

	if (fd < 0)
		return fd;
	if (read_header(fd, header) || memcmp(header + 4, search->own_header + 4, 2) != 0 ||
	    memcmp(header + 18, search->own_header + 18, 2) != 0)
		return -ENOEXEC;
	return take_fd(&fd);
}

static bool runs_here(const struct library_finder *search, const char *path)
{
	_cleanup_(closep) int fd = open_ours(search, path);

	return fd >= 0;
}

/* The text of a file below the root, at most MAX_CONFIG_BYTES; NULL: it cannot be read. */
static char *read_config(const struct library_finder *search, const char *path)
{
	_cleanup_(closep) int fd = opener_file_below(search->root_fd, path, 0);
	_cleanup_(freep) char *text = NULL;
	ssize_t nr_read;

	if (fd < 0)
		return NULL;
	text = xmalloc(MAX_CONFIG_BYTES + 1);
	nr_read = read(fd, text, MAX_CONFIG_BYTES);
	if (nr_read < 0)
		return NULL;
	text[nr_read] = '\0';
	return take_ptr(text);
}

static void for_each_entry(struct library_finder *search, const char *folder,
			   void (*visit)(struct library_finder *search, const char *name, void *context), void *context)
{
	_cleanup_(closep) int fd = opener_directory_below(search->root_fd, folder);
	_cleanup_(closedirp) DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (entries)
		take_fd(&fd);
	while (entries && (entry = readdir(entries)))
		visit(search, entry->d_name, context);
}

/* ---- directories of libraries: /etc/ld.so.conf and its includes ---- */

static void read_loader_config(struct library_finder *search, const char *path, bool may_include);

struct include {
	const char *pattern; /* of the base name */
	char *folder;
};

static void include_one(struct library_finder *search, const char *name, void *context)
{
	const struct include *include = context;
	_cleanup_(freep) char *path = NULL;

	if (name[0] == '.' || fnmatch(include->pattern, name, 0))
		return;
	path = xasprintf("%s/%s", include->folder, name);
	read_loader_config(search, path, false);
}

static void include_all(struct library_finder *search, const char *pattern)
{
	const char *name = path_name(pattern);
	/* a relative pattern is relative to /etc/ld.so.conf */
	_cleanup_(freep) char *folder =
		xasprintf("%s%.*s", pattern[0] == '/' ? "" : "/etc/", (int)(name - pattern), pattern);
	struct include include = { .pattern = name, .folder = folder };

	if (search->nr_configs++ < MAX_CONFIGS)
		for_each_entry(search, folder, include_one, &include);
}

static void read_loader_config(struct library_finder *search, const char *path, bool may_include)
{
	_cleanup_(freep) char *text = search->nr_configs++ < MAX_CONFIGS ? read_config(search, path) : NULL;
	char *rest = text, *line;

	while (text && (line = strsep(&rest, "\n"))) {
		char *word;

		line[strcspn(line, "#")] = '\0';
		word = next_word(&line);
		if (word && word[0] == '/')
			name_list_add_new(&search->folders, MAX_FOLDERS, xstrdup(word));
		if (!word || !may_include || strcmp(word, "include"))
			continue;
		while ((word = next_word(&line)))
			include_all(search, word);
	}
}

/* /usr/lib/x86_64-linux-gnu: Debian's C library searches it without configuration. */
static void add_multiarch(struct library_finder *search, const char *name, void *context)
{
	const char *folder = context;

	if (!fnmatch("*-linux-*", name, 0))
		name_list_add_new(&search->folders, MAX_FOLDERS, xasprintf("%s/%s", folder, name));
}

static void list_folders(struct library_finder *search)
{
	static char lib[] = "/lib", usr_lib[] = "/usr/lib";

	read_loader_config(search, "/etc/ld.so.conf", true);
	for_each_entry(search, lib, add_multiarch, lib);
	for_each_entry(search, usr_lib, add_multiarch, usr_lib);
	for (size_t i = 0; i < sizeof(library_folders) / sizeof(library_folders[0]); i++)
		name_list_add_new(&search->folders, MAX_FOLDERS, xstrdup(library_folders[i]));
}

/* ---- mappings, libraries, programs ---- */

struct maps_search {
	struct library_finder *search;
	struct opener_request *file; /* gets the mapping */
	char *path;
	bool deleted;
};

static void match_mapping(void *context, const struct proc_mapping *mapping)
{
	struct maps_search *found = context;
	const char *file = path_name(mapping->path);

	if (mapping->kind != MAPPING_FILE || mapping->path[0] != '/')
		return;
	if (!found->path && is_named(file, found->search->name)) {
		found->path = xstrdup(mapping->path);
		found->deleted = mapping->deleted;
		found->file->start = mapping->start;
		found->file->end = mapping->end;
		found->file->device = mapping->device;
		found->file->inode = mapping->inode;
	}
	name_list_add_new(&found->search->stems, MAX_STEMS, stem_of(file));
}

/* Returns 0 with *ret_path NULL if the process maps no file of that name. */
static int find_mapped(struct library_finder *search, struct opener_request *ret_file, char **ret_path)
{
	struct maps_search found = { .search = search, .file = ret_file };

	proc_maps_read_of(search->tgid, match_mapping, &found);
	*ret_path = found.path;
	if (!found.deleted)
		return 0;
	/* a probe in the file that has this name now would never fire in the process */
	fail(-ESTALE, "'%s': process %" PRIu32 " still uses a deleted '%s'", search->name, search->tgid, found.path);
	hint("it was replaced while the process was running: restart the process, or give the path of the new file");
	return -ESTALE;
}

struct folder_search {
	const char *folder;
	char *best; /* path of the highest version so far */
};

static void match_library(struct library_finder *search, const char *name, void *context)
{
	struct folder_search *found = context;
	_cleanup_(freep) char *path = NULL;

	if (strncmp(name, "lib", 3) || !strstr(name, ".so"))
		return;
	if (!is_named(name, search->name)) {
		if (search->stems.nr < MAX_STEMS)
			vec_push(&search->stems, stem_of(name));
		return;
	}
	path = xasprintf("%s/%s", found->folder, name);
	if ((found->best && strverscmp(path, found->best) <= 0) || !runs_here(search, path))
		return;
	free(found->best);
	found->best = take_ptr(path);
}

static char *find_library(struct library_finder *search)
{
	struct folder_search found = {};

	list_folders(search);
	for (size_t i = 0; i < search->folders.nr && !found.best; i++) {
		found.folder = search->folders.data[i];
		for_each_entry(search, found.folder, match_library, &found);
	}
	return found.best;
}

static char *find_program(struct library_finder *search)
{
	const char *folders = search->tgid ? NULL : getenv("PATH");
	_cleanup_(freep) char *text = xstrdup(folders && *folders ? folders : default_programs);
	char *rest = text, *folder;

	while ((folder = strsep(&rest, ":"))) {
		_cleanup_(freep) char *path = xasprintf("%s/%s", folder, search->name);

		if (folder[0] == '/' && runs_here(search, path))
			return take_ptr(path);
	}
	return NULL;
}

static int open_search(struct library_finder *search)
{
	_cleanup_(closep) int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (self < 0 || read_header(self, search->own_header))
		return fail_host(-ENOENT, "/proc/self/exe: cannot be read");
	search->root_fd = opener_root(search->tgid);
	if (search->root_fd >= 0)
		return 0;
	return search->tgid ? fail(search->root_fd, "process %" PRIu32 ": its root directory: %s", search->tgid,
				   strerror(-search->root_fd))
			    : fail(search->root_fd, "/: %s", strerror(-search->root_fd));
}

static int explain_missing(const struct library_finder *search)
{
	_cleanup_(freep) char *stem = stem_of(search->name);
	const char *near = str_nearest(stem, (const char *const *)search->stems.data, search->stems.nr);

	if (search->tgid)
		fail(-ENOENT, "'%s': no such library or program in process %" PRIu32 " or below its root", search->name,
		     search->tgid);
	else
		fail(-ENOENT, "'%s': no such library or program", search->name);
	if (near)
		hint("did you mean '%s'?", near);
	else
		hint("a path works too: /path/to/file");
	return -ENOENT;
}

/* Opens a path; one relative to our working directory is made absolute. */
static int open_path(const char *name, uint32_t tgid, char **ret_path)
{
	_cleanup_(freep) char *absolute = name[0] == '/' ? xstrdup(name) : realpath(name, NULL);
	int fd = opener_open_user(absolute ? absolute : name, absolute ? tgid : 0);

	if (fd >= 0)
		*ret_path = absolute ? take_ptr(absolute) : xstrdup(name);
	return fd;
}

int opener_open_library(const char *name, uint32_t tgid, char **ret_path)
{
	_cleanup_(search_done) struct library_finder search = { .name = name, .tgid = tgid, .root_fd = -1 };
	struct opener_request mapped = { .tgid = tgid };
	_cleanup_(freep) char *path = NULL;
	int fd, err;

	if (strchr(name, '/'))
		return open_path(name, tgid, ret_path);
	err = open_search(&search);
	if (!err && tgid)
		err = find_mapped(&search, &mapped, &path);
	if (err)
		return err;
	path = path ?: find_library(&search) ?: find_program(&search);
	if (!path)
		return explain_missing(&search);
	mapped.path = path;
	fd = mapped.end ? opener_open(&mapped) : -ENOENT;
	if (fd < 0)
		fd = opener_open_user(path, tgid);
	if (fd >= 0)
		*ret_path = take_ptr(path);
	return fd;
}

struct library_finder *library_finder_new(void)
{
	struct library_finder *finder = xcalloc(1, sizeof(*finder));

	finder->root_fd = -1;
	if (open_search(finder)) {
		err_clear(); /* the caller continues without a finder */
		library_finder_free(finder);
		return NULL;
	}
	list_folders(finder);
	return finder;
}

void library_finder_free(struct library_finder *finder)
{
	if (finder)
		search_done(finder);
	free(finder);
}

int library_finder_open(const struct library_finder *finder, const char *path)
{
	return path[0] == '/' ? open_ours(finder, path) : -ENOENT;
}

char *library_finder_find(const struct library_finder *finder, const char *name)
{
	for (size_t i = 0; i < finder->folders.nr; i++) {
		_cleanup_(freep) char *path = xasprintf("%s/%s", finder->folders.data[i], name);

		if (runs_here(finder, path))
			return take_ptr(path);
	}
	return NULL;
}
