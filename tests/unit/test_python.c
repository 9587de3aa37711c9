/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout of CPython from its functions; strings and line tables of code objects. */
#include <limits.h>

#include "symbolize/interpreter/python_layout.h"
#include "tests/unit/elf_writer.h"

#include "tests/harness.h"

enum {
	CODE_AT = 0x2000,
	CODE_OFFSET = 0x1000,
	CODE_BYTES = 0x2000,
	FUNCTION_BYTES = 0x80,
	NR_FUNCTIONS = 13,
};

#define CODE(text) { text, sizeof(text) - 1 }

struct code {
	const char *bytes;
	size_t nr;
};

/* The exported functions that the reader asks, as a compiler makes them. */
static const struct {
	const char *name;
	struct code code;
	enum python_question question; /* the first that finds no answer without the function */
} functions[NR_FUNCTIONS] = {
	{ "PyFrame_GetCode", CODE("\x48\x8b\x47\x18\x48\x8b\x40\x20\x83\x00\x01\xc3"), PYTHON_ASK_CODE },
	{ "PyFrame_GetLasti",
	  CODE("\x48\x8b\x47\x18\x48\x8b\x50\x38\x48\x8b\x40\x20\x48\x05\xb8\x00\x00\x00\x48\x29\xc2\x89\xd0\xc3"),
	  PYTHON_ASK_INSTRUCTION },
	{ "PyFrame_GetBack",
	  CODE("\x48\x8b\x47\x18\x48\x8b\x40\x30\x48\x85\xc0\x74\x0c\x80\x78\x45\x01\x74\x06\x48\x8b\x40\x30\xeb\xef\xc3"),
	  PYTHON_ASK_PREVIOUS },
	{ "_PyFrame_IsEntryFrame", CODE("\x48\x8b\x47\x18\x48\x8b\x40\x30\x80\x78\x45\x03\x0f\x94\xc0\xc3"),
	  PYTHON_ASK_ENTRY },
	{ "PyThreadState_GetFrame",
	  CODE("\x53\x48\x8b\x47\x38\x48\x8b\x58\x08\x0f\xb6\x53\x45\x80\xfa\x01\x75\x08\x48\x8b\x5b\x30\x80\x7b\x45\x01\x48\x89"
	       "\xd8\x5b\xc3"),
	  PYTHON_ASK_CURRENT },
	{ "PyThreadState_Next", CODE("\x48\x8b\x47\x08\xc3"), PYTHON_ASK_NEXT_THREAD },
	{ "PyInterpreterState_Next", CODE("\x48\x8b\x07\xc3"), PYTHON_ASK_NEXT_INTERPRETER },
	{ "PyInterpreterState_ThreadHead", CODE("\x48\x8b\x47\x10\xc3"), PYTHON_ASK_THREADS },
	{ "PyInterpreterState_Head", CODE("\x48\x8b\x05\x00\x01\x00\x00\xc3"), PYTHON_ASK_INTERPRETERS },
	{ "PyBytes_Size", CODE("\x48\x8b\x47\x08\xf6\x80\xab\x00\x00\x00\x08\x74\x05\x48\x8b\x47\x10\xc3\x31\xc0\xc3"),
	  PYTHON_ASK_TYPE },
	{ "PyBytes_AsString", CODE("\x48\x8b\x47\x08\xf6\x80\xab\x00\x00\x00\x08\x74\x05\x48\x8d\x47\x20\xc3\x0f\x0b"),
	  PYTHON_ASK_BYTES },
	{ "PyUnicode_GetLength", CODE("\x48\x83\xec\x18\x48\x8b\x47\x10\x48\x83\xc4\x18\xc3"), PYTHON_ASK_LENGTH },
	{ "PyUnicode_AsUTF8AndSize", CODE("\x0f\xb6\x47\x20\xa8\x40\x74\x05\x48\x8d\x47\x30\xc3\x31\xc0\xc3"),
	  PYTHON_ASK_STATE },
};

/* The layout of a file with these functions; `name` has this code instead; with NULL it is missing. */
static struct interpreter layout_with(const char *name, const struct code *code)
{
	struct elf_writer writer;
	struct elf_file elf;
	struct interpreter layout;

