/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/base/buf.h"
#include "core/profile/profile.h"

/*
 * Replaces the names of processes (process-1), of files outside the system's directories (file-1, also as modules; their build ids go), of
 * source files and paths in generated names, headers and probes (path-1), of control groups (cgroup-1), and of the host. Equal names stay
 * equal. Names of functions stay, except paths in them. No replaced text stays in the profile. A second call changes nothing.
 */
void profile_redact(struct profile *profile);

/* Adds what profile_redact() would replace apart from names of processes: " 3 paths outside ... and 1 control group", or nothing. */
void profile_list_secrets(const struct profile *profile, struct buf *ret_text);
