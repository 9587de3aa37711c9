/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places in user code: their mechanism, and whether an instruction can have a breakpoint. */
#pragma once

#include "core/resolve/attach_plan.h"
#include "core/resolve/file_search.h"

/* Classifies the instruction at a file offset. `at_entry`: it is the entry of a function. */
enum first_instruction user_code_first(int fd, uint64_t offset, bool at_entry);

/* Adds a place without a name. False: the last place is the same, which would count each event twice. */
bool user_code_add(struct attach_plan *attach, const struct probed_file *file, uint64_t offset);

/* Call when all places are found: checks their number and chooses the mechanism. 0 or a recorded failure. */
int user_code_finish(struct file_search *search);
