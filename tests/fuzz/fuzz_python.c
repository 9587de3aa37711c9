/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that says it is an interpreter, and what a process says its code objects have: every answer is in its range. */
#include "symbolize/interpreter/accessor.h"
#include "symbolize/interpreter/python_layout.h"
#include "tests/fuzz/fuzz.h"

/* The input as the beginning of the loop. */
static void check_loop(const struct elf_file *elf)
{
	struct python_layout layout = { .loop = 0x1000, .thread_cframe = 0x38, .thread_frame = 8 };

	python_loop_read(elf, &layout);
	if (!layout.unfilled_bytes || layout.unfilled + layout.unfilled_bytes > 512)
		__builtin_trap();
}

/* The input as code, whose expressions must refer to earlier ones. */
static void check_accessor(const uint8_t *data, size_t size)
{
	static struct accessor accessor;
	Elf64_Phdr segment = {
		.p_type = PT_LOAD, .p_flags = PF_X, .p_vaddr = 0x1000, .p_filesz = size, .p_memsz = size
	};
	struct elf_file elf = { .fd = -1, .memory = data, .size = size, .is_64 = true, .machine = EM_X86_64 };

	elf.segments.data = &segment;
	elf.segments.nr = 1;
	check_loop(&elf);
	if (!size || accessor_read(&accessor, &elf, 0x1000))
		return;
	if (accessor.nr_nodes > ACCESSOR_NODES_MAX || accessor.nr_returns > ACCESSOR_FACTS_MAX ||
	    accessor.nr_compares > ACCESSOR_FACTS_MAX)
		__builtin_trap();
	for (uint16_t i = 1; i < accessor.nr_nodes; i++)
		if (accessor.nodes[i].base >= i || !accessor.nodes[i].kind)
			__builtin_trap();
	for (uint16_t i = 0; i < accessor.nr_returns; i++)
		if (accessor.returns[i] >= accessor.nr_nodes)
			__builtin_trap();
}

static void check_file(const uint8_t *data, size_t size)
{
	struct interpreter is;
	struct elf_file elf;

	if (elf_file_open_memory(&elf, data, size))
		return;
	interpreter_read(&elf, &is);
	if (!interpreter_is_valid(&is))
		__builtin_trap();
	elf_file_done(&elf);
}

static void check_code(const uint8_t *data, size_t size)
{
	struct python_layout layout = { .text_length = 16, .text_state = 32, .text_ascii = 40 };
	static uint8_t characters[4 * PYTHON_TEXT_MAX];
	struct buf text = {};
	struct python_text read;

	python_line(data, size, 1, (int64_t)size * 3 - 8);
	if (size < PYTHON_TEXT_HEAD || !python_text_read(&layout, 56, data, &read))
		return;
	if (read.nr > PYTHON_TEXT_MAX || read.width > 4)
		__builtin_trap();
	memcpy(characters, data, size < sizeof(characters) ? size : sizeof(characters));
	python_text_add(&text, &read, characters);
	buf_done(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_accessor(data, size);
	check_file(data, size);
	check_code(data, size);
	return 0;
}
