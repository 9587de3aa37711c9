/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/kernel_types.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/names.h"
#include "core/base/strtab.h"
#include "core/base/vec.h"

enum {
	MAX_FILE = 64 << 20, /* distributions' kernels have 5 MB */
	MAX_DEPTH = 32, /* of nested structs */
	OWN_PREFIX = 3,      /* "st_" */
	NR_KINDS = BTF_KIND_ENUM64 + 1,
	STEP = 32, /* the offset of every 32nd type is stored */
	NR_STARTS = 1024, /* hashes of the first two letters of a name */
	NOT_PICKED = INT_MIN, /* neither an id nor an errno */
};

/* ---- the file ---- */

struct image {
	const char *bytes;
	size_t size;
	bool mapped;
};

/* Since v6.16 the file can be mapped (commit a539e2a6d51d ("btf: Allow mmap of vmlinux btf")). */
static int read_image(int fd, size_t size, struct image *ret_image)
{
	char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);

	*ret_image = (struct image){ bytes, size, bytes != MAP_FAILED };
	if (ret_image->mapped)
		return 0;
	ret_image->bytes = bytes = xmalloc(size);
	for (size_t nr = 0; nr < size;) {
		ssize_t got = read(fd, bytes + nr, size - nr);

		if (got <= 0)
			return got ? -errno : -EINVAL;
		nr += (size_t)got;
	}
	return 0;
}

static int open_image(struct image *ret_image)
{
	_cleanup_(closep) int fd = open(KERNEL_BTF, O_RDONLY | O_CLOEXEC);
	struct stat about;

	if (fd < 0 || fstat(fd, &about))
		return -errno;
	if (about.st_size < (off_t)sizeof(struct btf_header) || about.st_size > MAX_FILE)
		return -EINVAL;
	return read_image(fd, (size_t)about.st_size, ret_image);
}

static void image_done(struct image *image)
{
	if (image->mapped)
		munmap((void *)image->bytes, image->size);
	else
		free((void *)image->bytes);
}

/* ---- types ---- */

struct types {
	const char *first; /* of the type section */
	uint32_t nr_bytes;
	const char *strings;
	uint32_t nr_string_bytes;
	uint32_t nr; /* without void (id 0); 0 before visit_types() */
	VEC(uint32_t) places; /* offsets of every STEPth type in the section */
};

static bool find_sections(const struct image *image, struct types *types)
{
	struct btf_header header;
	uint64_t room;

	memcpy(&header, image->bytes, sizeof(header));
	if (header.magic != BTF_MAGIC || header.version != BTF_VERSION || header.hdr_len > image->size)
		return false;
	room = image->size - header.hdr_len;
	if (header.type_off % sizeof(uint32_t) || header.hdr_len % sizeof(uint32_t) ||
	    (uint64_t)header.type_off + header.type_len > room || (uint64_t)header.str_off + header.str_len > room ||
	    !header.str_len)
		return false;
	types->first = image->bytes + header.hdr_len + header.type_off;
	types->nr_bytes = header.type_len;
	types->strings = image->bytes + header.hdr_len + header.str_off;
	types->nr_string_bytes = header.str_len;
	return types->strings[header.str_len - 1] == '\0';
}

/* Most types are of these kinds, which have no further data. */
#define PLAIN_KINDS                                                                                    \
	(1u << BTF_KIND_PTR | 1u << BTF_KIND_FWD | 1u << BTF_KIND_TYPEDEF | 1u << BTF_KIND_VOLATILE |  \
	 1u << BTF_KIND_CONST | 1u << BTF_KIND_RESTRICT | 1u << BTF_KIND_FUNC | 1u << BTF_KIND_FLOAT | \
	 1u << BTF_KIND_TYPE_TAG)

