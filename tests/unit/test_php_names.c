/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of functions of PHP, and how many bytes of them are kept. */
#include "core/session/look_python_private.h"

#include "tests/harness.h"

static bool name_function(struct look_python *python, const char *name, struct python_code *ret_code)
{
	struct st_function function = { .cookie = 1, .class_name = "C", .file = "/f.php" };

	snprintf(function.name, sizeof(function.name), "%s", name);
	return php_name_function(python, &function, ret_code);
}

TEST(names_that_are_kept_already_use_no_more_bytes)
{
	struct profile profile;
	struct look_python python = { .profile = &profile, .names_left = strlen("C::one") + strlen("/f.php") };
	struct python_code code, again;

	profile_init(&profile);
	assert_true(name_function(&python, "one", &code));
	assert_string_equal(profile_string(&profile, code.name_id), "C::one");
	assert_string_equal(profile_string(&profile, code.file_id), "/f.php");
	assert_int_equal(python.names_left, 0);
	assert_true(name_function(&python, "one", &again));
	assert_int_equal(again.name_id, code.name_id);
	assert_int_equal(again.file_id, code.file_id);
	assert_false(name_function(&python, "two", &again));
	profile_done(&profile);
}
