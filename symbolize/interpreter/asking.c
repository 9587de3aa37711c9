/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/interpreter/asking.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "symbolize/elf/elf_tables.h"

enum {
	SYMBOLS_READ_MAX = 1 << 16, /* exported by one file; CPython and PHP have 2,000 to 3,000 */
	NAMES_MAX_BYTES = 4 << 20,
	OFFSET_MAX = 0x3fff, /* of a member; the largest is one of an interpreter state */
};

/* ---- answers ---- */

void answer_offer(struct answer *answer, int64_t value)
{
	answer->is_doubtful |= answer->is_there && answer->value != value;
	answer->is_there = true;
	answer->value = value;
}

bool answer_accept(const struct answer *answer, uint16_t *ret_offset)
{
	if (!answer->is_there || answer->is_doubtful || answer->value < 0 || answer->value > OFFSET_MAX)
		return false;
	*ret_offset = (uint16_t)answer->value;
	return true;
}

/* ---- symbols ---- */

bool exported_find(const struct elf_file *elf, const char *const names[], size_t nr, struct exported found[])
{
	struct elf_table tables[ELF_TABLES_MAX], *table = NULL;
	_cleanup_(freep) Elf64_Sym *symbols = NULL;
	_cleanup_(freep) char *texts = NULL;
	size_t nr_tables = 0;
	int err;

	if (!elf->is_64 || elf->machine != EM_X86_64 || elf_tables_find(elf, tables, &nr_tables))
		return false;
	for (size_t i = 0; i < nr_tables; i++)
		if (tables[i].dynamic)
			table = &tables[i];
	if (!table || table->nr > SYMBOLS_READ_MAX)
		return false;
	texts = elf_file_copy(elf, table->names_offset, table->names_bytes, NAMES_MAX_BYTES, &err);
	if (!texts || !memmem(texts, table->names_bytes, names[0], strlen(names[0])))
		return false;
	symbols = elf_file_copy(elf, table->offset, table->nr * sizeof(*symbols), UINT64_MAX, &err);
	for (size_t i = 0; symbols && i < table->nr; i++) {
		const Elf64_Sym *symbol = &symbols[i];

		if (symbol->st_name >= table->names_bytes || !symbol->st_value || symbol->st_shndx == SHN_UNDEF)
			continue;
		for (size_t k = 0; k < nr; k++)
			if (!strcmp(names[k], texts + symbol->st_name))
				found[k] = (struct exported){ symbol->st_value, symbol->st_size };
	}
	return found[0].at;
}

/* ---- languages ---- */

static const struct {
	const char *name, *label;
} languages[NR_LANGUAGES] = {
	[LANGUAGE_PYTHON] = { "Python", "python" },
	[LANGUAGE_PHP] = { "PHP", "php" },
};

const char *language_name(unsigned int language)
{
	return language < NR_LANGUAGES && languages[language].name ? languages[language].name : "interpreter";
}

const char *language_label(unsigned int language)
{
	return language < NR_LANGUAGES && languages[language].label ? languages[language].label : "interpreter";
}

const char *interpreter_text(const struct interpreter *interpreter, char buffer[32])
{
	const uint32_t version = interpreter->version;
	const char *name = language_name(interpreter->language);

	if (!version)
		snprintf(buffer, 32, "%s", name);
	else if (interpreter->language == LANGUAGE_PYTHON)
		snprintf(buffer, 32, "%s %u.%u.%u", name, version >> 24, version >> 16 & 255, version >> 8 & 255);
	else
		snprintf(buffer, 32, "%s %u.%u.%u", name, version / 10000, version / 100 % 100, version % 100);
	return buffer;
}

const char *interpreter_question_text(const struct interpreter *interpreter)
{
	return interpreter->language == LANGUAGE_PYTHON ? python_question_text(interpreter->question)
							: php_question_text(interpreter->question);
}

bool interpreter_is_valid(const struct interpreter *interpreter)
{
	switch (interpreter->language) {
	case LANGUAGE_NONE:
		return true;
	case LANGUAGE_PYTHON:
		return interpreter->question < PYTHON_NR_QUESTIONS && interpreter->python.code_tags <= 7;
	case LANGUAGE_PHP:
		return interpreter->question < PHP_NR_QUESTIONS;
	default:
		return false;
	}
}

void interpreter_read(const struct elf_file *elf, struct interpreter *ret_interpreter)
{
	*ret_interpreter = (struct interpreter){};
	python_layout_read(elf, ret_interpreter);
	if (!ret_interpreter->language)
		php_layout_read(elf, ret_interpreter);
}
