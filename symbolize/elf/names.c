/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/names.h"

#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"

int names_open(struct names *names, const struct elf_file *elf, uint64_t offset, uint64_t nr_bytes, uint64_t copy_max)
{
	_cleanup_(freep) char *copy = NULL;
	int err, fd = -1;

	if (!elf_file_holds(elf, offset, nr_bytes))
		return -EBADMSG;
	if (nr_bytes <= copy_max || elf->memory) {
		copy = elf_file_copy(elf, offset, nr_bytes, UINT64_MAX, &err);
		if (!copy)
			return err;
	}
	if (!elf->memory)
		fd = dup(elf->fd);
	if (fd < 0 && !elf->memory)
		return -errno;
	*names = (struct names){ true, fd, offset, nr_bytes, take_ptr(copy) };
	return 0;
}

void names_done(struct names *names)
{
	free(names->copy);
	if (names->is_open)
		closep(&names->fd);
	*names = (struct names){};
}

void names_load(struct names *names)
{
	const struct elf_file file = { .fd = names->fd, .size = UINT64_MAX };
	int unused;

	names->copy = elf_file_copy(&file, names->offset, names->nr_bytes, UINT64_MAX, &unused);
}

void names_drop_copy(struct names *names)
{
	if (names->fd < 0)
		return; /* the copy is all there is */
	free(names->copy);
	names->copy = NULL;
}

/* Length of a name without its version suffix. */
static size_t name_length(const char *text, size_t room)
{
	size_t length = strnlen(text, room);
	const char *suffix = length > 1 ? memchr(text + 1, '@', length - 1) : NULL;

	return suffix ? (size_t)(suffix - text) : length;
}

/* Reads up to `room` bytes of the table. */
static size_t read_some(const struct names *names, uint32_t position, char *ret_bytes, size_t room)
{
	uint64_t left = names->nr_bytes - position;
	ssize_t got = pread(names->fd, ret_bytes, left < room ? (size_t)left : room, (off_t)(names->offset + position));

	return got > 0 ? (size_t)got : 0;
}

struct name names_get(const struct names *names, uint32_t position, char scratch[NAME_MAX_BYTES])
{
	enum {
		USUAL_BYTES = 256 /* most names are shorter, and one page of the file is enough */
	};
	size_t nr;

	if (position >= names->nr_bytes)
		return (struct name){ "", 0 };
	if (names->copy)
		return (struct name){ names->copy + position, name_length(names->copy + position, NAME_MAX_BYTES) };
	nr = read_some(names, position, scratch, USUAL_BYTES);
	if (nr == USUAL_BYTES && !memchr(scratch, '\0', nr))
		nr = read_some(names, position, scratch, NAME_MAX_BYTES);
	return (struct name){ scratch, name_length(scratch, nr) };
}

/* Whether a name in a copy ends here: at its NUL, or before its version suffix. */
static bool ends_at(const char *text, size_t i)
{
	return !text[i] || (text[i] == '@' && i) || i == NAME_MAX_BYTES;
}

static bool same_text(const char *a, const char *b, uint64_t *nr_compared)
{
	size_t i = 0;

	while (a[i] == b[i] && !ends_at(a, i))
		i++;
	*nr_compared += i;
	return ends_at(a, i) && ends_at(b, i);
}

/* A program with both tables has most names in both; where both are copies, they are compared without their lengths. */
bool names_same(const struct names *a, uint32_t position_a, const struct names *b, uint32_t position_b,
		uint64_t *nr_compared)
{
	char scratch_a[NAME_MAX_BYTES], scratch_b[NAME_MAX_BYTES];
	struct name name_a, name_b;

	if (a->copy && b->copy && position_a < a->nr_bytes && position_b < b->nr_bytes)
		return same_text(a->copy + position_a, b->copy + position_b, nr_compared);
	name_a = names_get(a, position_a, scratch_a);
	name_b = names_get(b, position_b, scratch_b);
	*nr_compared += name_a.nr_bytes + name_b.nr_bytes;
	return name_a.nr_bytes == name_b.nr_bytes && !memcmp(name_a.text, name_b.text, name_a.nr_bytes);
}

/* Prefixes by which a library or the kernel marks its own copies of a function. */
static bool is_internal(struct name name)
{
	static const char *const prefixes[] = { "__GI_", "__libc_", "__new_", "__pi_", "__x86_", "__kvm_nvhe_" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (name_starts_with(name, prefixes[i]))
			return true;
	return false;
}

static size_t leading_underscores(struct name name)
{
	size_t nr = 0;

	while (nr < name.nr_bytes && name.text[nr] == '_')
		nr++;
	return nr;
}

static int prefer_less(size_t a, size_t b)
{
	return (a < b) - (a > b);
}

int name_compare_beginnings(struct name a, struct name b)
{
	int better = prefer_less(is_internal(a), is_internal(b));

	better = better ?: prefer_less(!a.nr_bytes, !b.nr_bytes);
	return better ?: prefer_less(leading_underscores(a), leading_underscores(b));
}

int name_compare(struct name a, struct name b)
{
	int better = name_compare_beginnings(a, b);

	better = better ?: prefer_less(a.nr_bytes, b.nr_bytes);
	return better ?: memcmp(b.text, a.text, a.nr_bytes);
}

const char *name_rule(struct name better, struct name worse)
{
	if (is_internal(better) != is_internal(worse))
		return "is a name for the library's own use";
	if (leading_underscores(better) != leading_underscores(worse))
		return "has more leading underscores";
	return better.nr_bytes != worse.nr_bytes ? "is longer" : "comes later in byte order";
}
