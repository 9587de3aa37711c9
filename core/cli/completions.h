/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completions for shells, from the same tables as parser and help. */
#pragma once

#include "core/cli/applet.h"

/* Makes the script for "bash", "zsh" or "fish". `applets` ends with NULL. 0, or a usage error for another shell. */
int completions(const struct applet *const *applets, const char *shell, struct buf *ret_text);
