/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/profile/redact.h"

#include <string.h>

#include "tests/harness.h"

#define PROFILE_TEST(name) TEST_WITH(struct profile, profile, name, profile_init, profile_done)

static string_id add(struct profile *profile, const char *text)
{
	return profile_add_string(profile, text);
}

static uint32_t add_file(struct profile *profile, const char *path)
{
	vec_push(&profile->files,
		 (struct profile_file){ .path = add(profile, path), .build_id = add(profile, "0123abcd") });
	return (uint32_t)profile->files.nr - 1;
}

static uint32_t add_frame(struct profile *profile, enum frame_kind kind, uint32_t file, const char *name,
			  const char *module)
{
	const struct profile_frame frame = {
		.kind = (uint8_t)kind,
		.file = file,
		.where = profile->frames.nr,
		.name = add(profile, name),
		.module = add(profile, module),
		.source = add(profile, "/home/secret/source.c"),
	};

	return profile_add_frame(profile, &frame);
}

static void add_record(struct profile *profile, uint64_t id, const char *comm)
{
	const struct profile_record record = { .id = { id, id },
					       .comm = add(profile, comm),
					       .probe = add(profile, "p:/srv/secret/app:main"),
					       .cgroup_id = 7 };

	profile_add_record(profile, &record, NULL, NULL);
}

static const char *name_of(const struct profile *profile, uint32_t frame)
{
	return profile_string(profile, profile->frames.data[frame].name);
}

static const char *module_of(const struct profile *profile, uint32_t frame)
{
	return profile_string(profile, profile->frames.data[frame].module);
}

PROFILE_TEST(no_replaced_text_stays)
{
	const uint32_t own = add_file(profile, "/home/secret/libsecret.so"),
		       libc = add_file(profile, "/usr/lib/libc.so.6");
	const uint32_t local = add_file(profile, "/usr/local/secret/tool");

	profile->hostname = add(profile, "secret-host");
	profile->header = add(profile, "Tracing 1 functions for \"/srv/secret/app:main\"...");
	profile->event = add(profile, "./secret/app:main");
	profile_add_cgroup(profile, 7, add(profile, "/system.slice/secret.service"));
	add_record(profile, 1, "secret-comm");
	add_frame(profile, FRAME_USER_FILE, own, "libsecret.so!fn_0x10", "libsecret.so");
	add_frame(profile, FRAME_USER_FILE, local, "main", "tool");
	add_frame(profile, FRAME_USER_FILE, libc, "read", "libc.so.6");
	add_frame(profile, FRAME_USER_RAW, 0, "py::f:/home/secret/a.py", "[anon]");
	add_frame(profile, FRAME_USER_RAW, 0, "~g secret/b.js:12", "secret-4711.map");
	profile_redact(profile);
	for (size_t i = 0; i < profile->strings.offsets.nr; i++)
		if (strstr(strtab_get(&profile->strings, (string_id)i + 1), "secret"))
			fail_msg("'%s' stays", strtab_get(&profile->strings, (string_id)i + 1));
	for (size_t i = 0; i + 6 < profile->strings.bytes.nr; i++)
		assert_memory_not_equal(profile->strings.bytes.data + i, "secret", 6);
}

PROFILE_TEST(equal_names_stay_equal_and_the_system_stays)
{
	const uint32_t own = add_file(profile, "/opt/app/bin"), libc = add_file(profile, "/usr/lib/libc.so.6");
	const uint32_t vdso = add_file(profile, "[vdso]");
	uint32_t nameless, named, read, division, jit, kernel;

	for (uint64_t i = 0; i < 4; i++)
		add_record(profile, i + 1, i % 2 ? "worker" : "server");
	nameless = add_frame(profile, FRAME_USER_FILE, own, "bin!fn_0x10", "bin");
	named = add_frame(profile, FRAME_USER_FILE, own, "main", "bin");
	read = add_frame(profile, FRAME_USER_FILE, libc, "read", "libc.so.6");
	division = add_frame(profile, FRAME_USER_FILE, own, "operator/(int, A const&)", "bin");
	jit = add_frame(profile, FRAME_USER_RAW, 0, "f /a/b.js:12", "[anon]");
	kernel = add_frame(profile, FRAME_KERNEL, 0, "vfs_read", "kernel");
	profile_redact(profile);
	assert_string_equal(profile_string(profile, profile->records.data[0].comm), "process-1");
	assert_string_equal(profile_string(profile, profile->records.data[1].comm), "process-2");
	assert_int_equal(profile->records.data[0].comm, profile->records.data[2].comm);
	assert_string_equal(profile_string(profile, profile->records.data[0].probe),
			    "p:path-3:main"); /* after the source and the script */
	assert_string_equal(profile_string(profile, profile->files.data[own].path), "/file-1");
	assert_int_equal(profile->files.data[own].build_id, 0);
	assert_string_equal(profile_string(profile, profile->files.data[libc].path), "/usr/lib/libc.so.6");
	assert_string_equal(profile_string(profile, profile->files.data[libc].build_id), "0123abcd");
	assert_string_equal(profile_string(profile, profile->files.data[vdso].path), "[vdso]");
	assert_string_equal(name_of(profile, nameless), "file-1!fn_0x10");
	assert_string_equal(module_of(profile, named), "file-1");
	assert_string_equal(name_of(profile, named), "main");
	assert_string_equal(module_of(profile, read), "libc.so.6");
	assert_string_equal(name_of(profile, division), "operator/(int, A const&)");
	assert_string_equal(module_of(profile, jit), "[anon]");
	assert_non_null(strstr(name_of(profile, jit), "f path-"));
	assert_string_equal(name_of(profile, kernel), "vfs_read");
	assert_string_equal(module_of(profile, kernel), "kernel");
	profile_redact(profile); /* once more changes nothing */
	assert_string_equal(profile_string(profile, profile->records.data[1].comm), "process-2");
}

/* Blanks do not end a path there, and a file may be named without its directory. */
PROFILE_TEST(files_in_probes_are_replaced_whole)
{
	add_file(profile, "/srv/my secret tool");
	add_file(profile, "/usr/bin/read");
	profile->header =
		add(profile, "Tracing 1 functions for \"/srv/my secret tool:main\", \"my secret tool:main\"...");
	profile->event = add(profile, "my secret tool:read");
	profile_redact(profile);
	assert_string_equal(profile_string(profile, profile->header),
			    "Tracing 1 functions for \"/file-1:main\", \"file-1:main\"...");
	assert_string_equal(profile_string(profile, profile->event), "file-1:read");
}

PROFILE_TEST(secrets_are_listed)
{
	_cleanup_(buf_done) struct buf text = {};

	add_file(profile, "/usr/lib/libc.so.6");
	profile_list_secrets(profile, &text);
	assert_string_equal(buf_text(&text), "");
	add_file(profile, "/home/me/app");
	profile_add_cgroup(profile, 7, add(profile, "/a"));
	profile_add_cgroup(profile, 8, add(profile, "/b"));
	profile_list_secrets(profile, &text);
	assert_string_equal(buf_text(&text), " 1 path outside the system's directories and 2 control groups");
	buf_clear(&text);
	profile_redact(profile);
	profile_list_secrets(profile, &text);
	assert_string_equal(buf_text(&text), "");
}
