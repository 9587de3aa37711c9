/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --version prints, from the build_info.h that the build generates. */
#pragma once

#include "core/base/buf.h"

/* "0.1.0" */
const char *version_number(void);

/* Version, revision, link kind, compilers and libraries, one per line. */
void version_text(struct buf *ret_text);
