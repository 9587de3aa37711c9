/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk of bpf/unwind.bpf.c, the very code, compiled for user space: what the kernel does for it is done here, on the
 * registers and the memory of a stopped process. Tables and mappings come out of the maps in which they are published.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "bpf/abi.h"
#include "bpf/unwind_space.h"

struct unwind_store;

struct step_walk {
	uint64_t pc[ST_MAX_FRAMES]; /* leaf first */
	size_t nr;
	int end;         /* enum st_stack_end */
	size_t nr_reads; /* of user memory */
};

/* A store whose maps step_walk() looks at; one at a time. */
struct unwind_store *step_store_new(void);
void step_store_free(struct unwind_store *store);

/* Walks the stack of a process that the store knows, by tables alone. */
void step_walk(pid_t pid, const struct user_regs_struct *registers, struct step_walk *ret_walk);

/* For step.c: a slab, NULL without one; what is known of a process, likewise. */
void *step_slab(uint32_t number);
void *step_process(uint32_t tgid);
