/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes by bytes of the gABI, of the owners that there are; libelf reads the same ones. */
#include "core/base/notes.h"

#include <gelf.h>

#include "tests/unit/elf_writer.h"
#include "tests/harness.h"

struct row {
	const char *name, *bytes;
	size_t nr;
	uint64_t alignment;
	const char *notes; /* owner:type:length of the content, … */
	int end;           /* what follows the last one */
	const char *build_id;
	bool not_in_libelf; /* which wants the padding at the end, too */
};

#define B(bytes) bytes, sizeof(bytes) - 1
#define HEAD(owner, content, type) owner "\0\0\0" content "\0\0\0" type "\0\0\0"
#define BUILD_ID HEAD("\4", "\4", "\3") "GNU\0\xab\xcd\xef\1"

static const struct row rows[] = {
	{ "none", B(""), 4, "", -ENODATA, "" },
	{ "build id", B(BUILD_ID), 4, "GNU:3:4,", -ENODATA, "abcdef01" },
	{ "build id of the smallest length", B(HEAD("\4", "\3", "\3") "GNU\0\xab\xcd\xef\0"), 4, "GNU:3:3,", -ENODATA,
	  "abcdef" },
	{ "build id that is too short", B(HEAD("\4", "\2", "\3") "GNU\0\xab\xcd\0\0"), 4, "GNU:3:2,", -ENODATA, "" },
	{ "build id behind the ABI", B(HEAD("\4", "\4", "\1") "GNU\0\0\0\0\0" BUILD_ID), 4, "GNU:1:4,GNU:3:4,",
	  -ENODATA, "abcdef01" },
	{ "build id behind properties",
	  B(HEAD("\4", "\x10", "\5") "GNU\0"
				     "\2\0\0\xc0\4\0\0\0\3\0\0\0\0\0\0\0" BUILD_ID "\0\0\0\0"),
	  8, "GNU:5:16,GNU:3:4,", -ENODATA, "abcdef01" },
	{ "properties of odd length, aligned to 8",
	  B(HEAD("\4", "\x0c", "\5") "GNU\0"
				     "\2\0\0\xc0\4\0\0\0\3\0\0\0\0\0\0\0" BUILD_ID "\0\0\0\0"),
	  8, "GNU:5:12,GNU:3:4,", -ENODATA, "abcdef01" },
	{ "Go's build id",
	  B(HEAD("\3", "\5", "\4") "Go\0\0"
				   "abc/d\0\0\0"),
	  4, "Go:4:5,", -ENODATA, "" },
	{ "Go's and GNU's",
	  B(HEAD("\3", "\5", "\4") "Go\0\0"
				   "abc/d\0\0\0" BUILD_ID),
	  4, "Go:4:5,GNU:3:4,", -ENODATA, "abcdef01" },
	{ "a probe",
	  B(HEAD("\x08", "\2", "\3") "stapsdt\0"
				     "ab\0\0"),
	  4, "stapsdt:3:2,", -ENODATA, "" },
	{ "the kernel's own",
	  B(HEAD("\4", "\4", "\1") "Xen\0\0\0\0\0" HEAD("\6", "\4", "\x12") "Linux\0\0\0"
									    "\0\0\0\0" BUILD_ID),
	  4, "Xen:1:4,Linux:18:4,GNU:3:4,", -ENODATA, "abcdef01" },
	{ "the type of another owner", B(HEAD("\4", "\4", "\3") "GNV\0\xab\xcd\xef\1"), 4, "GNV:3:4,", -ENODATA, "" },
	{ "no owner, no content", B(HEAD("\0", "\0", "\7") BUILD_ID), 4, ":7:0,GNU:3:4,", -ENODATA, "abcdef01" },
	{ "no padding at the end", B(HEAD("\4", "\3", "\3") "GNU\0\xab\xcd\xef"), 4, "GNU:3:3,", -ENODATA, "abcdef",
	  true },
	{ "half a head at the end", B(BUILD_ID "\4\0\0\0\4\0\0\0"), 4, "GNU:3:4,", -ENODATA, "abcdef01" },
	{ "an owner beyond the end", B(HEAD("\x7f", "\4", "\3") "GNU\0\xab\xcd\xef\1"), 4, "", -EBADMSG, "" },
	{ "a content beyond the end", B(HEAD("\4", "\5", "\3") "GNU\0\xab\xcd\xef\1"), 4, "", -EBADMSG, "" },
	{ "an owner of 4 GB", B("\xff\xff\xff\xff\4\0\0\0\3\0\0\0GNU\0\xab\xcd\xef\1"), 4, "", -EBADMSG, "" },
	{ "a content of 4 GB", B("\4\0\0\0\xff\xff\xff\xff\3\0\0\0GNU\0\xab\xcd\xef\1"), 4, "", -EBADMSG, "" },
};

struct text {
	char data[128];
	size_t nr;
};

static void add(struct text *text, const void *owner, uint64_t type, uint64_t nr)
{
	text->nr += (size_t)snprintf(text->data + text->nr, sizeof(text->data) - text->nr, "%s:%u:%u,",
				     (const char *)owner, (unsigned int)type, (unsigned int)nr);
}

static void read_ours(const struct row *row)
{
	struct notes notes = notes_of(row->bytes, row->nr, row->alignment);
	char hex[BUILD_ID_HEX_SIZE];
	struct build_id id = {};
	struct text text = {};
	struct note note;
	int err;

	notes_build_id(notes, &id);
	build_id_format(&id, hex);
	while (!(err = notes_next(&notes, &note)))
		add(&text, bytes_left(&note.owner) ? (const char *)note.owner.at : "", note.type,
		    bytes_left(&note.content));
	if (err != row->end || strcmp(text.data, row->notes) != 0 || strcmp(hex, row->build_id) != 0)
		fail_msg("%s: '%s', end %d, build id '%s'", row->name, text.data, err, hex);
}

static void read_libelf(const struct row *row)
{
	const Elf64_Shdr header = { .sh_type = SHT_NOTE, .sh_addralign = row->alignment };
	struct elf_writer writer;
	Elf_Data *data = NULL;
	struct text text = {};
	size_t at = 0, name, content;
	Elf_Scn *section;
	GElf_Nhdr note;
	Elf *elf;

	elf_writer_init(&writer, ET_DYN);
	elf_writer_extra(&writer, ".note", &header, row->bytes, row->nr);
	elf_writer_finish(&writer);
	elf_version(EV_CURRENT);
	elf = elf_memory(writer.image.data, writer.image.nr);
	section = elf_getscn(elf, SECTION_NR);
	data = section ? elf_getdata_rawchunk(elf, (int64_t)(elf64_getshdr(section)->sh_offset), row->nr,
					      row->alignment == 8 ? ELF_T_NHDR8 : ELF_T_NHDR)
		       : NULL;
	while (data && (at = gelf_getnote(data, at, &note, &name, &content)))
		add(&text, note.n_namesz ? (const char *)data->d_buf + name : "", note.n_type, note.n_descsz);
	elf_end(elf);
	elf_writer_done(&writer);
	if (strcmp(text.data, row->notes) != 0)
		fail_msg("%s: libelf: '%s'", row->name, text.data);
}

TEST(notes_are_what_the_gabi_and_libelf_say)
{
	for (const struct row *row = rows; row < rows + sizeof(rows) / sizeof(rows[0]); row++) {
		read_ours(row);
		if (row->nr && !row->not_in_libelf)
			read_libelf(row);
	}
}
