/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel shows the notes of its own image in /sys/kernel/notes, and those of modules below /sys/module. */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/host/host.h"

static size_t padded(uint32_t length)
{
	return ((size_t)length + 3) & ~(size_t)3;
}

static void to_hex(const unsigned char *bytes, size_t nr, char *ret_hex)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < nr; i++) {
		ret_hex[2 * i] = digits[bytes[i] >> 4];
		ret_hex[2 * i + 1] = digits[bytes[i] & 15];
	}
	ret_hex[2 * nr] = '\0';
}

static bool is_build_id(const Elf64_Nhdr *note, const unsigned char *name)
{
	return note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof("GNU") &&
	       !memcmp(name, "GNU", sizeof("GNU")) && note->n_descsz &&
	       note->n_descsz <= (KERNEL_BUILD_ID_ROOM - 1) / 2;
}

static void read_notes(const char *path, char ret_hex[KERNEL_BUILD_ID_ROOM])
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char bytes[4096];
	ssize_t nr = fd < 0 ? 0 : read(fd, bytes, sizeof(bytes));
	size_t at = 0, left = nr > 0 ? (size_t)nr : 0;
	Elf64_Nhdr note;

	ret_hex[0] = '\0';
	while (left >= sizeof(note)) {
		size_t length;

		memcpy(&note, bytes + at, sizeof(note));
		length = sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz);
		if (length > left)
			return;
		if (is_build_id(&note, bytes + at + sizeof(note)))
			to_hex(bytes + at + sizeof(note) + padded(note.n_namesz), note.n_descsz, ret_hex);
		at += length;
		left -= length;
	}
}

void host_kernel_build_id(char ret_hex[KERNEL_BUILD_ID_ROOM])
{
	read_notes("/sys/kernel/notes", ret_hex);
}

void host_module_build_id(const char *module, char ret_hex[KERNEL_BUILD_ID_ROOM])
{
	char path[256];

	ret_hex[0] = '\0';
	if (*module && module[0] != '.' && !strchr(module, '/') &&
	    snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module) < (int)sizeof(path))
		read_notes(path, ret_hex);
}
