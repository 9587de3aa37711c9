/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Short-lived processes that say which file and offset some of their code addresses have. They find that out through the
 * dynamic loader (dl_iterate_phdr), so that it is not a repetition of what is tested.
 */
#pragma once

#include <stdint.h>

#define CHILD_PLACES 3

struct child_place {
	uint64_t address, file_offset;
	char path[256];
};

struct child_report {
	uint32_t tgid;
	uint64_t time_ns; /* at which the addresses were valid */
	struct child_place program, libc, library;
};

/* For main(): runs the child when this process was started as one, and does not return then. */
void child_main_if_child(int argc, char **argv);

/* Writes the report about this process to `fd`; `library` may be NULL. */
void child_report_self(int fd, const char *library);

/* Starts this executable again as a child that loads `library`, reports to `fd`, and ends. Returns its pid. */
int child_exec(int fd, const char *library);

/* Copies a system library to `path`. */
void child_copy_library(const char *path);

/* Reads one report. */
void child_read_report(int fd, struct child_report *ret_report);
