/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/notes.h"

#include <elf.h>
#include <errno.h>

enum {
	BUILD_ID_MIN = 3, /* bytes, as in elfutils */
};

struct notes notes_of(const void *bytes, size_t nr_bytes, uint64_t alignment)
{
	return (struct notes){
		.bytes = { .at = bytes, .end = (const uint8_t *)bytes + nr_bytes },
		.start = bytes,
		.alignment = alignment == 8 ? 8 : 4,
	};
}

/* The padding of the last note may be missing. */
static void skip_padding(struct notes *notes)
{
	size_t nr = -(size_t)(notes->bytes.at - notes->start) & (notes->alignment - 1),
	       left = bytes_left(&notes->bytes);

	bytes_skip(&notes->bytes, nr < left ? nr : left);
}

int notes_next(struct notes *notes, struct note *ret_note)
{
	uint64_t nr_owner, nr_content;

	if (bytes_left(&notes->bytes) < sizeof(Elf64_Nhdr)) /* the same size in 32-bit files */
		return -ENODATA;
	nr_owner = bytes_number(&notes->bytes, 4);
	nr_content = bytes_number(&notes->bytes, 4);
	ret_note->type = (uint32_t)bytes_number(&notes->bytes, 4);
	ret_note->owner = bytes_part(&notes->bytes, nr_owner);
	skip_padding(notes);
	ret_note->content = bytes_part(&notes->bytes, nr_content);
	skip_padding(notes);
	return notes->bytes.bad ? -EBADMSG : 0;
}

bool note_is(const struct note *note, const char *owner, uint32_t type)
{
	size_t nr = strlen(owner) + 1;

	return note->type == type && bytes_left(&note->owner) == nr && !memcmp(note->owner.at, owner, nr);
}

int notes_build_id(struct notes notes, struct build_id *ret_id)
{
	struct note note;
	int err;

	while (!(err = notes_next(&notes, &note))) {
		size_t nr = bytes_left(&note.content);

		if (!note_is(&note, ELF_NOTE_GNU, NT_GNU_BUILD_ID) || nr < BUILD_ID_MIN || nr > BUILD_ID_MAX)
			continue;
		ret_id->nr_bytes = (uint32_t)nr;
		memcpy(ret_id->bytes, note.content.at, nr);
		return 0;
	}
	return err;
}

void build_id_format(const struct build_id *id, char ret_hex[BUILD_ID_HEX_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	char *to = ret_hex;

	for (uint32_t i = 0; i < id->nr_bytes && i < BUILD_ID_MAX; i++) {
		*to++ = digits[id->bytes[i] >> 4];
		*to++ = digits[id->bytes[i] & 15];
	}
	*to = '\0';
}

bool build_id_same(const struct build_id *a, const struct build_id *b)
{
	return a->nr_bytes && a->nr_bytes == b->nr_bytes && !memcmp(a->bytes, b->bytes, a->nr_bytes);
}
