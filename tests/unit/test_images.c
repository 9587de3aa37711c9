/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of the profile for images of a root that is not ours. The roots are this test's own: two directories. */
#include "core/spaces/images.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "tests/harness.h"

#define FOREIGN 1
#define NO_PROCESS 0x7ffffff0 /* beyond any pid_max */

/* ---- in place of roots.c: FOREIGN is an empty directory ---- */

static char foreign_root[] = "/tmp/st-images.XXXXXX";

struct roots *roots_new(void)
{
	return NULL;
}

void roots_free(struct roots *roots)
{
	(void)roots;
}

bool roots_of(struct roots *roots, uint32_t tgid, uint32_t *ret_root)
{
	(void)roots;
	*ret_root = tgid == (uint32_t)getpid() ? ROOT_OURS : FOREIGN;
	return true;
}

int roots_open(const struct roots *roots, uint32_t root)
{
	(void)roots;
	return open(root == FOREIGN ? foreign_root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* ---- the test ---- */

struct fixture {
	struct profile profile;
	struct images *images;
	char path[32];
	uint32_t image;
};

static void set_up(struct fixture *fixture)
{
	struct proc_mapping mapping = { .kind = MAPPING_FILE, .path = fixture->path };
	_cleanup_(closep) int fd = -1;
	struct stat status;

	memcpy(fixture->path, "/tmp/st-image.XXXXXX", 21);
	fd = mkstemp(fixture->path);
	assert_false(fd < 0 || fstat(fd, &status) || ftruncate(fd, 4096));
	mapping.device = (uint64_t)major(status.st_dev) << 32 | minor(status.st_dev);
	mapping.inode = status.st_ino;
	profile_init(&fixture->profile);
	fixture->images = images_new(&fixture->profile, NULL, NULL, NULL, NULL);
	fixture->image = images_add(fixture->images, &mapping);
}

static void tear_down(struct fixture *fixture)
{
	unlink(fixture->path);
	images_free(fixture->images);
	profile_done(&fixture->profile);
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

static uint32_t file_of(const struct fixture *fixture, uint32_t tgid, uint32_t root)
{
	const struct image_place place = { .tgid = tgid, .root = root };

	return images_file(fixture->images, fixture->image, &place);
}

/* Frames that arrived before have the number of that time. */
FIXTURE_TEST(a_file_that_opens_at_the_second_try_keeps_its_number)
{
	uint32_t failed, number;

	assert_int_equal(rename(fixture->path, "/tmp/st-image.away"), 0);
	failed = file_of(fixture, NO_PROCESS, FOREIGN);
	assert_int_not_equal(failed, PROFILE_NONE);
	assert_int_equal(rename("/tmp/st-image.away", fixture->path), 0);
	number = file_of(fixture, (uint32_t)getpid(), FOREIGN);
	assert_int_equal(number, failed);
	assert_int_equal(file_of(fixture, (uint32_t)getpid(), FOREIGN), failed);
}

FIXTURE_TEST(a_file_of_our_root_is_one_for_all)
{
	uint32_t foreign = file_of(fixture, (uint32_t)getpid(), FOREIGN);
	uint32_t ours = file_of(fixture, (uint32_t)getpid(), ROOT_OURS);
	_cleanup_(debug_home_done) struct debug_home home = { .root = -1 };

	assert_int_equal(foreign, ours);
	assert_int_equal(fixture->profile.files.nr, 1);
	assert_int_equal(images_home(fixture->images, ours, &home), 0);
	assert_string_equal(home.path, fixture->path);
	assert_false(home.is_foreign);
}

int main(void)
{
	int failures;

	if (!mkdtemp(foreign_root))
		return 1;
	failures = run_all_tests();
	rmdir(foreign_root);
	return failures;
}
