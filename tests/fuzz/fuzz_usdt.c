/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes of USDT probes from anyone: whatever is found has its places in the file and its strings in the table. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(closep) int fd = fuzz_file(data, size);
	struct usdt_notes notes;
	struct elf_file elf;

	if (fd < 0 || elf_file_open(&elf, fd))
		return 0;
	if (!usdt_notes_read(&notes, &elf)) {
		image_check_probes(&notes, &elf);
		usdt_notes_done(&notes);
	}
	elf_file_done(&elf);
	return 0;
}
