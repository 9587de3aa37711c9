/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/profile_file.h"

#include "core/base/cleanup.h"
#include "core/base/replace.h"

int profile_save_check(const char *path)
{
	return replace_file_check(path);
}

int profile_save(const struct profile *profile, const char *path)
{
	_cleanup_(buf_done) struct buf bytes = {};

	profile_encode(profile, &bytes);
	return replace_file(path, bytes.data, bytes.nr);
}
