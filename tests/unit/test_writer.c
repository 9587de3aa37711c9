/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that write files: whole content, and one that does not answer. */
#include "core/host/writer.h"

#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/replace.h"
#include "tests/harness.h"

enum {
	PATIENCE_MS = 200,
	LONG_MS = 60000, /* a busy host is no test of these */
	MUCH_BYTES = 3 << 20, /* more than a pipe takes */
};

static char directory[] = "/tmp/writer.XXXXXX";
static struct writer writer;
static unsigned int nr_said;

/* A name with "hung" is one that the file system does not answer for. */
static bool fits(const void *context, const char *path)
{
	(void)context;
	if (strstr(path, "hung"))
		for (int word = 0;;)
			syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL,
				0); /* one of the few calls that it may make */
	return !strstr(path, "refused");
}

static void note_wait(const char *path)
{
	assert_non_null(strstr(path, "hung"));
	nr_said++;
}

static void start(unsigned int patience_ms)
{
	const struct writer_options options = { .fits = fits, .patience_ms = patience_ms, .say_wait = note_wait };

	signal(SIGPIPE, SIG_IGN);
	assert_non_null(mkdtemp(strcpy(directory, "/tmp/writer.XXXXXX")));
	assert_int_equal(chdir(directory), 0);
	assert_int_equal(mkdir("other", 0700), 0);
	writer = (struct writer){};
	nr_said = 0;
	assert_int_equal(writer_start(&writer, &options), 0);
}

static void end(void)
{
	writer_stop(&writer);
	assert_int_equal(rmdir("other"), 0);
	assert_int_equal(rmdir(directory), 0);
}

static long size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -errno : (long)st.st_size;
}

TEST(content_of_any_size_arrives_whole)
{
	_cleanup_(freep) char *bytes = calloc(1, MUCH_BYTES);

	start(LONG_MS);
	writer_run_ends(&writer, clock_monotonic_ns());
	assert_int_equal(replace_file("small", "one", 3), 0);
	assert_int_equal(replace_file("large", bytes, MUCH_BYTES), 0);
	assert_int_equal(replace_file("small", "", 0), 0);
	assert_int_equal(size_of("small"), 0);
	assert_int_equal(size_of("large"), MUCH_BYTES);
	assert_int_equal(replace_remove("small"), 0);
	assert_int_equal(replace_remove("large"), 0);
	end();
}

TEST(what_is_not_whole_replaces_nothing)
{
	struct replacement replacement;

	start(LONG_MS);
	assert_int_equal(replace_file("a", "one", 3), 0);
	assert_int_equal(replace_begin("a", &replacement), 0);
	assert_int_equal(fprintf(replacement.out, "second"), 6);
	assert_int_equal(replace_end(&replacement, -ECANCELED), -ECANCELED);
	assert_int_equal(size_of("a"), 3);
	assert_int_equal(replace_file("refused", "one", 3), -EPERM);
	assert_int_equal(replace_file("missing/a", "one", 3), -ENOENT);
	assert_int_equal(replace_remove("a"), 0);
	end();
}

TEST(a_check_before_the_run_has_an_end)
{
	start(PATIENCE_MS);
	assert_int_equal(replace_file_check("a", &(struct stat){}), 0);
	assert_int_equal(size_of("a"), -ENOENT);
	assert_int_equal(replace_file_check("missing/a", &(struct stat){}), -ENOENT);
	assert_int_equal(replace_file_check("other/refused", &(struct stat){}), -EPERM);
	assert_int_equal(replace_file_check("hung", &(struct stat){}), -ETIMEDOUT);
	assert_string_equal(err_cause(), "'hung': cannot be written: its file system does not answer");
	assert_int_equal(kill(writer.processes[0].pid, SIGKILL), 0);
	end();
}

TEST(one_that_does_not_answer_is_left_after_the_run)
{
	start(PATIENCE_MS);
	assert_int_equal(replace_file("a", "one", 3), 0);
	writer_run_ends(&writer, clock_monotonic_ns());
	assert_int_equal(replace_file("hung", "one", 3), -ETIMEDOUT);
	assert_string_equal(err_cause(), "'hung': cannot be written: its file system does not answer");
	/* nobody tries that directory again, and the second writer takes over elsewhere */
	writer_run_ends(&writer, UINT64_MAX);
	assert_int_equal(replace_file("b", "one", 3), -ETIMEDOUT);
	assert_int_equal(replace_file("other/b", "one", 3), 0);
	assert_int_equal(size_of("other/b"), 3);
	assert_int_equal(replace_remove("other/b"), 0);
	assert_int_equal(nr_said, 0);
	assert_int_equal(kill(writer.processes[0].pid, SIGKILL), 0);
	assert_int_equal(unlink("a"), 0);
	end();
}

TEST(after_a_second_it_is_said)
{
	start(1500);
	writer_run_ends(&writer, clock_monotonic_ns());
	assert_int_equal(replace_remove("hung"), -ETIMEDOUT);
	assert_int_equal(nr_said, 1);
	assert_int_equal(kill(writer.processes[0].pid, SIGKILL), 0);
	end();
}