/* The bytes of a type and its further data; 0: unknown kind. */
static size_t type_size(const struct btf_type *type)
{
	static const uint8_t fixed[NR_KINDS] = {
		[BTF_KIND_INT] = 4,
		[BTF_KIND_ARRAY] = sizeof(struct btf_array),
		[BTF_KIND_VAR] = 4,
		[BTF_KIND_DECL_TAG] = 4,
	};
	static const uint8_t each[NR_KINDS] = {
		[BTF_KIND_STRUCT] = sizeof(struct btf_member),    [BTF_KIND_UNION] = sizeof(struct btf_member),
		[BTF_KIND_ENUM] = sizeof(struct btf_enum),        [BTF_KIND_ENUM64] = sizeof(struct btf_enum64),
		[BTF_KIND_FUNC_PROTO] = sizeof(struct btf_param), [BTF_KIND_DATASEC] = sizeof(struct btf_var_secinfo),
	};
	unsigned int kind = btf_kind(type);

	/* The CPU predicts this branch, so it can read the next type early. It could not after a computation of the size. */
	if (1u << kind & PLAIN_KINDS)
		return sizeof(*type);
	if (kind == BTF_KIND_UNKN || kind >= NR_KINDS)
		return 0;
	return sizeof(*type) + fixed[kind] + (size_t)each[kind] * btf_vlen(type);
}

typedef void visit_type(void *context, const struct btf_type *type, uint32_t id);

/* Visits all types. 0 or a negative errno. There are 150,000, so this is inlined together with `visit`, and called once. */
static inline __attribute__((always_inline)) int visit_types(struct types *types, visit_type *visit, void *context)
{
	uint32_t nr = 0;

	for (uint32_t at = 0, left = types->nr_bytes; left;) {
		const struct btf_type *type = (const struct btf_type *)(types->first + at);
		size_t size = left < sizeof(*type) ? 0 : type_size(type);

		if (!size || size > left)
			return -EINVAL;
		if (nr % STEP == 0)
			vec_push(&types->places, at);
		visit(context, type, ++nr);
		at += (uint32_t)size;
		left -= (uint32_t)size;
	}
	types->nr = nr;
	return 0;
}

static const char *name_of(const struct types *types, uint32_t offset)
{
	return offset < types->nr_string_bytes ? types->strings + offset : "";
}

/* A type by its id, or NULL. Only after visit_types(). */
static const struct btf_type *type_by_id(const struct types *types, uint32_t id)
{
	const char *type;

	if (!id || id > types->nr)
		return NULL;
	type = types->first + types->places.data[(id - 1) / STEP];
	for (uint32_t i = (id - 1) % STEP; i > 0; i--)
		type += type_size((const struct btf_type *)type);
	return (const struct btf_type *)type;
}

/* ---- picking ---- */

struct picker {
	struct types types;
	const char *const *names;
	size_t nr_names;
	const struct strtab *members; /* members and values to pick; NULL: all */
	bool starts[NR_STARTS]; /* of the names */
	struct btf *to;
	int pointer; /* the one pointer type */
	VEC(uint32_t) wanted; /* ids of types with one of the names */
	VEC(struct picked {
		uint32_t from;
		int to;
	})
	picked;
};

static unsigned int start_of(const char *name)
{
	return *name ? ((unsigned char)name[0] << 5 ^ (unsigned char)name[1]) % NR_STARTS : 0;
}

static bool is_wanted(const struct picker *picker, const struct btf_type *type)
{
	const char *name = name_of(&picker->types, type->name_off);

	if (!picker->starts[start_of(name)])
		return false;
	for (size_t i = 0; i < picker->nr_names; i++)
		if (picker->names[i][0] == *name && !strcmp(picker->names[i], name))
			return true;
	return false;
}

static int pick(struct picker *picker, uint32_t id, unsigned int depth);

/* Members without a name are picked, because they can contain wanted ones. */
static bool is_wanted_member(const struct picker *picker, uint32_t name_off)
{
	const char *name = name_of(&picker->types, name_off);

	return !picker->members || !*name || strtab_find(picker->members, name);
}