	elf_writer_init(&writer, ET_DYN);
	elf_writer_code(&writer, CODE_AT, CODE_OFFSET, CODE_BYTES);
	for (size_t i = 0; i < NR_FUNCTIONS; i++)
		if (code || strcmp(functions[i].name, name) != 0)
			elf_writer_symbol(&writer, DYNSYM, functions[i].name, CODE_AT + i * FUNCTION_BYTES, 16,
					  STT_FUNC, STB_GLOBAL);
	elf_writer_symbol(&writer, DYNSYM, "PyCode_Type", 0x9000, 400, STT_OBJECT, STB_GLOBAL);
	elf_writer_symbol(&writer, DYNSYM, "PyUnicode_Type", 0xa000, 400, STT_OBJECT, STB_GLOBAL);
	elf_writer_symbol(&writer, DYNSYM, "_PyEval_EvalFrameDefault", 0xb000, 400, STT_FUNC, STB_GLOBAL);
	elf_writer_finish(&writer);
	for (size_t i = 0; i < NR_FUNCTIONS; i++) {
		const struct code *is = code && !strcmp(functions[i].name, name) ? code : &functions[i].code;

		memcpy(writer.image.data + CODE_OFFSET + i * FUNCTION_BYTES, is->bytes, is->nr);
	}
	assert_int_equal(elf_file_open_memory(&elf, writer.image.data, writer.image.nr), 0);
	interpreter_read(&elf, &layout);
	elf_file_done(&elf);
	elf_writer_done(&writer);
	return layout;
}

static void expect_refused(const char *name, const struct code *code, enum python_question question)
{
	struct interpreter layout = layout_with(name, code);

	assert_int_equal(layout.language, LANGUAGE_PYTHON);
	assert_true(layout.is_refused);
	assert_string_equal(python_question_text(layout.question), python_question_text(question));
}

TEST(functions_tell_the_layout)
{
	struct interpreter layout = layout_with("", &(struct code){ "", 0 });

	assert_string_equal(!layout.is_refused ? "" : python_question_text(layout.question), "");
	assert_int_equal(layout.python.frame_code, 0x20);
	assert_int_equal(layout.python.frame_instruction, 0x38);
	assert_int_equal(layout.python.code_instructions, 0xb8);
	assert_int_equal(layout.python.frame_previous, 0x30);
	assert_int_equal(layout.python.frame_owner, 0x45);
	assert_int_equal(layout.python.entry_owner, 3);
	assert_int_equal(layout.python.frame_is_entry, PYTHON_NONE);
	assert_int_equal(layout.python.thread_cframe, 0x38);
	assert_int_equal(layout.python.thread_frame, 8);
	assert_int_equal(layout.python.thread_next, 8);
	assert_int_equal(layout.python.interpreter_next, 0);
	assert_int_equal(layout.python.interpreter_threads, 0x10);
	assert_int_equal(layout.python.head, CODE_AT + 8 * FUNCTION_BYTES + 7 + 0x100);
	assert_false(layout.python.head_by_pointer);
	assert_int_equal(layout.python.object_type, 8);
	assert_int_equal(layout.python.bytes_size, 0x10);
	assert_int_equal(layout.python.bytes_data, 0x20);
	assert_int_equal(layout.python.text_length, 0x10);
	assert_int_equal(layout.python.text_state, 0x20);
	assert_int_equal(layout.python.text_ascii, 0x30);
	assert_int_equal(layout.python.code_type, 0x9000);
	assert_int_equal(layout.python.text_type, 0xa000);
	assert_int_equal(layout.python.loop, 0xb000);
	assert_int_equal(layout.python.code_tags, 0);
}

