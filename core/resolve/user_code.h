/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Breakpoints in user code: how they are put there, and whether an instruction can take one. */
#pragma once

#include "core/plan/plan.h"
#include "core/resolve/attach_plan.h"
#include "core/resolve/file_search.h"

/* What the kernel makes of a breakpoint at this offset of a file: at the entry of a function, or in the middle of one. */
enum first_instruction user_code_first(int fd, uint64_t offset, bool at_entry);

/* Adds a place without a name. False when the last place is this one: two places there would count every event twice. */
bool user_code_add(struct attach_plan *attach, const struct probed_file *file, uint64_t offset);

/* When all places are found: checks their number, and chooses the best way to put breakpoints there. 0 or a usage error. */
int user_code_finish(struct file_search *search);
