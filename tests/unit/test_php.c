/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout of PHP from its functions. */
#include <fcntl.h>

#include "symbolize/interpreter/asking.h"
#include "tests/unit/elf_writer.h"

#include "tests/harness.h"

enum {
	CODE_AT = 0x2000,
	CODE_OFFSET = 0x1000,
	CODE_BYTES = 0x2000,
	FUNCTION_BYTES = 0x80,
	GLOBALS = 0x8000,
	CURRENT = GLOBALS + 0x1e8,
	NR_FUNCTIONS = 9,
};

#define CODE(text) { text, sizeof(text) - 1 }

struct code {
	const char *bytes;
	size_t nr;
};

/* Those that begin with it load the address of the current frame. */
#define CURRENT_TO_AX "\x48\x8b\x05\x00\x00\x00\x00"

/* The exported functions that the reader asks, as a compiler makes them. */
static const struct {
	const char *name;
	struct code code;
	enum php_question question; /* the first that finds no answer without the function */
} functions[NR_FUNCTIONS] = {
	{ "zend_get_executed_scope",
	  CODE(CURRENT_TO_AX "\x48\x8b\x50\x18\x80\x3a\x01\x75\x06\x48\x8b\x40\x30\xeb\xf1\x48\x8b\x42\x10\xc3"),
	  PHP_ASK_CURRENT },
	{ "zend_get_executed_lineno",
	  CODE(CURRENT_TO_AX
	       "\x48\x8b\x50\x18\x48\x8b\x00\x48\x85\xc0\x74\x04\x8b\x40\x18\xc3\x48\x8b\x42\x58\x8b\x40\x18\xc3"),
	  PHP_ASK_LINE },
	{ "zend_get_executed_filename_ex", CODE(CURRENT_TO_AX "\x48\x8b\x50\x18\x48\x8b\x82\x98\x00\x00\x00\xc3"),
	  PHP_ASK_FILE },
	{ "get_active_function_name", CODE(CURRENT_TO_AX "\x48\x8b\x48\x18\x48\x8b\x41\x08\x48\x83\xc0\x18\xc3"),
	  PHP_ASK_NAME },
	{ "get_active_class_name",
	  CODE(CURRENT_TO_AX "\x48\x8b\x50\x18\x48\x8b\x42\x10\x48\x8b\x40\x08\x48\x83\xc0\x18\xc3"), PHP_ASK_CLASS },
	{ "zend_get_this_object", CODE("\x80\x7f\x28\x08\x74\x03\x31\xc0\xc3\x48\x8b\x47\x20\xc3"), PHP_ASK_CALL },
	{ "execute_ex", CODE("\x53\x74\x01\x5b\xc3"), PHP_ASK_LOOP },
	{ "zend_vm_kind", CODE("\xb8\x04\x00\x00\x00\xc3"), PHP_NR_QUESTIONS },
	{ "php_version_id", CODE("\xb8\x2b\x3a\x01\x00\xc3"), PHP_NR_QUESTIONS },
};

static void point_at_current(uint8_t *bytes, uint64_t address)
{
	const int32_t distance = (int32_t)(CURRENT - address - 7);

	if (!memcmp(bytes, CURRENT_TO_AX, 3))
		memcpy(bytes + 3, &distance, sizeof(distance));
}

/* The layout of a file with these functions; `name` has this code instead; with NULL it is missing. */
static struct interpreter layout_with(const char *name, const struct code *code, const char *globals)
{
	struct elf_writer writer;
	struct elf_file elf;
	struct interpreter is;

	elf_writer_init(&writer, ET_DYN);
	elf_writer_code(&writer, CODE_AT, CODE_OFFSET, CODE_BYTES);
	for (size_t i = 0; i < NR_FUNCTIONS; i++)
		if (code || strcmp(functions[i].name, name) != 0)
			elf_writer_symbol(&writer, DYNSYM, functions[i].name, CODE_AT + i * FUNCTION_BYTES,
					  code && !strcmp(functions[i].name, name) ? code->nr : functions[i].code.nr,
					  STT_FUNC, STB_GLOBAL);
	elf_writer_symbol(&writer, DYNSYM, globals, GLOBALS, 0x700, STT_OBJECT, STB_GLOBAL);
	elf_writer_symbol(&writer, DYNSYM, "zend_ce_exception", 0x9000, 8, STT_OBJECT, STB_GLOBAL);
	elf_writer_finish(&writer);
	for (size_t i = 0; i < NR_FUNCTIONS; i++) {
		const struct code *has = code && !strcmp(functions[i].name, name) ? code : &functions[i].code;
		uint8_t *to = (uint8_t *)writer.image.data + CODE_OFFSET + i * FUNCTION_BYTES;

		memcpy(to, has->bytes, has->nr);
		point_at_current(to, CODE_AT + i * FUNCTION_BYTES);
	}
	assert_int_equal(elf_file_open_memory(&elf, writer.image.data, writer.image.nr), 0);
	interpreter_read(&elf, &is);
	elf_file_done(&elf);
	elf_writer_done(&writer);
	return is;
}

