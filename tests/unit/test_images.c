/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of the profile for images of a root that is not ours. The roots are this test's own: two directories. */
#include "core/spaces/images.h"

#include <inttypes.h>
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

int roots_open(struct roots *roots, uint32_t root)
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

/* ---- a run of weeks ---- */

static uint32_t add_numbered(const struct fixture *fixture, uint64_t number)
{
	char path[64];

	snprintf(path, sizeof(path), "/nowhere/%" PRIu64, number);
	return images_add(fixture->images,
			  &(struct proc_mapping){ .kind = MAPPING_FILE, .device = 7, .inode = number, .path = path });
}

static void sweep(const struct fixture *fixture, uint32_t mapped)
{
	if (!images_want_sweep(fixture->images))
		return;
	images_sweep_begin(fixture->images);
	images_mark(fixture->images, mapped);
	images_sweep_end(fixture->images);
}

/* Each is mapped once, has a frame and is mapped no more; one program runs all the time. */
FIXTURE_TEST(files_of_ended_programs_do_not_accumulate)
{
	const struct image_place place = { .tgid = NO_PROCESS };
	struct profile *profile = &fixture->profile;
	uint32_t ours = file_of(fixture, (uint32_t)getpid(), ROOT_OURS);
	struct profile_id id = { 1, 2 };
	size_t nr_files, nr_frames = 0;

	for (uint64_t number = 1; number <= 100000; number++) {
		uint32_t image = add_numbered(fixture, number);
		uint32_t file, frame;
		uint64_t address = number;

		assert_true(image < 8192);
		file = images_file(fixture->images, image, &place);
		assert_true(file != PROFILE_NONE && file != ours);
		frame = profile_add_frame(
			profile, &(struct profile_frame){ .kind = FRAME_USER_FILE, .file = file, .where = number });
		nr_frames = frame > nr_frames ? frame : nr_frames;
		id.lo = number;
		profile_add_record(profile, &(struct profile_record){ .id = id, .nr_user = 1 }, &frame, &address);
		if (number == 1) {
			frame = profile_add_frame(profile,
						  &(struct profile_frame){ .kind = FRAME_USER_FILE, .file = ours });
			profile_add_record(profile, &(struct profile_record){ .id = { 9, 9 }, .nr_user = 1 }, &frame,
					   &address);
		}
		if (profile_is_large(profile)) {
			const struct profile_id kept[] = { id, { 9, 9 } };

			profile_keep_only(profile, kept, 2);
		}
		sweep(fixture, fixture->image);
		assert_string_equal(profile_string(profile, profile->files.data[ours].path), fixture->path);
	}
	assert_true(images_count(fixture->images, &nr_files) < 4096);
	assert_true(nr_files < 4096 && profile->files.nr < 4096 && nr_frames < 4096);
	assert_true(profile->strings.bytes.nr < 1 << 20);
	assert_string_equal(images_path(fixture->images, fixture->image), fixture->path);
	assert_int_equal(file_of(fixture, (uint32_t)getpid(), ROOT_OURS), ours);
}

/* A frame came after the file was found to have none, and before its number was given back. */
FIXTURE_TEST(a_file_that_gets_a_frame_again_keeps_its_number)
{
	const struct image_place place = { .tgid = NO_PROCESS };
	uint32_t image = add_numbered(fixture, 1), file = images_file(fixture->images, image, &place);

	profile_keep_only(&fixture->profile, NULL, 0);
	assert_int_equal(images_file(fixture->images, image, &place), file);
	sweep(fixture, fixture->image);
	assert_int_equal(images_file(fixture->images, image, &place), file);
	profile_keep_only(&fixture->profile, NULL, 0);
	sweep(fixture, fixture->image);
	assert_int_equal(images_file(fixture->images, add_numbered(fixture, 2), &place), file);
	assert_string_equal(profile_string(&fixture->profile, fixture->profile.files.data[file].path), "/nowhere/2");
}

FIXTURE_TEST(a_held_image_keeps_its_number)
{
	uint32_t held = add_numbered(fixture, 1);

	images_hold(fixture->images, held);
	for (int i = 0; i < 2; i++) {
		images_sweep_begin(fixture->images);
		images_sweep_end(fixture->images);
	}
	assert_string_equal(images_path(fixture->images, held), "/nowhere/1");
	images_let_go(fixture->images, held);
	images_sweep_begin(fixture->images);
	images_sweep_end(fixture->images);
	assert_string_equal(images_path(fixture->images, held), "");
}

/* What is mapped at once has a maximum; later there is room again. */
FIXTURE_TEST(there_is_room_after_too_many_at_once)
{
	uint32_t image = 0;
	uint64_t number = 1;

	while (number <= IMAGES_MAX + 10)
		image = add_numbered(fixture, number++);
	assert_int_equal(image, IMAGE_NONE);
	assert_int_equal(images_count(fixture->images, NULL), IMAGES_MAX);
	sweep(fixture, fixture->image);
	assert_int_equal(images_count(fixture->images, NULL), 1);
	assert_int_not_equal(add_numbered(fixture, number), IMAGE_NONE);
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
