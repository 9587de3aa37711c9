/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debug information of kernel modules: files with the build ids that the modules had when they were sampled. Where the
 * sections of a module were loaded is not known later, and need not be: a frame tells its function, and how far in that it
 * is, and the file tells where the function is in the file.
 */
#pragma once

#include "core/naming/kernel_debug.h"

struct debug_module;

struct module_debug {
	uint32_t nr_tried; /* files that were handed over */
	VEC(struct debug_module *) modules; /* that were looked for, found or not */
};

void module_debug_done(struct module_debug *debug);

/*
 * The file of a module, by its name; looked for once, where `kernel` says that debug files are: by build id, and for the
 * path that modules.dep has, of the same directories or of /lib/modules/RELEASE. NULL if no file was found.
 */
const struct debug_module *module_debug_open(struct module_debug *debug, const struct kernel_debug *kernel,
					     const struct profile *profile, struct symbolizer *symbolizer,
					     string_id module);

/* Its number at the symbolizer. */
uint32_t debug_module_number(const struct debug_module *module);

/* Where a place of a function is in the file; false when no function, or not only one, has this name and is so long. */
bool debug_module_address(const struct debug_module *module, const char *function, uint64_t offset,
			  uint64_t *ret_address);
