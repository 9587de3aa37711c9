/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A few types out of the kernel's type information (BTF, /sys/kernel/btf/vmlinux).
 *
 * libbpf indexes all of its 130,000 types, looks through all of them for each type that a program names, and reads the
 * file in pages: 10 ms and more, half of what `profile` needs to start. One pass that only picks what is asked for costs
 * less than 2 ms, and what it leaves is a BTF of a few kilobytes in which libbpf finds its way at once.
 *
 * Format: Documentation/bpf/btf.rst.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct btf;

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

/*
 * Structs, unions and enumerations of these names, all that have one of them. Their members have the right names, places
 * and kinds of type: complete are members without a type name and those whose type is picked too; a pointer points to
 * nothing. The caller frees the result (btf__free). 0, -ENOENT without the file, -EINVAL when it is no BTF.
 */
int kernel_types_pick(const char *const *names, size_t nr, struct btf **ret_btf);

/*
 * Writes into the empty file `fd`, for btf_custom_path, what CO-RE needs to know of the kernel for an object with these
 * types of its own (bpf_object__btf): the types that it names without the prefix "st_", flavors ("name___flavor") taken
 * off. 0 or a negative errno.
 */
int kernel_types_write(const struct btf *object, int fd);

/*
 * The ids of functions of the kernel itself (not of modules) by their names, 0 where its type information has none. Of several
 * functions of one name it is the first. 0 or a negative errno.
 */
int kernel_types_functions(const char *const *names, size_t nr, uint32_t *ret_ids);
