/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads /proc/PID/maps: the executable mappings of a process that was there before the side-band.
 *
 * File names are whatever the process chose: spaces, newlines (shown as \012), names that end in " (deleted)". Nothing is
 * trusted but the order of the fields; a line that does not parse is passed over.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What backs a mapping, by the form of its name; the side-band uses the same names. */
enum mapping_kind {
	MAPPING_FILE,      /* an inode, also of memfd and deleted files */
	MAPPING_ANONYMOUS, /* memory: JIT code, heap, stack */
	MAPPING_VDSO,      /* "[vdso]" */
	MAPPING_SPECIAL,   /* "[uprobes]", "[vsyscall]" and other names that the kernel made up */
};

struct proc_mapping {
	uint64_t start, end, file_offset;
	uint64_t device, inode; /* device: major << 32 | minor */
	bool executable;
	enum mapping_kind kind;
	bool deleted;     /* the name ended in " (deleted)" */
	const char *path; /* without it; "" for none */
};

/*
 * Takes a line (without its newline, NUL-terminated) apart; the path stays in the line, which is changed. -EBADMSG when
 * it does not look like a mapping.
 */
int proc_maps_parse(char *line, struct proc_mapping *ret_mapping);

/* Finds the kind by name and inode, and cuts a " (deleted)" off: for names of the side-band too. */
enum mapping_kind mapping_classify(char *path, uint64_t inode, bool *ret_deleted);

typedef void proc_maps_visit(void *context, const struct proc_mapping *mapping);

/*
 * Calls `visit` for every executable mapping that `fd` (an open maps file) lists. Returns how many mappings there were in
 * all, executable or not; 0 means that the process has no memory any more; or a negative errno.
 */
int proc_maps_read(int fd, proc_maps_visit *visit, void *context);

/*
 * The same of a process, through a thread of it that still lives; 0 is this one. -ETIMEDOUT: the process holds its locks, and was not
 * waited for (helper.h).
 */
int proc_maps_read_of(uint32_t tgid, proc_maps_visit *visit, void *context);
