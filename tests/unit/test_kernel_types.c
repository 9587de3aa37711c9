/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is picked out of the kernel's types is what libbpf finds in all of them. */
#include "core/host/kernel_types.h"

#include <sys/mman.h>

#include <bpf/btf.h>

#include "tests/harness.h"

static const char *const names[] = { "task_struct", "bpf_link_info", "perf_type_id", "no_such_type" };
enum {
	NR_NAMES = sizeof(names) / sizeof(names[0]),
};

static int load_all(void **state)
{
	if (access(KERNEL_BTF, R_OK)) {
		printf("SKIP: %s is not readable here\n", KERNEL_BTF);
		return 0;
	}
	*state = btf__load_vmlinux_btf();
	return *state ? 0 : -1;
}

static int free_all(void **state)
{
	btf__free(*state);
	return 0;
}

static const struct btf_type *find(const struct btf *btf, const char *name, uint32_t kind)
{
	int id = btf__find_by_name_kind(btf, name, kind);

	return id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;
}

static const struct btf_type *bare(const struct btf *btf, uint32_t id)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	while (btf_is_mod(type) || btf_is_typedef(type))
		type = btf__type_by_id(btf, type->type);
	return type;
}

static void expect_same_members(const struct btf *all, const struct btf_type *theirs, const struct btf *picked,
				const struct btf_type *ours)
{
	assert_int_equal(ours->size, theirs->size);
	assert_int_equal(btf_vlen(ours), btf_vlen(theirs));
	for (unsigned int i = 0; i < btf_vlen(ours); i++) {
		const struct btf_member *a = &btf_members(theirs)[i], *b = &btf_members(ours)[i];
		const struct btf_type *their_type = bare(all, a->type), *our_type = bare(picked, b->type);

		assert_string_equal(btf__name_by_offset(picked, b->name_off), btf__name_by_offset(all, a->name_off));
		assert_int_equal(btf_member_bit_offset(ours, i), btf_member_bit_offset(theirs, i));
		assert_int_equal(btf_member_bitfield_size(ours, i), btf_member_bitfield_size(theirs, i));
		assert_int_equal(btf_kind(our_type), btf_kind(their_type));
		assert_int_equal(btf__resolve_size(picked, b->type), btf__resolve_size(all, a->type));
		if (btf_is_composite(their_type) && !their_type->name_off)
			expect_same_members(all, their_type, picked, our_type);
	}
}

TEST(structs_have_the_members_that_the_kernel_has)
{
	const struct btf *all = *state;
	struct btf *picked = NULL;

	if (!all)
		skip();
	assert_int_equal(kernel_types_pick(names, NR_NAMES, &picked), 0);
	for (size_t i = 0; i < 2; i++) {
		const struct btf_type *ours = find(picked, names[i], BTF_KIND_STRUCT);

		assert_non_null(ours);
		expect_same_members(all, find(all, names[i], BTF_KIND_STRUCT), picked, ours);
	}
	assert_null(find(picked, "no_such_type", BTF_KIND_STRUCT));
	btf__free(picked);
}

TEST(enumerations_have_their_values)
{
	struct btf *picked = NULL;
	const struct btf_type *type;

	if (!*state)
		skip();
	assert_int_equal(kernel_types_pick(names, NR_NAMES, &picked), 0);
	type = find(picked, "perf_type_id", BTF_KIND_ENUM);
	assert_non_null(type);
	assert_true(btf_vlen(type) >= 6);
	assert_string_equal(btf__name_by_offset(picked, btf_enum(type)[1].name_off), "PERF_TYPE_SOFTWARE");
	assert_int_equal(btf_enum(type)[1].val, 1);
	btf__free(picked);
}

static int place_of(const struct btf *btf, const struct btf_type *type, const char *member)
{
	for (unsigned int i = 0; i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(type)[i].name_off), member))
			return (int)btf_member_bit_offset(type, i);
	return -1;
}

/* An object that has a type of its own, and flavors of kernel types with one member and one value. */
TEST(the_file_for_an_object_has_only_what_its_types_have)
{
	_cleanup_(closep) int fd = memfd_create("types", MFD_CLOEXEC);
	struct btf *object = btf__new_empty(), *read_back;
	const struct btf_type *type;
	char path[64];
	uint32_t size;
	int number;

	if (!*state)
		skip();
	number = btf__add_int(object, "int", 4, BTF_INT_SIGNED);
	assert_true(btf__add_struct(object, "st_own", 8) > 0);
	assert_int_equal(btf__add_field(object, "comm", number, 0, 0), 0);
	assert_true(btf__add_struct(object, "task_struct___of_test", 8) > 0);
	assert_int_equal(btf__add_field(object, "tgid", number, 0, 0), 0);
	assert_true(btf__add_enum(object, "perf_type_id___of_test", 4) > 0);
	assert_int_equal(btf__add_enum_value(object, "PERF_TYPE_RAW___of_test", 7), 0);
	assert_int_equal(kernel_types_write(object, fd), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_back = btf__parse(path, NULL);
	assert_non_null(read_back);
	type = find(read_back, "task_struct", BTF_KIND_STRUCT);
	assert_non_null(type);
	assert_int_equal(place_of(read_back, type, "tgid"),
			 place_of(*state, find(*state, "task_struct", BTF_KIND_STRUCT), "tgid"));
	assert_int_equal(place_of(read_back, type, "comm"), -1);
	type = find(read_back, "perf_type_id", BTF_KIND_ENUM);
	assert_non_null(type);
	assert_int_equal(btf_vlen(type), 1);
	assert_string_equal(btf__name_by_offset(read_back, btf_enum(type)->name_off), "PERF_TYPE_RAW");
	assert_int_equal(btf_enum(type)->val, 4);
	assert_null(find(read_back, "st_own", BTF_KIND_STRUCT));
	btf__raw_data(read_back, &size);
	assert_in_range(size, 100, 10000);
	btf__free(read_back);
	btf__free(object);
}

TEST(functions_have_the_ids_that_libbpf_finds)
{
	static const char *const functions[] = { "vfs_read",    "no_such_function", "do_exit",
						 "task_struct", "vfs_read",         "vfs_write" };
	const size_t nr = sizeof(functions) / sizeof(functions[0]);
	uint32_t ids[sizeof(functions) / sizeof(functions[0])];

	if (!*state)
		skip();
	assert_int_equal(kernel_types_functions(functions, nr, ids), 0);
	for (size_t i = 0; i < nr; i++) {
		int id = btf__find_by_name_kind(*state, functions[i], BTF_KIND_FUNC);

		assert_int_equal(ids[i], id > 0 ? id : 0);
	}
	assert_int_not_equal(ids[0], 0);
	assert_int_equal(ids[3], 0);
}

TEST_GROUP(load_all, free_all)
