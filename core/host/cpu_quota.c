/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/cpu_quota.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"

#define LINE_BYTES 4352 /* a path of 4 KB and other words */

/* Whether a list with commas has the controller. */
static bool has_cpu(char *list)
{
	char *word;

	while ((word = strsep(&list, ",\n")))
		if (!strcmp(word, "cpu"))
			return true;
	return false;
}

/* The cgroup of this process in version 2, or that with the controller in version 1; NULL: none. */
static char *own_path(bool is_v2)
{
	_cleanup_(fclosep) FILE *file = fopen("/proc/self/cgroup", "re");
	char line[LINE_BYTES];

	while (file && fgets(line, sizeof(line), file)) { /* "4:cpu,cpuacct:/path" */
		char *rest = line, *controllers;

		strsep(&rest, ":");
		controllers = strsep(&rest, ":");
		if (!rest || (is_v2 ? *controllers != '\0' : !has_cpu(controllers)))
			continue;
		rest[strcspn(rest, "\n")] = '\0';
		return xstrdup(rest);
	}
	return NULL;
}

static uint64_t nr_throttled(const char *mount, const char *path)
{
	_cleanup_(freep) char *name = xasprintf("%s%s/cpu.stat", mount, path);
	_cleanup_(fclosep) FILE *file = fopen(name, "re");
	char line[LINE_BYTES];
	uint64_t nr = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "nr_throttled %" SCNu64, &nr) == 1)
			break;
	return nr;
}

uint64_t cpu_quota_nr_used_up(void)
{
	_cleanup_(fclosep) FILE *file = fopen("/proc/self/mountinfo", "re");
	char line[LINE_BYTES], mount[LINE_BYTES];
	uint64_t nr = 0;

	while (file && fgets(line, sizeof(line), file)) {
		char *type = strstr(line, " - "), *options = type ? strrchr(type, ' ') : NULL;
		bool is_v2 = type && !strncmp(type + 3, "cgroup2 ", 8);
		_cleanup_(freep) char *path = NULL;

		if (!is_v2 && !(type && !strncmp(type + 3, "cgroup ", 7) && has_cpu(options + 1)))
			continue;
		path = sscanf(line, "%*s %*s %*s %*s %4351s", mount) == 1 ? own_path(is_v2) : NULL;
		nr += path ? nr_throttled(mount, path) : 0;
	}
	return nr;
}
