/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readable names of C++ (Itanium ABI) and Rust (legacy and v0) functions.
 *
 * A mangled name is a small program: 230 bytes expand to 142 MB. So the output is bounded, and a name that needs more
 * stays as it is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "symbolize/elf/names.h"

/* Room for any demangled name and its NUL. */
#define DEMANGLED_MAX_BYTES 16384

/*
 * Writes the readable form with a NUL and returns true, or returns false when the name is not mangled, is longer than
 * 4 KB, or would not fit. `ret_text` is written to in both cases.
 */
bool demangle(struct name mangled, char ret_text[DEMANGLED_MAX_BYTES]);

/*
 * The name alone within a readable one: "ns::f<int>" of "void ns::f<int>(char const*) const", without return type,
 * parameters and qualifiers. False when there is no parameter list at the end, as in Rust.
 */
bool demangled_stem(const char *readable, struct name *ret_stem);

/*
 * Names of Rust's v0 mangling, as they were in the legacy one and as people write them; in place, false when nothing changes.
 * Without the types of a generic function: "a::f" of "a::f::<u8>"; and without the brackets of a type's own function: "a::T::f"
 * of "<a::T>::f", but not of a trait's.
 */
bool demangled_rust_cut(char *readable);
bool demangled_rust_open(char *readable);
