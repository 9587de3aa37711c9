/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/libbpf_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"

/* Global, because libbpf's callback has no context argument. */
static _Thread_local char last_warning[512];
static _Thread_local char missing_helper[64];

/* In one warning of many lines: "unknown func bpf_probe_read_kernel#113"; from v6.12 "program of this type cannot use helper bpf_…". */
static void note_missing_helper(const char *format, va_list arguments)
{
	static const char *const words[] = { "unknown func ", "cannot use helper " };
	_cleanup_(buf_done) struct buf text = {};

	buf_vaddf(&text, format, arguments);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *found = strstr(buf_text(&text), words[i]);

		if (found)
			snprintf(missing_helper, sizeof(missing_helper), "%.*s",
				 (int)strcspn(found + strlen(words[i]), "#\n"), found + strlen(words[i]));
	}
}

static int keep_warning(enum libbpf_print_level level, const char *format, va_list arguments)
{
	va_list again;

	if (getenv("STACKTOOL_LIBBPF_LOG")) {
		va_copy(again, arguments);
		vfprintf(stderr, format, again);
		va_end(again);
	}
	if (level == LIBBPF_WARN) {
		va_copy(again, arguments);
		note_missing_helper(format, again);
		va_end(again);
		vsnprintf(last_warning, sizeof(last_warning), format, arguments);
		last_warning[strcspn(last_warning, "\n")] = '\0';
	}
	return 0;
}

void libbpf_log_start(void)
{
	last_warning[0] = missing_helper[0] = '\0';
	libbpf_set_print(keep_warning);
}

const char *libbpf_log_last(void)
{
	return last_warning;
}

const char *libbpf_log_missing_helper(void)
{
	return missing_helper;
}
