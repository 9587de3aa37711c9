/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF object by itself, without the engine: loads one program with a configuration and reads what it leaves behind.
 */
#pragma once

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/abi.h"
#include "core/base/vec.h"
#include "stacktool.skel.h"

struct object {
	struct stacktool *skeleton;
	struct bpf_program *program;
	int counts[ST_GENERATIONS];
	volatile struct st_control *control;
	struct ring_buffer *ring;

	/* messages of the ring, in order */
	VEC(struct st_stack) records;
	VEC(struct st_delta) deltas;
	size_t nr_pokes;
};

#define NR_OTHERS 2

struct object_options {
	const char *program;
	const char *others[NR_OTHERS]; /* loaded with it, up to a NULL */
	struct st_config config; /* seeds and .cpu are set when zero */
	uint32_t count_entries;  /* 0: 1024 */
	uint32_t known_entries;  /* 0: as in the object */
	uint32_t ring_bytes;     /* 0: as in the object */
	uint32_t child_entries;  /* 0: as in the object */
};

/* Loads; fails the test with the verifier's words when that does not work. Not attached. */
void object_load(struct object *object, const struct object_options *options);
void object_done(struct object *object);

/* Runs the program once on this CPU (bpf_prog_test_run); for on_test. */
void object_run(struct object *object);

/* The same, with `frame` as the frame pointer from which the walk starts. x86_64. */
void object_run_from(struct object *object, uint64_t frame);

/* Takes all messages out of the ring. */
void object_read_ring(struct object *object);

/* The statistics of a generation, summed over CPUs. */
struct st_stats object_stats(const struct object *object, uint32_t generation);

/* The sum of all counts in a generation's map, and how many entries it has. */
uint64_t object_sum(const struct object *object, uint32_t generation, size_t *ret_entries);

/* The identity of the design; fails the test when it does not hold. */
void object_check_identity(const struct object *object, uint32_t generation);
