/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages of a run on stderr. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/host/process.h"
#include "core/plan/plan.h"
#include "core/profile/profile.h"
#include "core/resolve/resolve.h"

struct attachment;
struct collector;
struct spaces;

/* Prints a line on stderr that begins with called(). */
__attribute__((format(printf, 1, 2))) void run_say(const char *format, ...);

/* Whether a descriptor takes a line at once, unlike a full pipe or a stopped terminal. Nothing may wait while probes are attached. */
bool run_takes_line(int fd);

/* run_say() for each line. */
void run_say_lines(const char *lines);

/* Before anything is attached: prints the targets of -p and -L that do not exist. 0, or a recorded failure if none exists. */
int run_require_targets(const struct plan *plan);

/* Prints that all targets of -p or -L have ended. */
void run_say_gone(const struct plan *plan);

/* Prints the targets that ended before the others; does nothing if there are none. */
void run_say_some_gone(const struct plan *plan, struct process_watch *watch);

/* Warns, and returns true, if the only probed process's main thread has ended: its breakpoints are gone, its threads continue. */
bool run_say_leaderless(const struct attach_plan *attach);

/* Frees the collector. With --debug prints the longest turn of the main loop. */
void run_end_collecting(const struct plan *plan, struct collector **collector);

/* For --debug: prints the privileges that are kept. */
void run_say_privileges(void);

/* Prints why the report may be empty. `command_tgid` 0: no command. */
void run_say_empty(const struct plan *plan, uint32_t command_tgid);

/* Prints that the filters excluded everything. */
void run_say_filtered(void);

/* Writes "attached" to the descriptor in STACKTOOL_READY_FD, for scripts that wait for the probes. */
void run_say_attached(void);

/* Prints the notes of resolution, and what is not probed. */
void run_say_places(const struct attach_plan *attach);

/*
 * The same, and how privileges, refused places, unwinding, sampling and the side-band make this run different. `spaces` may be NULL.
 * `lacking`: from privilege_note().
 */
void run_say_fallback(const struct plan *plan, const struct attach_plan *attach, const struct attachment *attachment,
		      struct spaces *spaces, const char *lacking);

/* Prints that a file was written, with content and size; not for names with placeholders. */
void run_say_file(const char *path, const char *content);

/* The same for the files of -o, and of --save (NULL: none). */
void run_say_files(const struct output_options *options, const char *save_path, const struct profile *profile);

/* Before a report goes to a file that may be shared: prints what in it may be secret (core/profile/redact.h). */
void run_say_secrets(const struct plan *plan, const struct profile *profile);