/* Adds the members only if the type has no name or one of the wanted names. */
static int pick_composite(struct picker *picker, const struct btf_type *type, unsigned int depth)
{
	const struct btf_member *members = btf_members(type);
	const char *name = name_of(&picker->types, type->name_off);
	unsigned int nr = !*name || is_wanted(picker, type) ? btf_vlen(type) : 0;
	_cleanup_(freep) int *inner = xcalloc(nr, sizeof(*inner));
	int id, err = 0;

	for (unsigned int i = 0; i < nr; i++) {
		inner[i] = is_wanted_member(picker, members[i].name_off) ? pick(picker, members[i].type, depth)
									 : NOT_PICKED;
		if (inner[i] < 0 && inner[i] != NOT_PICKED)
			return inner[i];
	}
	id = btf_is_union(type) ? btf__add_union(picker->to, name, type->size)
				: btf__add_struct(picker->to, name, type->size);
	for (unsigned int i = 0; id > 0 && i < nr && !err; i++)
		if (inner[i] != NOT_PICKED)
			err = btf__add_field(picker->to, name_of(&picker->types, members[i].name_off), inner[i],
					     btf_member_bit_offset(type, i), btf_member_bitfield_size(type, i));
	return err ? err : id;
}

static int pick_enum(struct picker *picker, const struct btf_type *type)
{
	const struct btf_enum *values = btf_enum(type);
	unsigned int nr = is_wanted(picker, type) ? btf_vlen(type) : 0;
	int id = btf__add_enum(picker->to, name_of(&picker->types, type->name_off), type->size), err = 0;

	for (unsigned int i = 0; id > 0 && i < nr && !err; i++)
		if (is_wanted_member(picker, values[i].name_off))
			err = btf__add_enum_value(picker->to, name_of(&picker->types, values[i].name_off),
						  values[i].val);
	return err ? err : id;
}

static int pick_array(struct picker *picker, const struct btf_type *type, unsigned int depth)
{
	const struct btf_array *array = btf_array(type);
	int index = btf__add_int(picker->to, "unsigned int", sizeof(uint32_t), 0);
	int element = pick(picker, array->type, depth);

	if (index < 0 || element < 0)
		return index < 0 ? index : element;
	return btf__add_array(picker->to, index, element, array->nelems);
}

/* CO-RE ignores typedefs and qualifiers. Kinds that CO-RE does not accept become void. */
static int pick_new(struct picker *picker, const struct btf_type *type, unsigned int depth)
{
	const char *name = name_of(&picker->types, type->name_off);

	switch (btf_kind(type)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return pick_composite(picker, type, depth);
	case BTF_KIND_ENUM:
		return pick_enum(picker, type);
	case BTF_KIND_ENUM64:
		return btf__add_enum64(picker->to, name, type->size, btf_kflag(type));
	case BTF_KIND_ARRAY:
		return pick_array(picker, type, depth);
	case BTF_KIND_INT:
		return btf__add_int(picker->to, name, type->size, btf_int_encoding(type));
	case BTF_KIND_FLOAT:
		return btf__add_float(picker->to, name, type->size);
	case BTF_KIND_PTR:
		return picker->pointer;
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return pick(picker, type->type, depth);
	default:
		return 0;
	}
}

static int pick(struct picker *picker, uint32_t id, unsigned int depth)
{
	const struct btf_type *type = type_by_id(&picker->types, id);
	int to;

	if (!type)
		return id ? -EINVAL : 0;
	if (depth > MAX_DEPTH)
		return -EINVAL;
	for (size_t i = 0; i < picker->picked.nr; i++)
		if (picker->picked.data[i].from == id)
			return picker->picked.data[i].to;
	to = pick_new(picker, type, depth + 1);
	if (to > 0)
		vec_push(&picker->picked, (struct picked){ id, to });
	return to;
}

static void note_wanted(void *context, const struct btf_type *type, uint32_t id)
{
	struct picker *picker = context;

	if ((btf_is_composite(type) || btf_is_enum(type)) && is_wanted(picker, type))
		vec_push(&picker->wanted, id);
}

