/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/cli/version.h"

#if __has_include("build_info.h")
#include "build_info.h"
#else /* compiled without cmake */
#define ST_BUILD_VERSION "unknown"
#define ST_BUILD_REVISION ""
#define ST_BUILD_DATE ""
#define ST_BUILD_LINK "unknown"
#define ST_BUILD_ARCH "unknown"
#define ST_BUILD_COMPILER "unknown"
#define ST_BUILD_BPF_COMPILER "unknown"
#define ST_BUILD_SANITIZERS ""
#define ST_BUILD_LIBRARIES "unknown"
#endif

const char *version_number(void)
{
	return ST_BUILD_VERSION;
}

static void add_line(struct buf *text, const char *key, const char *value)
{
	if (*value)
		buf_addf(text, "%s: %s\n", key, value);
}

void version_text(struct buf *ret_text)
{
	buf_addf(ret_text, "stacktool %s\n", ST_BUILD_VERSION);
	add_line(ret_text, "revision", ST_BUILD_REVISION);
	add_line(ret_text, "date", ST_BUILD_DATE);
	add_line(ret_text, "architecture", ST_BUILD_ARCH);
	add_line(ret_text, "link", ST_BUILD_LINK);
	add_line(ret_text, "compiler", ST_BUILD_COMPILER);
	add_line(ret_text, "BPF compiler", ST_BUILD_BPF_COMPILER);
#if defined(ST_WITHOUT_UNWINDER)
	add_line(ret_text, "unwinder", "none: built without");
#endif
	add_line(ret_text, "sanitizers", ST_BUILD_SANITIZERS);
	add_line(ret_text, "libraries", ST_BUILD_LIBRARIES);
	buf_adds(ret_text, "license: GPL-2.0-or-later\n");
}
