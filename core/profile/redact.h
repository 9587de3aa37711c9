/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes what may be secret out of a profile before it is shared. */
#pragma once

#include "core/base/buf.h"
#include "core/profile/profile.h"

/*
 * Replaces the names of processes (process-1), of files outside the directories of the system (file-1, with their modules and without
 * their build ids), of source files and paths in generated names, headers and probes (path-1), of control groups (cgroup-1) and of the
 * host. Equal names stay equal. Names of functions stay, except for paths in them. No replaced text stays in the profile. A profile that is
 * redacted already is left as it is.
 */
void profile_redact(struct profile *profile);

/* Adds what profile_redact() would replace besides the names of processes: " 3 paths outside ... and 1 control group", or nothing. */
void profile_list_secrets(const struct profile *profile, struct buf *ret_text);
