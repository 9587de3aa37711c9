/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the layout of CPython (symbolize/python.h) in a file: an exported function that reads a member shows its offset. An offset
 * counts only if it is the only possible one. The code has no table of offsets by version.
 */
#pragma once

#include "symbolize/interpreter/asking.h"

/* Only with `thread_cframe`: finds where the loop stores its _PyCFrame in the thread state, and where it has filled it. */
void python_loop_read(const struct elf_file *elf, struct python_layout *layout);
