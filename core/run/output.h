/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes reports: -o FILE and --format. It makes every document that is not text for the terminal from a profile. Files
 * are replaced atomically, so they are always complete.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/names.h"
#include "core/host/writer.h"
#include "core/plan/output_options.h"
#include "core/profile/profile.h"

struct buf;

struct output {
	const struct output_options *options;
	unsigned int nr_written;
	uint64_t second;            /* in which the last interval ended; 0: none yet */
	unsigned int nr_in_second; /* written in that second */
	const char *save_path; /* of --save, or NULL */
	struct writer writer;
	name_list kept[OUTPUT_FILES_MAX]; /* with --keep: the files written so far, the oldest first */
};

/*
 * Starts a process that makes the files of -o and of --save (NULL: none): core/host/writer.h. Without it this process
 * makes them. 0 or a negative errno with a recorded cause.
 */
int output_start(struct output *output, const char *save_path);

/* When the run ends, or that it has ended, CLOCK_MONOTONIC: a file system that does not answer is waited for 30 seconds longer. */
void output_run_ends(struct output *output, uint64_t end_ns);

void output_done(struct output *output);

/* False if reports are printed as text or folded lines to standard output, as without -o and --format. */
bool output_wanted(const struct output_options *options);

/* Applies --format text and folded to the view. */
void output_change_view(const struct output_options *options, struct profile_view *view);

/*
 * Checks what can be known before an hour of recording: the directories of the files of -o and of --save (NULL: none), that no two are one
 * file, no binary data on a terminal, a terminal for --tui.
 */
int output_check(const struct output_options *options, const char *save_path);

/* Whether a file of -o can have this path. */
bool output_fits(const struct output_options *options, const char *path);

/*
 * Calls `write` for each file of -o, even if one fails. 0 or the first negative errno; the recorded cause contains the
 * causes of all.
 */
int output_each(const struct output_options *options, int (*write)(void *context, size_t number), void *context);

/*
 * Makes a document of `nr` intervals from `first` on, and writes it to each file of -o, or without -o to standard output. In a path, %n is
 * the number of the file, %t the time at the end of the interval (with "-2" appended for the second one of that second), %h the host.
 * With options.keep, removes the oldest files of this run. 0, or a negative errno with a recorded cause; -EPIPE without
 * one.
 */
int output_write(struct output *output, const struct profile *profile, size_t first, size_t nr);

struct tree;
struct graph_caption;

/* Makes a document of a tree (for diff: a picture, or a form of text), and writes it as output_bytes() does. */
int output_write_tree(const struct output_options *options, const struct tree *tree,
		      const struct graph_caption *caption);

/* Writes a document to the file `options->path`, or for NULL to standard output. The result is that of output_write(). */
int output_bytes(const struct output_options *options, const struct buf *bytes);
