/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debug information of kernel modules: files with the build ids that the modules had when they were sampled. Where
 * a module was loaded is not known later, and not needed: a frame has its function and the offset in it, and the file
 * has the address of the function.
 */
#pragma once

#include "core/naming/kernel_debug.h"

struct debug_module {
	char *name;
	bool is_found;
	uint32_t number; /* at the symbolizer */
	struct symbol_function *functions; /* by name */
	size_t nr_functions;
};

struct module_debug {
	uint32_t nr_tried; /* files that were handed over */
	VEC(struct debug_module *) modules; /* that were looked for, found or not */
};

void module_debug_done(struct module_debug *debug);

/*
 * The file of a module, by its name. It is searched for once, where `kernel` says that debug files are: by build id,
 * and at the path that modules.dep has, in the same directories or in /lib/modules/RELEASE. NULL if no file was found.
 */
const struct debug_module *module_debug_open(struct module_debug *debug, const struct kernel_debug *kernel,
					     const struct profile *profile, struct symbolizer *symbolizer,
					     string_id module);

/*
 * The address in the file of a place in a function; false unless exactly one function has this name and is that long.
 */
bool debug_module_address(const struct debug_module *module, const char *function, uint64_t offset,
			  uint64_t *ret_address);
