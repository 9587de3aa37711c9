/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the layout of CPython (symbolize/python.h) in a file: asks each exported function that reads a member where it reads it, and
 * takes an answer only if it is the only one. No offset of any version is known here.
 */
#pragma once

#include "symbolize/elf/elf_file.h"
#include "symbolize/python.h"

/* Never fails: what cannot be read is absent or refused. */
void python_layout_read(const struct elf_file *elf, struct python_layout *ret_layout);

/* With `thread_cframe`: finds where the loop tells the thread of its _PyCFrame, and where it has filled it. */
void python_loop_read(const struct elf_file *elf, struct python_layout *layout);