TEST(other_forms_are_read)
{
	const struct code tagged = CODE("\x48\x8b\x47\x18\x48\x8b\x40\x20\x48\x83\xe0\xfe\xc3"),
			  is_entry = CODE("\x48\x8b\x47\x18\x0f\xb6\x40\x44\xc3"),
			  by_table = CODE("\x48\x8b\x05\x00\x01\x00\x00\x48\x8b\x40\x28\xc3"),
			  direct = CODE("\x48\x8b\x47\x48\x80\x78\x45\x03\xc3");
	struct interpreter layout = layout_with("PyFrame_GetCode", &tagged);

	assert_false(layout.is_refused);
	assert_int_equal(layout.python.code_tags, 1);
	layout = layout_with("_PyFrame_IsEntryFrame", &is_entry);
	assert_false(layout.is_refused);
	assert_int_equal(layout.python.frame_is_entry, 0x44);
	assert_int_equal(layout.python.entry_owner, 0);
	layout = layout_with("PyInterpreterState_Head", &by_table);
	assert_false(layout.is_refused);
	assert_true(layout.python.head_by_pointer);
	assert_int_equal(layout.python.head_offset, 0x28);
	layout = layout_with("PyThreadState_GetFrame", &direct);
	assert_false(layout.is_refused);
	assert_int_equal(layout.python.thread_cframe, PYTHON_NONE);
	assert_int_equal(layout.python.thread_frame, 0x48);
}

/* A function that is missing, tells nothing, does not end, or leads out of the file: its question is named. */
TEST(what_cannot_be_answered_is_refused)
{
	const struct code bad[] = { CODE("\x31\xc0\xc3"), CODE("\x48\x8b\x3f\xeb\xfb"), CODE("\xe9\xfb\xff\xff\x06"),
				    CODE("\x0f\x0b"), CODE("\x06") };

	for (size_t i = 0; i < NR_FUNCTIONS; i++) {
		const bool is_needed = !strcmp(functions[i].name, "PyFrame_GetCode") ||
				       !strcmp(functions[i].name, "PyThreadState_GetFrame");

		if (is_needed)
			assert_int_equal(layout_with(functions[i].name, NULL).language, LANGUAGE_NONE);
		else
			expect_refused(functions[i].name, NULL, functions[i].question);
		for (size_t k = 0; k < sizeof(bad) / sizeof(*bad); k++)
			expect_refused(functions[i].name, &bad[k], functions[i].question);
	}
}

TEST(two_answers_are_none)
{
	const struct code two_words = CODE(
				  "\x48\x8b\x47\x18\x48\x8b\x50\x38\x48\x8b\x48\x40\x48\x8b\x40\x20\x48\x05\xb8\x00\x00"
				  "\x00\x48\x29\xc2\x89\xd0\xc3"),
			  two_bytes = CODE(
				  "\x48\x8b\x47\x18\x48\x8b\x50\x30\x80\x7a\x45\x01\x74\x09\x80\x7a\x46\x01\x74\x03\x48"
				  "\x89\xd0\xc3");

	expect_refused("PyFrame_GetLasti", &two_words, PYTHON_ASK_INSTRUCTION);
	expect_refused("PyFrame_GetBack", &two_bytes, PYTHON_ASK_OWNER);
}

TEST(other_builds_are_named)
{
	const struct code
		old = CODE("\x48\x8b\x47\x20\x83\x00\x01\xc3"),
		free_threaded =
			CODE("\x48\x8b\x47\x18\xf6\x80\xab\x00\x00\x00\x08\x74\x05\x48\x8b\x47\x10\xc3\x31\xc0\xc3");

	expect_refused("PyFrame_GetCode", &old, PYTHON_ASK_OLD);
	expect_refused("PyBytes_Size", &free_threaded, PYTHON_ASK_FREE_THREADED);
}

/* ---- the builds of this host: offsets that are known of a version check the reader ---- */

struct known {
	unsigned int version; /* as in Py_Version, without the last two bytes */
	uint16_t code, instruction, previous, owner, instructions, cframe, frame, threads, ascii;
};

static const struct known known[] = {
	{ 0x030b, 32, 56, 48, 69, 184, 56, 8, 16, 48 },
	{ 0x030c, 0, 56, 8, 70, 192, 56, 0, 72, 40 },
	{ 0x030d, 0, 56, 8, 70, 200, PYTHON_NONE, 72, 7344, 40 },
	{ 0x030e, 0, 56, 8, 74, 208, PYTHON_NONE, 72, 7344, 40 },
};

