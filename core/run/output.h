/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where reports go: -o FILE and --format. Everything that is not text for the terminal is made here from a profile and
 * leaves whole: files are replaced at once, never half written.
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
	uint64_t second;            /* in which the interval of the last one ended; 0: none yet */
	unsigned int nr_in_second; /* written so far */
	const char *save_path; /* of --save, or NULL */
	struct writer writer;
	name_list kept[OUTPUT_FILES_MAX]; /* with --keep: the files written so far, the oldest first */
};

/*
 * From now on a process of its own makes the files of -o and of --save (NULL: none): core/host/writer.h. 0 or a negative errno
 * with a recorded cause. Without it this process makes them.
 */
int output_start(struct output *output, const char *save_path);

void output_done(struct output *output);

/* False when reports are printed as text or folded lines to the standard output, as without -o and --format. */
bool output_wanted(const struct output_options *options);

/* Lets --format text and folded take part in how the report is printed. */
void output_change_view(const struct output_options *options, struct profile_view *view);

/*
 * What can be known before an hour of recording: the file's place, no binary data on a terminal, a terminal for --tui.
 */
int output_check(const struct output_options *options);

/* Whether the path is what a file of -o can be called. */
bool output_fits(const struct output_options *options, const char *path);

/*
 * Calls `write` for each file of -o, also after one that failed. 0 or the first negative errno; the recorded cause has the causes
 * of all.
 */
int output_each(const struct output_options *options, int (*write)(void *context, size_t number), void *context);

/*
 * Makes one document per file of -o of `nr` intervals from `first` on and writes it. In a path, %n stands for the number of the file,
 * %t for the time at the end of the interval (with "-2" after it for the second one of that second), %h for the host;
 * with options.keep the oldest files of this run go. 0, or a negative errno with a recorded cause; -EPIPE without one.
 */
int output_write(struct output *output, const struct profile *profile, size_t first, size_t nr);

struct tree;
struct graph_caption;

/* The same for a tree that was made elsewhere (diff): svg, html, tree, top. */
int output_write_tree(const struct output_options *options, const struct tree *tree,
		      const struct graph_caption *caption);

/* Writes a document to -o, or the standard output. */
int output_bytes(const struct output_options *options, const struct buf *bytes);
