/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which processes the BPF programs can unwind, and with which tables. spaces.h has the processes and their mappings, the symbol worker
 * makes one table per file, and unwind_store.h publishes both.
 *
 * A process is published as soon as its mappings are known, with the tables that are ready, and again when more are. If there is no space,
 * tables of files that no process maps are removed. A file whose table still does not fit is unwound by frame pointers.
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
	struct spaces *spaces; /* its changes are followed (`follows`); NULL: processes come only from unwinding_set() */
};

/*
 * Tables are requested from now on, while the caller makes the maps for them. NULL as a struct unwinding means that no tables are used;
 * functions that accept it then do nothing.
 */
struct unwinding *unwinding_new(const struct unwinding_options *options);
void unwinding_free(struct unwinding *unwinding);

/* Call this once, when the maps exist: tables are taken and processes published from now on. */
void unwinding_set_store(struct unwinding *unwinding, const struct unwind_store_options *store);

/* Sets the mappings of a process, which are shared, and requests missing tables. Without mappings the process is removed. */
void unwinding_set(struct unwinding *unwinding, const struct spaces_process *process);

/* Requests the tables of the files that a command will map (expected_files.h) before it is executed. `word`: as for execvp(). */
void unwinding_expect(struct unwinding *unwinding, const char *word);

/*
 * Takes the changed processes of `spaces` and the tables that the worker has made, and publishes them. Waits for missing tables, at most
 * `timeout_ms`. True: none is missing. Call it when records were added or the side-band was read. NULL: true.
 */
bool unwinding_work(struct unwinding *unwinding, int timeout_ms);

/* A descriptor for epoll: readable when unwinding_work() has work. It changes with the worker; -1: no worker. NULL: -1. */
int unwinding_fd(const struct unwinding *unwinding);

/*
 * The mappings of a process, which may have ended, as the space of a walk in user space (look_walk.h), until unwinding_end_space(): nothing
 * else here may be called before that. Asks for the tables that are missing; *ret_is_whole: none is to come. 0: there is no room. Code
 * without a file has no table.
 */
uint64_t unwinding_begin_space(struct unwinding *unwinding, uint32_t tgid, struct mappings *mappings,
			       bool *ret_is_whole);
void unwinding_end_space(struct unwinding *unwinding);

/* A slab of the tables (struct st_slab), for reading, valid until unwinding_work(). NULL: no such slab, or no unwinding. */
const void *unwinding_slab(struct unwinding *unwinding, uint32_t number);

struct unwinding_interpreter {
	struct interpreter interpreter;
	uint64_t bias; /* to add to addresses of the file */
	uint64_t start_time_ns, exec_id; /* of the process, as in struct spaces_process */
	uint32_t image;
};

/* Finds the first interpreter that a process maps. False: none, or the file's table is not ready yet. NULL: false. */
bool unwinding_interpreter(const struct unwinding *unwinding, uint32_t tgid, struct unwinding_interpreter *ret_is);

/* The next process that maps an interpreter, once per program. False: none now. To be called after unwinding_work(). NULL: false. */
bool unwinding_next_interpreter(struct unwinding *unwinding, uint32_t *ret_tgid);

/*
 * The index of the first user frame of a process, in a stack walked at `time_ns`, whose code may have changed since its table was made:
 * then its caller may be wrong. `nr`: none. Code without a table is read again, because it may be newer. NULL: `nr`.
 */
size_t unwinding_first_changed(struct unwinding *unwinding, uint32_t tgid, uint64_t time_ns, const uint64_t *addresses,
			       size_t nr);

/* Tables, and mappings of processes, that did not fit since the start. NULL: 0. */
uint64_t unwinding_nr_refused(const struct unwinding *unwinding);
