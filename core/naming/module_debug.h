/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information of kernel modules: files with the build ids that the modules had when they were sampled. The load address of a module
 * is not needed: a frame has its function and the offset in it, and the file has the function's address.
 */
#pragma once

#include "core/naming/kernel_debug.h"

struct debug_module {
	char *name;
	bool is_found;
	uint32_t number; /* the symbolizer's number */
	struct symbol_function *functions; /* sorted by name */
	size_t nr_functions;
};

struct module_debug {
	uint32_t nr_tried; /* files passed to the symbolizer */
	VEC(struct debug_module *) modules; /* searched modules, found or not */
};

void module_debug_done(struct module_debug *debug);

/*
 * Returns the file of a module by name; NULL: not found. It is searched once, where `kernel` says: by build id, then at the path in
 * modules.dep, below each directory for debug files and below /; then on the servers.
 */
const struct debug_module *module_debug_open(struct module_debug *debug, const struct kernel_debug *kernel,
					     const struct profile *profile, struct symbolizer *symbolizer,
					     string_id module);

/* Returns the address in the file for an offset in a function. False unless exactly one function has this name and is long enough. */
bool debug_module_address(const struct debug_module *module, const char *function, uint64_t offset,
			  uint64_t *ret_address);
