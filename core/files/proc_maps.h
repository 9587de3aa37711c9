/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the executable mappings in /proc/PID/maps, for processes that started before the side-band.
 *
 * The process chooses the file names: they can have spaces, newlines (escaped as \012) and end in " (deleted)". Only the order of the
 * fields is relied on. A line that cannot be parsed is skipped.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What backs a mapping, by its name; the side-band has the same names. */
enum mapping_kind {
	MAPPING_FILE, /* an inode; memfd and deleted files too */
	MAPPING_ANONYMOUS, /* memory: JIT code, heap, stack */
	MAPPING_VDSO,      /* "[vdso]" */
	MAPPING_SPECIAL, /* "[uprobes]", "[vsyscall]" and other names made by the kernel */
};

struct proc_mapping {
	uint64_t start, end, file_offset;
	uint64_t device, inode; /* device: major << 32 | minor */
	bool executable;
	enum mapping_kind kind;
	bool deleted;     /* the name ended in " (deleted)" */
	const char *path; /* without that suffix; "": none */
};

/* Parses a line without newline. `path` points into the line, which is changed. 0; -EBADMSG: it is not a mapping. */
int proc_maps_parse(char *line, struct proc_mapping *ret_mapping);

/* Returns the kind by name and inode, and removes a " (deleted)". Also for names of the side-band. */
enum mapping_kind mapping_classify(char *path, uint64_t inode, bool *ret_deleted);

typedef void proc_maps_visit(void *context, const struct proc_mapping *mapping);

/* Visits every executable mapping of an open maps file. Returns the number of all mappings (0: no memory left), or a negative errno. */
int proc_maps_read(int fd, proc_maps_visit *visit, void *context);

/* The same for a process (0: our own), through a thread that is alive. -ETIMEDOUT: the process holds its locks for too long (helper.h). */
int proc_maps_read_of(uint32_t tgid, proc_maps_visit *visit, void *context);

/* The same, and `visit` is called for mappings of data too. */
int proc_maps_read_all_of(uint32_t tgid, proc_maps_visit *visit, void *context);
