/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/cli/status.h"

const char *status_word(int status)
{
	switch (status) {
#define X(name, number, word, text) \
	case number:                \
		return word;
		EXIT_STATUSES(X)
#undef X
	default:
		return "failed";
	}
}
