/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/base/called.h"

#include <stdio.h>

static char text[64] = "stacktool";

void called_as(const char *program, const char *applet)
{
	snprintf(text, sizeof(text), "%s%s%s", program, applet ? " " : "", applet ? applet : "");
}

const char *called(void)
{
	return text;
}
