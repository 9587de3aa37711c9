/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readable names of C++ (Itanium ABI) and Rust (legacy and v0) functions.
 *
 * A mangled name is a small program: 230 bytes expand to 142 MB. So the output is bounded, and a name that needs more
 * stays as it is.
 */
#pragma once

#include <stdbool.h>

#include "symbolize/elf/names.h"

/* Room for any demangled name and its NUL. */
#define DEMANGLED_MAX_BYTES 16384

/*
 * Writes the readable form with a NUL and returns true. Returns false if the name is not mangled, is longer than 4 KB,
 * or does not fit. `ret_text` is overwritten in both cases.
 */
bool demangle(struct name mangled, char ret_text[DEMANGLED_MAX_BYTES]);

/*
 * The bare name within a readable one: "ns::f<int>" of "void ns::f<int>(char const*) const", without return type,
 * parameters and qualifiers. False if there is no parameter list at the end, as in Rust.
 */
bool demangled_stem(const char *readable, struct name *ret_stem);

/*
 * Change names of Rust's v0 mangling to their shorter forms, in place; false if nothing changes. The first removes the
 * types of a generic function: "a::f" from "a::f::<u8>". The second removes the brackets of a type's own function, but
 * not of a trait's: "a::T::f" from "<a::T>::f".
 */
bool demangled_rust_cut(char *readable);
bool demangled_rust_open(char *readable);
