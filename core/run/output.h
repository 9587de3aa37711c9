/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes reports: -o FILE and --format. Makes all documents except text for the terminal. Files are replaced atomically. */
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
	uint64_t second; /* in which the last interval ended; 0: none yet */
	unsigned int nr_in_second; /* files written in that second */
	const char *save_path; /* of --save; NULL: none */
	struct writer writer;
	name_list kept[OUTPUT_FILES_MAX]; /* --keep: files written so far, the oldest first */
};

/* Starts the process that creates the files of -o and --save (NULL: none): core/host/writer.h. 0 or a recorded failure. */
int output_start(struct output *output, const char *save_path);

/* Sets when the run ends or ended, CLOCK_MONOTONIC: from then on a file system that does not answer is waited for 30 s. */
void output_run_ends(struct output *output, uint64_t end_ns);

void output_done(struct output *output);

/* Whether there are documents. False: reports are text or folded lines on standard output. */
bool output_wanted(const struct output_options *options);

/* Applies --format text and folded to the view. */
void output_change_view(const struct output_options *options, struct profile_view *view);

/*
 * Checks what can be checked before recording: the directories of the files of -o and --save (NULL: none), that all are different files,
 * that no binary data goes to a terminal, and that --tui has a terminal. 0 or a recorded failure.
 */
int output_check(const struct output_options *options, const char *save_path);

/* Whether a file of -o can have this path. */
bool output_fits(const struct output_options *options, const char *path);

/* Calls `write` for each file of -o, even if one fails. 0 or the first negative errno; the recorded cause has the causes of all. */
int output_each(const struct output_options *options, int (*write)(void *context, size_t number), void *context);

/*
 * Makes a document of the `nr` intervals from `first` on, and writes it to each file of -o, or to standard output. In a path, %n is the
 * number of the file, %t the time at the end of the interval (followed by "-2" for the second file of that second), %h the host. With
 * options.keep, removes the oldest files of this run. 0, or a negative errno with a recorded cause; -EPIPE has none.
 */
int output_write(struct output *output, const struct profile *profile, size_t first, size_t nr);

struct tree;
struct graph_caption;

/* Makes a document of a tree (for diff: a picture, or a form of text), and writes it as output_bytes(). */
int output_write_tree(const struct output_options *options, const struct tree *tree,
		      const struct graph_caption *caption);

/* Writes a document to the file `options->path`, or to standard output if that is NULL. Returns as output_write(). */
int output_bytes(const struct output_options *options, const struct buf *bytes);
