/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readable names of C++ (Itanium ABI), Rust (legacy and v0) and D functions.
 *
 * A mangled name can expand without bound: 230 bytes to 142 MB. So the output is bounded, and a name that needs more stays mangled.
 */
#pragma once

#include <stdbool.h>

#include "symbolize/elf/names.h"

/* Room for the longest demangled name and its NUL. */
#define DEMANGLED_MAX_BYTES 16384

/*
 * Writes the readable form with a NUL and returns true. Returns false if the name is not mangled, is longer than 4 KB, or does not fit;
 * `ret_text` may be overwritten then too.
 */
bool demangle(struct name mangled, char ret_text[DEMANGLED_MAX_BYTES]);

/*
 * Finds the bare name in a readable one: "ns::f<int>" in "void ns::f<int>(char const*) const", without return type, parameters and
 * qualifiers. Returns false without a parameter list at the end, as in Rust.
 */
bool demangled_stem(const char *readable, struct name *ret_stem);

/*
 * Shorten names of Rust's v0 mangling in place; return false if nothing changes. The first removes the types of a generic function:
 * "a::f::<u8>" becomes "a::f". The second removes the brackets of an inherent method, not of a trait's: "<a::T>::f" becomes "a::T::f".
 */
bool demangled_rust_cut(char *readable);
bool demangled_rust_open(char *readable);