static bool check_build(const char *path)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct interpreter layout = {};
	struct elf_file elf;

	if (fd < 0 || elf_file_open(&elf, fd))
		return false;
	interpreter_read(&elf, &layout);
	elf_file_done(&elf);
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (layout.version >> 16 != known[i].version)
			continue;
		assert_false(layout.is_refused);
		assert_int_equal(layout.python.frame_code, known[i].code);
		assert_int_equal(layout.python.frame_instruction, known[i].instruction);
		assert_int_equal(layout.python.frame_previous, known[i].previous);
		assert_int_equal(layout.python.frame_owner, known[i].owner);
		assert_int_equal(layout.python.code_instructions, known[i].instructions);
		assert_int_equal(layout.python.thread_cframe, known[i].cframe);
		assert_int_equal(layout.python.thread_frame, known[i].frame);
		assert_int_equal(layout.python.interpreter_threads, known[i].threads);
		assert_int_equal(layout.python.text_ascii, known[i].ascii);
		assert_int_equal(layout.python.cframe_below != 0, layout.python.thread_cframe != PYTHON_NONE);
		return true;
	}
	return false;
}

TEST(builds_of_this_host_are_read)
{
	unsigned int nr = 0;
	char path[PATH_MAX];

	for (int minor = 11; minor <= 14; minor++) {
		snprintf(path, sizeof(path), "/usr/bin/python3.%d", minor);
		nr += check_build(path);
		snprintf(path, sizeof(path), "/usr/lib/x86_64-linux-gnu/libpython3.%d.so.1.0", minor);
		nr += check_build(path);
	}
	print_message("%u builds\n", nr);
}

/* ---- the loop ---- */

/* Its beginning in 3.11.7, up to the first branch after its _PyCFrame is filled. */
static const uint8_t loop_code[] = {
	0x41, 0x57, 0x41, 0x56, 0x41, 0x55, 0x41, 0x54, 0x55, 0x53, 0x48, 0x81, 0xec, 0x18, 0x01, 0x00,
	0x00, 0x48, 0x85, 0xff, 0x0f, 0x84, 0x72, 0x97, 0x00, 0x00, 0x48, 0x8b, 0x47, 0x10, 0x48, 0x89,
	0xf5, 0x48, 0x8d, 0xb4, 0x24, 0xa0, 0x00, 0x00, 0x00, 0x49, 0x89, 0xfc, 0x66, 0x48, 0x0f, 0x6e,
	0xc5, 0x48, 0x89, 0x44, 0x24, 0x20, 0x48, 0x8b, 0x47, 0x38, 0x0f, 0xb6, 0x08, 0x66, 0x48, 0x0f,
	0x6e, 0xd8, 0x48, 0x89, 0x77, 0x38, 0x48, 0x8b, 0x70, 0x08, 0x66, 0x0f, 0x6c, 0xc3, 0x8b, 0x47,
	0x20, 0xc6, 0x45, 0x44, 0x01, 0x88, 0x8c, 0x24, 0xa0, 0x00, 0x00, 0x00, 0x48, 0x89, 0x75, 0x30,
	0x0f, 0x11, 0x84, 0x24, 0xa8, 0x00, 0x00, 0x00, 0x85, 0xd2, 0x0f, 0x85, 0x80, 0x00, 0x00, 0x00,
};

/* The loop with one byte changed. */
static struct python_layout loop_with(size_t at, uint8_t byte)
{
	struct python_layout layout = { .loop = CODE_AT, .thread_cframe = 0x38, .thread_frame = 8 };
	struct elf_writer writer;
	struct elf_file elf;

	elf_writer_init(&writer, ET_DYN);
	elf_writer_code(&writer, CODE_AT, CODE_OFFSET, CODE_BYTES);
	elf_writer_finish(&writer);
	memset(writer.image.data + CODE_OFFSET, 0x90, 512);
	memcpy(writer.image.data + CODE_OFFSET, loop_code, sizeof(loop_code));
	writer.image.data[CODE_OFFSET + at] = byte;
	assert_int_equal(elf_file_open_memory(&elf, writer.image.data, writer.image.nr), 0);
	python_loop_read(&elf, &layout);
	elf_file_done(&elf);
	elf_writer_done(&writer);
	return layout;
}

static void expect_loop(size_t at, uint8_t byte, uint16_t unfilled, uint16_t bytes, uint16_t below)
{
	struct python_layout layout = loop_with(at, byte);

	assert_int_equal(layout.unfilled, unfilled);
	assert_int_equal(layout.unfilled_bytes, bytes);
	assert_int_equal(layout.cframe_below, below);
}

