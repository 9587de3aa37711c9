/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a saved profile may say about its files without being believed. tests/e2e/no_symbolize.sh has the rest. */
#include "core/naming/local_files.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "core/naming/naming.h"
#include "tests/harness.h"

/* What is found for the first file of a profile that has but this one. */
static uint32_t find_file(struct local_files files, const char *path, const char *build_id, struct profile_file file)
{
	static const struct naming naming = { .identify_only = true };
	struct profile profile;
	uint32_t found;

	profile_init(&profile);
	file.path = profile_add_string(&profile, path);
	file.build_id = profile_add_string(&profile, build_id);
	vec_push(&profile.files, file);
	files.profile = &profile;
	assert_int_equal(naming_start(&naming, &files.symbolizer), 0);
	found = local_files_find(&files, 0, NULL);
	symbolizer_free(files.symbolizer);
	profile_done(&profile);
	return found;
}

static uint32_t find(const char *path, const char *build_id, uint64_t inode)
{
	const struct local_files files = { .directories = ":/nowhere::" };

	return find_file(files, path, build_id, (struct profile_file){ .inode = inode });
}

TEST(only_the_right_file_is_taken)
{
	char self[4096];
	ssize_t nr = readlink("/proc/self/exe", self, sizeof(self) - 1);

	assert_true(nr > 0);
	self[nr] = '\0';
	assert_int_equal(find(self, "00112233445566778899aabbccddeeff00112233", 0), PROFILE_NONE);
	assert_int_equal(find(self, "../../../../../proc/self/exe", 0), PROFILE_NONE);
	assert_int_equal(find(self, "a", 0), PROFILE_NONE);
	assert_int_equal(find(self, "AB", 0), PROFILE_NONE);
	assert_int_equal(find(self, "", 0), PROFILE_NONE);
	assert_int_equal(find(self, "", 1), PROFILE_NONE);
	assert_int_equal(find("relative", "00112233", 0), PROFILE_NONE);
	assert_int_equal(find("/dev/zero", "00112233", 0), PROFILE_NONE);
}

/* This program, on the host that made the profile: by device and inode. */
static uint32_t find_self(uint32_t next_number)
{
	const struct local_files files = { .next_number = next_number };
	struct profile_file file = {};
	struct stat status;
	char self[4096] = "";

	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	assert_int_equal(stat(self, &status), 0);
	file.device = (uint64_t)major(status.st_dev) << 32 | minor(status.st_dev);
	file.inode = status.st_ino;
	return find_file(files, self, "", file);
}

TEST(so_many_files_are_tried)
{
	assert_int_equal(find_self(0), 0);
	assert_int_equal(find_self(LOCAL_FILES_TRIES_MAX - 1), LOCAL_FILES_TRIES_MAX - 1);
	assert_int_equal(find_self(LOCAL_FILES_TRIES_MAX), PROFILE_NONE);
}

TEST(only_what_waits_is_looked_for)
{
	_cleanup_(profile_done) struct profile profile;
	struct profile_frame frame = { .kind = FRAME_USER_FILE, .reason = REASON_NO_SYMBOL, .where = 1 };

	profile_init(&profile);
	profile_add_frame(&profile, &frame);
	assert_false(local_files_is_needed(&profile));
	frame.where = 2;
	frame.reason = REASON_NOT_TRIED;
	profile_add_frame(&profile, &frame);
	assert_true(local_files_is_needed(&profile));
}
