/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/libbpf_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

/* libbpf's callback has no context argument, so the line has to live here. */
static _Thread_local char last_warning[512];

static int keep_warning(enum libbpf_print_level level, const char *format, va_list arguments)
{
	va_list again;

	if (getenv("STACKTOOL_LIBBPF_LOG")) {
		va_copy(again, arguments);
		vfprintf(stderr, format, again);
		va_end(again);
	}
	if (level == LIBBPF_WARN) {
		vsnprintf(last_warning, sizeof(last_warning), format, arguments);
		last_warning[strcspn(last_warning, "\n")] = '\0';
	}
	return 0;
}

void libbpf_log_start(void)
{
	last_warning[0] = '\0';
	libbpf_set_print(keep_warning);
}

const char *libbpf_log_last(void)
{
	return last_warning;
}
