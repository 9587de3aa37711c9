/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies the files that have frames of a saved profile, by build id, for another host. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/base/escape.h"
#include "core/base/replace.h"
#include "core/formats/profile_file.h"
#include "core/naming/local_files.h"
#include "core/naming/naming.h"
#include "core/run/run.h"

#define MAX_COPY_BYTES (2ULL << 30)

struct bundle {
	struct profile profile;
	struct local_files files;
	const char *directory;
	size_t nr_files;
	uint64_t nr_bytes;
};

static void bundle_done(struct bundle *bundle)
{
	symbolizer_free(bundle->files.symbolizer);
	profile_done(&bundle->profile);
}

static int make_directory(const char *path)
{
	return mkdir(path, 0700) && errno != EEXIST ? fail(-errno, "'%s': %s", path, strerror(errno)) : 0;
}

/* Makes DIR/.build-id/ab and its parents. */
static int make_directories(const char *directory, const char *build_id)
{
	_cleanup_(freep) char *ids = xasprintf("%s/.build-id", directory);
	_cleanup_(freep) char *first = xasprintf("%s/%.2s", ids, build_id);
	int err = make_directory(directory);

	err = err ?: make_directory(ids);
	return err ? err : make_directory(first);
}

static int read_file(int fd, const char *what, struct buf *bytes)
{
	struct stat st;
	ssize_t nr = 1;

	if (fstat(fd, &st) || (uint64_t)st.st_size > MAX_COPY_BYTES)
		return fail(-EFBIG, "'%s': larger than %llu MB", what, MAX_COPY_BYTES >> 20);
	vec_reserve(bytes, (size_t)st.st_size + 1);
	while (nr && bytes->nr < (size_t)st.st_size) {
		nr = pread(fd, bytes->data + bytes->nr, (size_t)st.st_size - bytes->nr, (off_t)bytes->nr);
		if (nr < 0)
			return fail(-errno, "'%s': %s", what, strerror(errno));
		bytes->nr += (size_t)nr;
	}
	if (bytes->nr < (size_t)st.st_size)
		return fail(-EAGAIN, "'%s': truncated while it was copied", what);
	return 0;
}

static int copy(struct bundle *bundle, int fd, const char *build_id, const char *suffix, const char *what)
{
	_cleanup_(freep) char *path =
		xasprintf("%s/.build-id/%.2s/%s%s", bundle->directory, build_id, build_id + 2, suffix);
	_cleanup_(buf_done) struct buf bytes = {};
	int err = make_directories(bundle->directory, build_id);

	err = err ?: read_file(fd, what, &bytes);
	err = err ?: replace_file(path, bytes.data, bytes.nr);
	if (err)
		return err;
	bundle->nr_files++;
	bundle->nr_bytes += bytes.nr;
	return 0;
}

static void say_missing(const struct profile *profile, const struct profile_file *file)
{
	_cleanup_(buf_done) struct buf path = {};

	escape_add(&path, profile_string(profile, file->path), ESCAPE_LINE);
	fprintf(stderr, "NOTE: '%s' skipped: %s\n", buf_text(&path),
		file->build_id ? "not found, or its build id has changed" : "it has no build id");
}

static int add_file(struct bundle *bundle, uint32_t position)
{
	const struct profile_file *file = &bundle->profile.files.data[position];
	const char *build_id = profile_string(&bundle->profile, file->build_id);
	_cleanup_(closep) int fd = -1, debug = -1;
	int err;

	if (!*build_id || local_files_find(&bundle->files, position, &fd) == PROFILE_NONE || fd < 0) {
		say_missing(&bundle->profile, file);
		return 0;
	}
	err = copy(bundle, fd, build_id, "", profile_string(&bundle->profile, file->path));
	debug = local_files_find_debug(&bundle->files, position);
	if (!err && debug >= 0)
		err = copy(bundle, debug, build_id, ".debug", "debug file");
	return err;
}

static int open_bundle(struct bundle *bundle, const char *path, const char *directories)
{
	static const struct naming naming = { .identify_only = true };
	_cleanup_(buf_done) struct buf notes = {};
	int err = profile_read(path, &bundle->profile, &notes);

	if (!err && !bundle->profile.files.nr)
		err = fail(-ENODATA, "'%s': none of its frames is in a file", path);
	bundle->files = (struct local_files){ .profile = &bundle->profile, .directories = directories };
	err = err ?: naming_start(&naming, &bundle->files.symbolizer);
	return err ?: naming_await(bundle->files.symbolizer);
}

int run_bundle(const char *path, const char *directory, const char *debug_directories)
{
	_cleanup_(bundle_done) struct bundle bundle = { .directory = directory };
	int err = open_bundle(&bundle, path, debug_directories);

	for (uint32_t i = 0; !err && i < bundle.profile.files.nr; i++)
		err = add_file(&bundle, i);
	if (err)
		return err;
	printf("%zu file%s, %.1f MB; on the other host: stacktool report --debug-dir %s %s\n", bundle.nr_files,
	       bundle.nr_files == 1 ? "" : "s", (double)bundle.nr_bytes / 1e6, directory, path);
	return fflush(stdout) ? fail_write(-errno, "standard output") : 0;
}
