/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <string.h>

#include "symbolize/elf/names.h"

/* A name as a string, in `text`, of NAME_MAX_BYTES + 1 bytes. */
static inline const char *name_text(struct name name, char *text)
{
	memcpy(text, name.text, name.nr_bytes);
	text[name.nr_bytes] = '\0';
	return text;
}