static int pick_all(struct picker *picker, const struct image *image)
{
	int err;

	if (!find_sections(image, &picker->types))
		return -EINVAL;
	for (size_t i = 0; i < picker->nr_names; i++)
		picker->starts[start_of(picker->names[i])] = true;
	picker->to = btf__new_empty();
	if (!picker->to)
		return -errno;
	picker->pointer = btf__add_ptr(picker->to, 0);
	if (picker->pointer < 0)
		return picker->pointer;
	/* a member's type can come later in the section, so this visits all types first */
	err = visit_types(&picker->types, note_wanted, picker);
	for (size_t i = 0; !err && i < picker->wanted.nr; i++) {
		int to = pick(picker, picker->wanted.data[i], 0);

		err = to < 0 ? to : 0;
	}
	return err;
}

static int pick_members(const char *const *names, size_t nr, const struct strtab *members, struct btf **ret_btf)
{
	_cleanup_(image_done) struct image image = {};
	struct picker picker = { .names = names, .nr_names = nr, .members = members };
	int err = open_image(&image);

	err = err ?: pick_all(&picker, &image);
	vec_done(&picker.types.places);
	vec_done(&picker.wanted);
	vec_done(&picker.picked);
	if (err)
		btf__free(picker.to);
	else
		*ret_btf = picker.to;
	return err;
}

int kernel_types_pick(const char *const *names, size_t nr, struct btf **ret_btf)
{
	return pick_members(names, nr, NULL, ret_btf);
}

/* ---- for an object ---- */

static size_t length_without_flavor(const char *name)
{
	const char *flavor = strstr(name, "___");

	return flavor ? (size_t)(flavor - name) : strlen(name);
}

static void add_members(const struct btf *object, const struct btf_type *type, struct strtab *members)
{
	for (unsigned int i = 0; i < btf_vlen(type); i++) {
		const char *name = btf__name_by_offset(object, btf_is_composite(type) ? btf_members(type)[i].name_off
										      : btf_enum(type)[i].name_off);

		if (name)
			strtab_addn(members, name, length_without_flavor(name));
	}
}

static void add_names(const struct btf *object, name_list *names, struct strtab *members)
{
	for (uint32_t id = 1; id < btf__type_cnt(object); id++) {
		const struct btf_type *type = btf__type_by_id(object, id);
		const char *name = btf__name_by_offset(object, type->name_off);

		if (!name || !(btf_is_composite(type) || btf_is_enum(type)) || !strncmp(name, "st_", OWN_PREFIX))
			continue;
		add_members(object, type, members);
		if (*name)
			vec_push(names, xstrndup(name, length_without_flavor(name)));
	}
}

int kernel_types_write(const struct btf *object, int fd)
{
	_cleanup_(name_list_done) name_list names = {};
	_cleanup_(strtab_done) struct strtab members = {};
	struct btf *btf = NULL;
	const void *bytes;
	uint32_t size = 0;
	int err;

	add_names(object, &names, &members);
	err = pick_members((const char *const *)names.data, names.nr, &members, &btf);
	if (err)
		return err;
	bytes = btf__raw_data(btf, &size);
	if (!bytes)
		err = -ENOMEM;
	else if (write(fd, bytes, size) != (ssize_t)size)
		err = -EIO;
	btf__free(btf);
	return err;
}

/* ---- functions ---- */

struct function_search {
	struct types types;
	struct strtab names;
	uint32_t *ids; /* by string_id of the name */
};

static void note_function(void *context, const struct btf_type *type, uint32_t id)
{
	struct function_search *search = context;
	string_id name = btf_is_func(type) ? strtab_find(&search->names, name_of(&search->types, type->name_off)) : 0;

	if (name && !search->ids[name])
		search->ids[name] = id;
}

int kernel_types_functions(const char *const *names, size_t nr, uint32_t *ret_ids)
{
	_cleanup_(image_done) struct image image = {};
	struct function_search search = { .ids = xcalloc(nr + 1, sizeof(*search.ids)) };
	int err = open_image(&image);

	for (size_t i = 0; i < nr; i++)
		strtab_add(&search.names, names[i]);
	if (!err)
		err = find_sections(&image, &search.types) ? visit_types(&search.types, note_function, &search)
							   : -EINVAL;
	for (size_t i = 0; i < nr; i++)
		ret_ids[i] = search.ids[strtab_find(&search.names, names[i])];
	vec_done(&search.types.places);
	strtab_done(&search.names);
	free(search.ids);
	return err;
}
