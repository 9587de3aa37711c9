/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Picks a few types from the kernel's type information (BTF, /sys/kernel/btf/vmlinux; format: Documentation/bpf/btf.rst).
 *
 * libbpf indexes and checks all 150,000 types, which takes more than 10 ms: half of the start time of `profile`. One pass that picks only
 * the types that the programs use takes 1 ms, and gives libbpf a BTF of two kilobytes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct btf;

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

/*
 * Picks all structs, unions and enumerations with these names. Their members have the right names, offsets, sizes and kinds; but a member
 * that is itself a struct or union has members only if its type has no name, or one of these names. Pointers point to void. The caller
 * frees the result (btf__free). 0; -ENOENT: no BTF file; -EINVAL: it is not BTF; or another negative errno.
 */
int kernel_types_pick(const char *const *names, size_t nr, struct btf **ret_btf);

/*
 * Writes to the empty file `fd`, for btf_custom_path, the kernel's types that CO-RE needs for an object with these types (bpf_object__btf):
 * types with the same names, without flavors ("name___flavor"), and of them the members and values that one of the object's types has.
 * Types with the prefix "st_" are ours and left out. 0 or a negative errno.
 */
int kernel_types_write(const struct btf *object, int fd);

/* Looks up BTF ids of functions of the kernel itself, not of modules: the first of each name, or 0. 0 or a negative errno. */
int kernel_types_functions(const char *const *names, size_t nr, uint32_t *ret_ids);
