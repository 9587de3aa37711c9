/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel shows the notes of its own image in /sys/kernel/notes, and those of modules below /sys/module. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/host/host.h"

static void read_notes(const char *path, char ret_hex[BUILD_ID_HEX_SIZE])
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char bytes[4096];
	ssize_t nr = fd < 0 ? 0 : read(fd, bytes, sizeof(bytes));
	struct build_id id = {};

	notes_build_id(notes_of(bytes, nr > 0 ? (size_t)nr : 0, 4), &id);
	build_id_format(&id, ret_hex);
}

void host_kernel_build_id(char ret_hex[BUILD_ID_HEX_SIZE])
{
	read_notes("/sys/kernel/notes", ret_hex);
}

void host_module_build_id(const char *module, char ret_hex[BUILD_ID_HEX_SIZE])
{
	char path[256];

	ret_hex[0] = '\0';
	if (*module && module[0] != '.' && !strchr(module, '/') &&
	    snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module) < (int)sizeof(path))
		read_notes(path, ret_hex);
}
