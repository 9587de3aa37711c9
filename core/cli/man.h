/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Man pages in roff, from the tables that make the help. */
#pragma once

#include "core/cli/applet.h"

/* The applet's page, section 8. */
void man_page(const struct applet *applet, struct buf *ret_text);

/* stacktool-probes(7): the grammar of patterns. */
void man_probes(struct buf *ret_text);

/* The page of stacktool itself; `applets` ends with NULL. */
void man_overview(const struct applet *const *applets, struct buf *ret_text);
