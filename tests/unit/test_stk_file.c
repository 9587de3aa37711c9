/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saved profiles as files: how they are written, and what is not even opened. */
#include "core/formats/profile_file.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "core/base/err.h"
#include "core/base/replace.h"
#include "tests/harness.h"

static char directory[] = "/tmp/test_stk_file.XXXXXX";

static int make_directory(void **state)
{
	return mkdtemp(directory) && !chdir(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	unlink("a.stk");
	unlink("fifo");
	unlink("link");
	unlink("wraps.folded");
	return chdir("/") || rmdir(directory);
}

TEST(a_saved_file_is_private_and_whole)
{
	_cleanup_(buf_done) struct buf notes = {};
	struct profile profile, loaded;
	struct stat st;

	profile_init(&profile);
	profile_add_life(&profile, &(struct profile_life){ .tgid = 1 });
	profile_add_mapping(&profile, &(struct profile_mapping){ .file = PROFILE_NONE, .start = 1, .end = 2 });
	assert_int_equal(profile_save(&profile, "a.stk"), 0);
	assert_int_equal(profile_save(&profile, "a.stk"), 0); /* over itself */
	assert_int_equal(stat("a.stk", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(profile_read("a.stk", &loaded, &notes), 0);
	assert_int_equal(notes.nr, 0);
	assert_int_equal(loaded.lives.nr, 1);
	profile_done(&loaded);
	profile_done(&profile);
}

static void not_saved(const char *path, const char *cause)
{
	_cleanup_(profile_done) struct profile profile;

	profile_init(&profile);
	err_clear();
	assert_true(replace_file_check(path, &(struct stat){}) < 0);
	assert_non_null(strstr(err_cause(), cause));
	err_clear();
	assert_true(profile_save(&profile, path) < 0);
	assert_non_null(strstr(err_cause(), cause));
}

TEST(only_regular_files_are_replaced)
{
	struct stat st;

	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(symlink("a.stk", "link"), 0);
	not_saved("fifo", "'fifo': exists and is not a regular file");
	not_saved("link", "'link': exists and is not a regular file");
	not_saved("/dev/null", "'/dev/null': exists and is not a regular file");
	not_saved("/", "is a directory");
	not_saved("..", "is a directory");
	not_saved("/nowhere/at/all", "cannot open its directory: No such file or directory");
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	err_clear();
	assert_int_equal(replace_file_check("new.stk", &(struct stat){}), 0);
}

static void not_read(const char *path, const char *cause)
{
	_cleanup_(buf_done) struct buf notes = {};
	struct profile loaded;

	err_clear();
	assert_true(profile_read(path, &loaded, &notes) < 0);
	assert_string_equal(err_cause(), cause);
	profile_done(&loaded);
}

TEST(only_regular_files_and_pipes_are_read)
{
	not_read(
		"fifo",
		"'fifo': nothing was read: no process writes to this pipe, or it wrote nothing"); /* nobody writes, and it is not waited for */
	not_read("/dev/null", "'/dev/null': not a regular file");
	not_read(".", "'.': not a regular file");
	not_read("nothing", "'nothing': No such file or directory");
	not_read(
		"/bin/true",
		"'/bin/true': unknown format: neither a saved profile, nor folded stacks ('main;read 12'), nor text of perf script");
}

TEST(counts_that_wrap_are_refused)
{
	FILE *file = fopen("wraps.folded", "we");

	assert_non_null(file);
	fputs("a;b 18446744073709551615\na;c 1\n", file);
	assert_int_equal(fclose(file), 0);
	not_read("wraps.folded", "'wraps.folded': its counts add up to 2^64 or more");
}

/* Before 6.10 looking (O_PATH) told as much as opening. */
static bool looking_is_silent(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname host;

	return !uname(&host) && sscanf(host.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 10));
}

TEST(a_device_is_not_even_opened)
{
	_cleanup_(closep) int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	struct buf notes = {};
	struct profile loaded;
	char event[512];

	if (!looking_is_silent() || inotify_add_watch(watch, "/dev/full", IN_OPEN) < 0)
		skip();
	err_clear();
	assert_true(profile_read("/dev/full", &loaded, &notes) < 0);
	assert_string_equal(err_cause(), "'/dev/full': not a regular file");
	assert_int_equal(read(watch, event, sizeof(event)), -1);
	assert_int_equal(errno, EAGAIN);
}

TEST_GROUP(make_directory, remove_directory)
