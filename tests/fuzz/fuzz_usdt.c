/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes of USDT probes from anyone: whatever is found has its places in the file and its strings in the table. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "symbolize/usdt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct usdt_notes *notes, const struct elf_file *elf)
{
	for (size_t i = 0; i < notes->notes.nr; i++) {
		const struct usdt_note *note = &notes->notes.data[i];
		uint64_t unused;

		if (elf_file_address_of_offset(elf, note->file_offset, &unused) ||
		    (note->semaphore_offset && elf_file_address_of_offset(elf, note->semaphore_offset, &unused)))
			__builtin_trap();
		if (!*usdt_text(notes, note->provider) || !*usdt_text(notes, note->name) ||
		    strlen(usdt_text(notes, note->arguments)) >= notes->texts.nr)
			__builtin_trap();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(closep) int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct usdt_notes notes;
	struct elf_file elf;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || elf_file_open(&elf, fd))
		return 0;
	if (!usdt_notes_read(&notes, &elf)) {
		check(&notes, &elf);
		usdt_notes_done(&notes);
	}
	elf_file_done(&elf);
	return 0;
}
