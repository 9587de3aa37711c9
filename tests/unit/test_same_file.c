/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One file or two, by numbers and by pages; two overlays of one layer are in tests/e2e/probe_processes.sh. */
#include "core/files/same_file.h"
#include "tests/harness.h"

struct opened {
	int fd;
	struct file_identity identity;
};

static void opened_done(struct opened *file)
{
	closep(&file->fd);
}

/* A new file with a page of content. */
static struct opened new_file(char path[static 32])
{
	struct opened file = {};
	char page[4096];

	memset(page, 'x', sizeof(page));
	strcpy(path, "/tmp/st-same.XXXXXX");
	file.fd = mkstemp(path);
	assert_true(file.fd >= 0);
	assert_int_equal(write(file.fd, page, sizeof(page)), sizeof(page));
	assert_int_equal(file_identity(file.fd, &file.identity), 0);
	return file;
}

static struct opened open_again(const char *path)
{
	struct opened file = { .fd = open(path, O_RDONLY | O_CLOEXEC) };

	assert_true(file.fd >= 0);
	assert_int_equal(file_identity(file.fd, &file.identity), 0);
	return file;
}

static int compare(const struct opened *one, const struct opened *other)
{
	return file_is_same(one->fd, &one->identity, other->fd, &other->identity);
}

TEST(numbers_tell_one_file_from_two)
{
	char path[32], other_path[32];
	_cleanup_(opened_done) struct opened one = new_file(path), two = new_file(other_path);
	_cleanup_(opened_done) struct opened again = open_again(path);

	unlink(path);
	unlink(other_path);
	assert_int_equal(compare(&one, &again), 1);
	assert_int_equal(compare(&one, &two), 0);
	assert_true(file_identity_equal(&one.identity, &again.identity));
	assert_false(file_identity_equal(&one.identity, &two.identity));
}

/* As if the numbers were those that an overlay made up. */
TEST(pages_tell_where_numbers_lie)
{
	char path[32], other_path[32];
	_cleanup_(opened_done) struct opened one = new_file(path), two = new_file(other_path);
	_cleanup_(opened_done) struct opened again = open_again(path);

	unlink(path);
	unlink(other_path);
	again.identity.device++;
	again.identity.overlay = true;
	if (compare(&one, &again) == -EPERM) {
		again.identity.inode++;
		assert_int_equal(compare(&one, &again), 0);
		print_message("SKIP: no CAP_SYS_ADMIN\n");
		skip();
	}
	assert_int_equal(compare(&one, &again), 1);
	assert_int_equal(compare(&again, &two), 0);
}

/* Nothing is touched: the page has gone when it is to be read. */
TEST(an_empty_file_is_an_answer)
{
	char path[32], other_path[32];
	_cleanup_(opened_done) struct opened one = new_file(path), two = new_file(other_path);

	unlink(path);
	unlink(other_path);
	one.identity.overlay = true;
	assert_int_equal(ftruncate(one.fd, 0), 0);
	assert_true(compare(&one, &two) < 0);
}
