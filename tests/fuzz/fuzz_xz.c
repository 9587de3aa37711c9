/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packed parts of object files: any bytes, and never more than there is room for. */
#include "symbolize/elf/mini_debug.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum {
		ROOM = 1 << 20
	};
	const struct elf_file file = { .fd = -1, .memory = data, .size = size };
	unsigned char *bytes;
	size_t nr;

	if (size && !xz_unpack(&file, 0, size, ROOM, &bytes, &nr)) {
		if (nr > ROOM)
			__builtin_trap();
		free(bytes);
	}
	return 0;
}