TEST(the_loop_tells_where_it_fills_its_frame)
{
	enum {
		TELLS = 66, /* mov %rsi,0x38(%rdi) */
		FILLS = 96, /* movups %xmm0,0xa8(%rsp) */
	};

	expect_loop(0, loop_code[0], TELLS + 4, 36, 8 + 0x118 + 6 * 8 - 0xa0);
	expect_loop(TELLS + 3, 0x40, 0, 256, 0); /* another word of the thread */
	expect_loop(FILLS + 4, 0xb0, 0, 256, 0); /* the word after it */
	expect_loop(FILLS, 0xc3, 0, 256, 0); /* it returns before */
}

/* ---- lines ---- */

TEST(line_tables_are_read)
{
	/* 2 units of the first line; 1 unit of the next; 3 units 4 lines before, in the long form; 1 without a line; 1 ten lines later */
	const uint8_t table[] = {
		0x80 | 0 << 3 | 1,  0x12, 0x80 | 11 << 3 | 0, 1, 2, 0x80 | 14 << 3 | 2, 9, 1, 2, 3, 0x80 | 15 << 3 | 0,
		0x80 | 13 << 3 | 0, 20
	};
	const uint32_t lines[] = { 100, 100, 101, 97, 97, 97, 97, 107, 107 };

	assert_int_equal(python_line(table, sizeof(table), 100, -2), 100);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		assert_int_equal(python_line(table, sizeof(table), 100, 2 * (int64_t)i), lines[i]);
		assert_int_equal(python_line(table, sizeof(table), 100, 2 * (int64_t)i + 1), lines[i]);
	}
	assert_int_equal(python_line(table, 0, 100, 8), 100);
	assert_int_equal(python_line(table, 6, 100, 8), 101); /* cut */
	assert_int_equal(python_lines_bytes(table, sizeof(table)), 16);
	assert_int_equal(python_lines_bytes(table, 0), 0);
}

/* ---- strings ---- */

static const struct python_layout plain = { .text_length = 16, .text_state = 32, .text_ascii = 40 };

static bool read_head(uint64_t length, uint32_t state, struct python_text *ret_text)
{
	uint8_t head[PYTHON_TEXT_HEAD] = {};

	memcpy(head + 16, &length, sizeof(length));
	memcpy(head + 32, &state, sizeof(state));
	return python_text_read(&plain, 56, head, ret_text);
}

TEST(strings_of_all_widths_are_read)
{
	const uint16_t two[] = { 'a', 0xe9, 0x65e5, 0xd800, 0 };
	const uint32_t four[] = { 'b', 0x1f600, 0x110000 };
	_cleanup_(buf_done) struct buf text = {};
	struct python_text read;

	assert_true(read_head(3, 1 << 2 | 1 << 5 | 1 << 6, &read));
	assert_int_equal(read.at, 40);
	python_text_add(&text, &read, (const uint8_t *)"abc");
	assert_true(read_head(1, 1 << 2 | 1 << 5, &read));
	assert_int_equal(read.at, 56);
	python_text_add(&text, &read, (const uint8_t *)"\xfc");
	assert_true(read_head(5, 2 << 2 | 1 << 5, &read));
	python_text_add(&text, &read, (const uint8_t *)two);
	assert_true(read_head(3, 4 << 2 | 1 << 5, &read));
	python_text_add(&text, &read, (const uint8_t *)four);
	assert_string_equal(buf_text(&text), "abcüaé日\xef\xbf\xbd\xef\xbf\xbd"
					     "b😀\xef\xbf\xbd");
}

TEST(what_is_no_string_is_refused)
{
	struct python_layout far = plain;
	uint8_t head[PYTHON_TEXT_HEAD] = {};
	struct python_text read;

	assert_false(read_head(3, 1 << 2, &read)); /* its characters are elsewhere */
	assert_false(read_head(3, 3 << 2 | 1 << 5, &read));
	assert_false(read_head(UINT64_MAX, 1 << 2 | 1 << 5, &read));
	assert_true(read_head(100000, 1 << 2 | 1 << 5, &read));
	assert_int_equal(read.nr, PYTHON_TEXT_MAX);
	assert_true(read.is_cut);
	far.text_state = PYTHON_TEXT_HEAD - 3;
	assert_false(python_text_read(&far, 56, head, &read));
}
