/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which processes the BPF programs can unwind, and with which tables. spaces.h has the processes and their mappings,
 * the symbol worker makes a table per file, and both are published in unwind_store.h.
 *
 * A process is published as soon as its mappings are known, with the tables that are there, and again when there are
 * more. When there is no room, tables of files that no process maps are removed; a file that still finds no room is
 * unwound by frame pointers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/spaces/images.h"
#include "core/spaces/mappings.h"
#include "core/spaces/spaces.h"
#include "core/unwind/unwind_store.h"
#include "symbolize/unwind.h"

struct unwinding;

struct unwinding_options {
	struct symbolizer *symbolizer; /* all borrowed */
	struct images *images;
	struct spaces
		*spaces; /* whose changes are followed (`follows`); NULL: processes come from unwinding_set() alone */
};

/*
 * Tables are requested from now on, while the caller makes the maps for them. A NULL struct unwinding means that the
 * BPF programs do not unwind by tables; the functions that take NULL do nothing then.
 */
struct unwinding *unwinding_new(const struct unwinding_options *options);
void unwinding_free(struct unwinding *unwinding);

/* Call this once, when the maps are there: from now on tables are taken, and processes published. */
void unwinding_set_store(struct unwinding *unwinding, const struct unwind_store_options *store);

/*
 * The process has these mappings from now on, and this becomes a holder of them: asks for the tables that are missing. Without
 * mappings it has ended, or is not known any more.
 */
void unwinding_set(struct unwinding *unwinding, const struct spaces_process *process);

/*
 * Asks for the tables of the files that a command will map (expected_files.h), so that they are there when it is executed.
 * `word` is the first argument of execvp().
 */
void unwinding_expect(struct unwinding *unwinding, const char *word);

/*
 * Takes the changed processes of `spaces` and the tables that the worker has made by now, and publishes them; waits up to
 * `timeout_ms` until nothing is missing. True when nothing is. To be called whenever records were added or the side-band
 * was read. NULL: true.
 */
bool unwinding_work(struct unwinding *unwinding, int timeout_ms);

/*
 * A descriptor for epoll that becomes readable when the worker may have made a table: unwinding_work() takes it. It changes
 * with the worker, and is -1 while there is none. NULL: -1.
 */
int unwinding_fd(const struct unwinding *unwinding);

/* A slab of the tables (struct st_slab), for reading, until unwinding_work(). NULL if there is no such slab, or no unwinding. */
const void *unwinding_slab(struct unwinding *unwinding, uint32_t number);

/* The CPython that a process maps. */
struct unwinding_python {
	struct python_layout layout;
	uint64_t bias; /* to be added to addresses as in the file */
	uint64_t start_time_ns, exec_id; /* of the process, as in struct spaces_process */
	uint32_t image;
};

/* Finds the CPython that a process maps. False: it maps none, or the table of the file is not ready yet. NULL: false. */
bool unwinding_python(const struct unwinding *unwinding, uint32_t tgid, struct unwinding_python *ret_python);

/*
 * Takes the next process that maps a CPython, once for each program that it executes. False: there is no other now. To be called after
 * unwinding_work(). NULL: false.
 */
bool unwinding_next_python(struct unwinding *unwinding, uint32_t *ret_tgid);

/*
 * The first of these user frames of a process, which were walked at `time_ns`, in memory whose code may have changed since its table was
 * made: its caller is not proved. `nr` if there is none. Code without a table is read again, because it may have been made since. NULL: `nr`.
 */
size_t unwinding_first_changed(struct unwinding *unwinding, uint32_t tgid, uint64_t time_ns, const uint64_t *addresses,
			       size_t nr);

/* Tables, and mappings of processes, that found no room since the start. NULL: 0. */
uint64_t unwinding_nr_refused(const struct unwinding *unwinding);
