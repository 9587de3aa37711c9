/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/naming/module_debug.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/why.h"
#include "core/files/debug_files.h"
#include "core/files/opener.h"

enum {
	FIRST_NUMBER = 0x7f000000, /* larger than those of kernel_debug.c */
	LIST_PIECES_MAX = 65536, /* pieces of modules.dep to read: lines, or parts of a longer line */
};

void module_debug_done(struct module_debug *debug)
{
	for (size_t i = 0; i < debug->modules.nr; i++) {
		free(debug->modules.data[i]->name);
		free(debug->modules.data[i]->functions);
		free(debug->modules.data[i]);
	}
	vec_done(&debug->modules);
}

/* Whether "kernel/net/snd-pcm.ko.xz" is the path of "snd_pcm". *ret_length includes ".ko". */
static bool is_path_of(const char *path, const char *module, int *ret_length)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *end = strstr(name, ".ko");
	size_t i = 0;

	while (end && name + i < end && module[i] && (name[i] == '-' ? '_' : name[i]) == module[i])
		i++;
	if (!end || name + i != end || module[i])
		return false;
	*ret_length = (int)(end - path) + 3;
	return true;
}

/* Takes the path of a modules.dep, with lines "MODULE: OTHERS", all paths. Untrusted, so long lines are read in pieces. */
static char *find_path_in(char *path, const char *module)
{
	_cleanup_(freep) char *list = path;
	char line[PATH_MAX];
	const struct opener_request request = { .path = list };
	int fd = opener_open(&request), length;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "re");
	bool begins = true, is_whole;
	char *found = NULL;

	if (fd >= 0 && !file)
		close(fd);
	for (int left = LIST_PIECES_MAX; file && !found && left && fgets(line, sizeof(line), file);
	     left--, begins = is_whole) {
		is_whole = strchr(line, '\n') != NULL;
		line[strcspn(line, ":\n")] = '\0';
		if (begins && line[0] != '/' && !strstr(line, "..") && is_path_of(line, module, &length))
			found = xstrndup(line, (size_t)length);
	}
	if (file)
		fclose(file);
	return found;
}

/* The path of the module below /lib/modules/RELEASE, "kernel/fs/xfs/xfs.ko"; NULL: unknown. */
static char *find_path(const struct kernel_debug *kernel, const char *module, const char *release)
{
	const char *rest = kernel->directories ?: "", *directory;
	char *path = NULL;
	int length;

	if (!*release)
		return NULL;
	do {
		directory = debug_directory_next(&rest, &length);
		path = find_path_in(xasprintf("%.*s/lib/modules/%s/modules.dep", length, directory ?: "", release),
				    module);
	} while (!path && directory);
	return path;
}

static int compare_names(const void *left, const void *right)
{
	const struct symbol_function *a = left, *b = right;

	return strcmp(a->name, b->name);
}

struct search {
	struct kernel_file file;
	struct debug_module *module;
};

/* Whether the file has functions and lines. A stripped module has the same build id. */
static bool accept_file(void *context, uint32_t number)
{
	const struct search *search = context;
	struct debug_module *module = search->module;
	struct symbolizer *symbolizer = search->file.symbolizer;
	struct symbol_lines none = {};
	int err = symbolizer_lines(symbolizer, number, NULL, 0, false, 0, &none);

	symbol_lines_done(&none);
	if (err == -ENODATA) {
		why_add(search->file.debug->why, "it has no debug information");
		return false;
	}
	if (symbolizer_find(symbolizer, number, ".*", &module->functions, &module->nr_functions))
		return false;
	qsort(module->functions, module->nr_functions, sizeof(*module->functions), compare_names);
	return true;
}

static bool find_file(struct search *search, const char *release)
{
	struct kernel_file *file = &search->file;
	_cleanup_(freep) char *path = find_path(file->debug, search->module->name, release);
	bool is_found;

	if (!build_id_is_plain(file->build_id)) {
		why_add(file->debug->why, "module %s: not searched: its build id is not known", search->module->name);
		return false;
	}
	for (int i = 0; path && i < 4; i++)
		vec_push(&file->places,
			 xasprintf("%slib/modules/%s/%s%s", i < 2 ? "" : "usr/", release, path, i % 2 ? "" : ".debug"));
	is_found = kernel_file_in_directories(file) || kernel_file_from_servers(file);
	name_list_done(&file->places);
	return is_found;
}

const struct debug_module *module_debug_open(struct module_debug *debug, const struct kernel_debug *kernel,
					     const struct profile *profile, struct symbolizer *symbolizer,
					     string_id module)
{
	const struct profile_module *known = profile_find_module(profile, module);
	const char *name = profile_string(profile, module);
	struct search search = {
		.file = {
			.debug = kernel,
			.symbolizer = symbolizer,
			.is_module = true,
			.build_id = known ? profile_string(profile, known->build_id) : "",
			.number = FIRST_NUMBER + debug->nr_tried,
			.accept = accept_file,
			.context = &search,
		},
	};
	_cleanup_(freep) char *release = NULL;

	for (size_t i = 0; i < debug->modules.nr; i++)
		if (!strcmp(debug->modules.data[i]->name, name))
			return debug->modules.data[i]->is_found ? debug->modules.data[i] : NULL;
	search.module = xcalloc(1, sizeof(*search.module));
	search.module->name = xstrdup(name);
	vec_push(&debug->modules, search.module);
	release = kernel_debug_release(profile);
	search.module->is_found = find_file(&search, release);
	search.module->number = search.file.number;
	debug->nr_tried = search.file.number - FIRST_NUMBER;
	return search.module->is_found ? search.module : NULL;
}

bool debug_module_address(const struct debug_module *module, const char *function, uint64_t offset,
			  uint64_t *ret_address)
{
	const struct symbol_function wanted = { .name = function }, *functions = module->functions, *end,
				     *found = bsearch(&wanted, functions, module->nr_functions, sizeof(wanted),
						      compare_names);

	if (!found || offset > found->size)
		return false;
	end = functions + module->nr_functions;
	if ((found > functions && !compare_names(found - 1, found)) ||
	    (found + 1 < end && !compare_names(found + 1, found)))
		return false;
	*ret_address = found->address + offset;
	return true;
}
