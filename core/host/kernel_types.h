/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A few types out of the kernel's type information (BTF, /sys/kernel/btf/vmlinux; format: Documentation/bpf/btf.rst).
 *
 * libbpf indexes and checks all of its 130,000 types: 10 ms and more, half of what `profile` needs to start. One pass that
 * picks only the types that the programs use costs less than 2 ms, and gives libbpf a BTF of a few kilobytes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct btf;

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

/*
 * All structs, unions and enumerations with one of these names. Their members have the right names, offsets, sizes and kinds;
 * complete are only those members whose type has no name or one of these names, and pointers point to void. The caller frees the
 * result (btf__free). 0, -ENOENT without the file, -EINVAL when it is no BTF.
 */
int kernel_types_pick(const char *const *names, size_t nr, struct btf **ret_btf);

/*
 * Writes into the empty file `fd`, for btf_custom_path, the kernel's types that CO-RE needs for an object with these types
 * (bpf_object__btf): those of the same names, without flavors ("name___flavor"); names with the prefix "st_" are our own. 0 or a
 * negative errno.
 */
int kernel_types_write(const struct btf *object, int fd);

/*
 * The ids of functions of the kernel itself (not of modules) by their names, 0 where its type information has none; the first of
 * several with one name. 0 or a negative errno.
 */
int kernel_types_functions(const char *const *names, size_t nr, uint32_t *ret_ids);
