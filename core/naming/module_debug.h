/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Debug information of kernel modules: files with the build ids that the modules had when they were sampled. The
 * address at which a module was loaded is not needed: a frame has its function and the offset in it, and the file has
 * the address of the function.
 */
#pragma once

#include "core/naming/kernel_debug.h"

struct debug_module {
	char *name;
	bool is_found;
	uint32_t number; /* the symbolizer's number */
	struct symbol_function *functions; /* by name */
	size_t nr_functions;
};

struct module_debug {
	uint32_t nr_tried; /* files that were passed to the symbolizer */
	VEC(struct debug_module *) modules; /* that were searched for, found or not */
};

void module_debug_done(struct module_debug *debug);

/*
 * The file of a module, by its name; NULL if there is none. It is searched for once, in the places that `kernel` names:
 * by build id, and at the path in modules.dep, in the same directories or in /lib/modules/RELEASE.
 */
const struct debug_module *module_debug_open(struct module_debug *debug, const struct kernel_debug *kernel,
					     const struct profile *profile, struct symbolizer *symbolizer,
					     string_id module);

/* The address, in the file, of a place in a function; false unless exactly one function has this name and is long enough. */
bool debug_module_address(const struct debug_module *module, const char *function, uint64_t offset,
			  uint64_t *ret_address);
