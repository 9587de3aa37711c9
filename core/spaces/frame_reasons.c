/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/spaces/frame_reasons.h"

enum frame_reason frame_reason_of(enum symbol_status status, bool is_kernel)
{
	switch (status) {
	case SYMBOL_OK:
		return REASON_NAMED;
	case SYMBOL_NO_FILE:
		return is_kernel ? REASON_KERNEL_UNREADABLE : REASON_NO_FILE;
	case SYMBOL_NOT_ELF:
		return REASON_NOT_ELF;
	case SYMBOL_MALFORMED:
		return is_kernel ? REASON_KERNEL_UNREADABLE : REASON_MALFORMED;
	case SYMBOL_NO_TABLE:
		return REASON_NO_SYMBOLS;
	case SYMBOL_NOT_FOUND:
		return is_kernel ? REASON_KERNEL_UNKNOWN : REASON_NO_SYMBOL;
	case SYMBOL_OUTSIDE:
		return REASON_UNMAPPED;
	case SYMBOL_HIDDEN:
		return REASON_KERNEL_HIDDEN;
	case SYMBOL_CUT:
		return REASON_MAP_CUT;
	case SYMBOL_TIMEOUT:
		return REASON_TIMEOUT;
	case SYMBOL_WORKER_DIED:
		return REASON_WORKER_DIED;
	case SYMBOL_NO_MEMORY:
		return REASON_NO_MEMORY;
	case SYMBOL_NO_DESCRIPTORS:
		return REASON_NO_DESCRIPTORS;
	case SYMBOL_NOT_STARTED:
		return REASON_NO_WORKER;
	case SYMBOL_LATE:
		return REASON_LATE;
	case SYMBOL_PAUSED:
		return REASON_PAUSED;
	}
	return REASON_WORKER_DIED;
}
