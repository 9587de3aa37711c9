/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/base/buf.h"

/* "0.1.0" */
const char *version_number(void);

/* What --version prints: version, revision, link kind, compilers and libraries, one per line. */
void version_text(struct buf *ret_text);
