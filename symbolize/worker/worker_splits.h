/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The split files and the package of a file (dwarf_splits.h), which the caller opens for the worker. */
#pragma once

#include "symbolize/dwarf/dwarf_splits.h"
#include "symbolize/worker/worker_internal.h"

struct split_file {
	int fd; /* -1: not open */
	struct elf_file elf;
	struct dwarf dwarf;
};

struct worker_splits {
	struct dwarf_splits splits; /* first */
	struct worker *worker;
	struct dwarf *skeletons;
	bool package_asked;
	struct split_file package, split;
};

/* For the file of the question at hand. `skeletons` must outlive them, and leads to them from now on. */
void worker_splits_start(struct worker_splits *splits, struct worker *worker, struct dwarf *skeletons);
void worker_splits_done(struct worker_splits *splits);
