/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Picks a few types from the kernel's type information (BTF, /sys/kernel/btf/vmlinux; format: Documentation/bpf/btf.rst).
 *
 * libbpf indexes and checks all of the 150,000 types, which takes more than 10 ms, half of the time that `profile` needs to start.
 * One pass that picks only the types that the programs use takes 1 ms and gives libbpf a BTF of two kilobytes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct btf;

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

/*
 * Picks all structs, unions and enumerations with one of these names. Their members have the right names, offsets, sizes and kinds.
 * A member that is itself a struct or union has members only if its type has no name, or one of these names. Pointers point to void. The
 * caller frees the result (btf__free). 0, -ENOENT without the file, -EINVAL if it is not BTF, or another negative errno.
 */
int kernel_types_pick(const char *const *names, size_t nr, struct btf **ret_btf);

/*
 * Writes into the empty file `fd`, for btf_custom_path, the kernel's types that CO-RE needs for an object with these types
 * (bpf_object__btf): those of the same names, without flavors ("name___flavor"), with the members and values that one of the object's
 * types has; names with the prefix "st_" are our own. 0 or a negative errno.
 */
int kernel_types_write(const struct btf *object, int fd);

/*
 * Looks up the BTF ids of functions of the kernel itself, not of modules: for each name the first one, or 0 if there is none.
 * Returns 0 or a negative errno.
 */
int kernel_types_functions(const char *const *names, size_t nr, uint32_t *ret_ids);