static void expect_refused(const char *name, const struct code *code, enum php_question question)
{
	struct interpreter is = layout_with(name, code, "executor_globals");

	assert_int_equal(is.language, LANGUAGE_PHP);
	assert_true(is.is_refused);
	assert_string_equal(interpreter_question_text(&is), php_question_text(question));
}

TEST(functions_tell_the_layout)
{
	struct interpreter is = layout_with("", &(struct code){ "", 0 }, "executor_globals");
	char text[32];

	assert_int_equal(is.language, LANGUAGE_PHP);
	assert_string_equal(is.is_refused ? interpreter_question_text(&is) : "", "");
	assert_string_equal(interpreter_text(&is, text), "PHP 8.4.27");
	assert_int_equal(is.php.current, CURRENT);
	assert_false(is.php.current_by_pointer);
	assert_int_equal(is.php.frame_function, 0x18);
	assert_int_equal(is.php.frame_instruction, 0);
	assert_int_equal(is.php.frame_previous, 0x30);
	assert_int_equal(is.php.frame_call, 0x28);
	assert_int_equal(is.php.instruction_line, 0x18);
	assert_int_equal(is.php.function_type, 0);
	assert_int_equal(is.php.function_name, 8);
	assert_int_equal(is.php.function_scope, 0x10);
	assert_int_equal(is.php.function_file, 0x98);
	assert_int_equal(is.php.function_code, 0x58);
	assert_int_equal(is.php.class_name, 8);
	assert_int_equal(is.php.text, 0x18);
	assert_int_equal(is.php.loop, CODE_AT + 6 * FUNCTION_BYTES);
	assert_int_equal(is.php.cold, 0);
	assert_true(is.php.loop_has_registers);
}

TEST(what_cannot_be_answered_is_refused)
{
	const struct code bad[] = { CODE("\x31\xc0\xc3"), CODE("\x48\x8b\x3f\xeb\xfb"), CODE("\x0f\x0b"),
				    CODE("\x06") };

	for (size_t i = 0; i < NR_FUNCTIONS && functions[i].question != PHP_ASK_LOOP; i++) {
		const bool is_needed = !strcmp(functions[i].name, "zend_get_executed_lineno");

		if (is_needed)
			assert_int_equal(layout_with(functions[i].name, NULL, "executor_globals").language,
					 LANGUAGE_NONE);
		else
			expect_refused(functions[i].name, NULL, functions[i].question);
		for (size_t k = 0; k < sizeof(bad) / sizeof(*bad); k++)
			expect_refused(functions[i].name, &bad[k], functions[i].question);
	}
}

TEST(two_answers_are_none)
{
	const struct code
		two_files = CODE(
			CURRENT_TO_AX
			"\x48\x8b\x50\x18\x74\x08\x48\x8b\x82\x98\x00\x00\x00\xc3\x48\x8b\x82\xa8\x00\x00\x00\xc3"),
		two_types = CODE("\x80\x7f\x28\x08\x74\x04\x80\x7f\x29\x08\xc3");

	expect_refused("zend_get_executed_filename_ex", &two_files, PHP_ASK_FILE);
	expect_refused("zend_get_this_object", &two_types, PHP_ASK_CALL);
}

TEST(other_builds_are_refused)
{
	const struct code elsewhere = CODE("\x53\xe9\x00\x10\x00\x00"), unknown = CODE("\x53\x06\xc3"),
			  another_kind = CODE("\xb8\x01\x00\x00\x00\xc3");
	struct interpreter is = layout_with("", &(struct code){ "", 0 }, "executor_globals_offset");

	assert_true(is.is_refused);
	assert_string_equal(interpreter_question_text(&is), php_question_text(PHP_ASK_THREADS));
	expect_refused("execute_ex", &elsewhere, PHP_ASK_LOOP); /* without an unwind table, to an unknown place */
	expect_refused("execute_ex", &unknown, PHP_ASK_LOOP);
	is = layout_with("zend_vm_kind", &another_kind, "executor_globals");
	assert_false(is.is_refused);
	assert_false(is.php.loop_has_registers);
}

/* ---- the build of this host ---- */

TEST(the_build_of_this_host_is_read)
{
	_cleanup_(closep) int fd = open("/usr/bin/php", O_RDONLY | O_CLOEXEC);
	struct interpreter is;
	struct elf_file elf;

	if (fd < 0 || elf_file_open(&elf, fd))
		return;
	interpreter_read(&elf, &is);
	elf_file_done(&elf);
	assert_int_equal(is.language, LANGUAGE_PHP);
	assert_string_equal(is.is_refused ? interpreter_question_text(&is) : "", "");
	assert_int_equal(is.php.frame_function, 0x18);
	assert_int_equal(is.php.frame_previous, 0x30);
	assert_int_equal(is.php.frame_call, 0x28);
	assert_int_equal(is.php.instruction_line, 0x18);
	assert_true(is.php.function_file > is.php.function_code);
	assert_int_equal(is.php.text, 0x18);
	assert_true(is.php.cold && is.php.cold_bytes);
}
