/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the layout of PHP (symbolize/php.h) in a file: asks each exported function that reads a member where it reads it. No offset of any
 * version is known here.
 */
#include <stdlib.h>

#include "core/base/cleanup.h"
#include "symbolize/elf/frame_section.h"
#include "symbolize/interpreter/accessor.h"
#include "symbolize/interpreter/asking.h"
#include "symbolize/x86/instruction.h"

enum {
	LOOP_MAX_BYTES = 1 << 20,
	TYPE_INTERNAL = 1, /* of a function: it is written in C */
	TYPE_OBJECT = 8, /* of a value */
	KIND_HYBRID = 4, /* of the virtual machine */
};

enum symbol {
	EXECUTED_LINE,
	LOOP,
	EXECUTED_SCOPE,
	EXECUTED_FILE,
	FUNCTION_NAME,
	CLASS_NAME,
	THIS_OBJECT,
	MACHINE_KIND,
	GLOBALS,
	CLASS_EXCEPTION,
	VERSION,
	NR_SYMBOLS,
};

static const char *const symbol_names[NR_SYMBOLS] = {
	[EXECUTED_LINE] = "zend_get_executed_lineno",
	[LOOP] = "execute_ex",
	[EXECUTED_SCOPE] = "zend_get_executed_scope",
	[EXECUTED_FILE] = "zend_get_executed_filename_ex",
	[FUNCTION_NAME] = "get_active_function_name",
	[CLASS_NAME] = "get_active_class_name",
	[THIS_OBJECT] = "zend_get_this_object",
	[MACHINE_KIND] = "zend_vm_kind",
	[GLOBALS] = "executor_globals",
	[CLASS_EXCEPTION] = "zend_ce_exception",
	[VERSION] = "php_version_id",
};

struct asking {
	const struct elf_file *elf;
	struct exported symbols[NR_SYMBOLS];
	struct accessor accessor; /* of the function at hand */
	uint16_t current, function; /* nodes: the current frame; and its function */
	struct php_layout *layout;
};

static const struct expression *node(const struct asking *asking, uint16_t number)
{
	return &asking->accessor.nodes[number];
}

/* Finds the frame and its function among what the function at hand reads, as far as they are known. */
static bool ask(struct asking *asking, enum symbol function)
{
	const struct php_layout *layout = asking->layout;
	struct accessor *accessor = &asking->accessor;
	uint16_t from;

	if (!asking->symbols[function].at || accessor_read(accessor, asking->elf, asking->symbols[function].at))
		return false;
	from = accessor_number(accessor, (int64_t)layout->current);
	if (layout->current_by_pointer)
		from = accessor_load(accessor, from, 0, 8);
	asking->current = accessor_load(accessor, from, layout->current_offset, 8);
	asking->function = accessor_load(accessor, asking->current, layout->frame_function, 8);
	return true;
}

static bool ask_threads(struct asking *asking)
{
	asking->layout->exception = asking->symbols[CLASS_EXCEPTION].at;
	return asking->symbols[GLOBALS].at && asking->layout->exception;
}

static unsigned int depth_of(const struct asking *asking, uint16_t number)
{
	unsigned int depth = 0;

	for (; node(asking, number)->kind == EXPRESSION_LOAD; number = node(asking, number)->base)
		depth++;
	return depth;
}

/*
 * zend_get_executed_scope compares the type of the function of each frame. The current frame is the one that is reached by the fewest loads:
 * one from the globals, or two if the linker fills a table with the address of these.
 */
static bool ask_current(struct asking *asking)
{
	struct php_layout *layout = asking->layout;
	struct answer frame = {}, function = {}, type = {};
	const struct expression *current, *base;
	unsigned int fewest = 3;

	if (!ask(asking, EXECUTED_SCOPE))
		return false;
	for (uint16_t i = 0; i < asking->accessor.nr_compares; i++) {
		const struct expression *byte = node(asking, asking->accessor.compares[i].node),
					*of = node(asking, byte->base);
		unsigned int depth;

		if (byte->kind != EXPRESSION_LOAD || byte->width != 1 || of->kind != EXPRESSION_LOAD ||
		    of->width != 8 || asking->accessor.compares[i].with != TYPE_INTERNAL)
			continue;
		depth = depth_of(asking, of->base);
		if (!depth || depth > fewest)
			continue;
		if (depth < fewest)
			frame = function = type = (struct answer){};
		fewest = depth;
		answer_offer(&frame, of->base);
		answer_offer(&function, of->value);
		answer_offer(&type, byte->value);
	}
	if (!frame.is_there || frame.is_doubtful || !answer_accept(&function, &layout->frame_function) ||
	    !answer_accept(&type, &layout->function_type))
		return false;
	current = node(asking, (uint16_t)frame.value);
	base = node(asking, current->base);
	layout->current_by_pointer = base->kind == EXPRESSION_LOAD;
	if (base->kind == EXPRESSION_LOAD) {
		const struct answer offset = { current->value, true, false };

		if (base->value || !answer_accept(&offset, &layout->current_offset))
			return false;
		base = node(asking, base->base);
	} else if ((uint64_t)base->value - asking->symbols[GLOBALS].at >= asking->symbols[GLOBALS].bytes) {
		return false;
	}
	layout->current = (uint64_t)base->value;
	return base->kind == EXPRESSION_NUMBER && layout->current;
}

/* It goes on with the frame to which the current one leads. */
static bool ask_previous(struct asking *asking)
{
	struct answer previous = {};

	if (!ask(asking, EXECUTED_SCOPE))
		return false;
	for (uint16_t i = 0; i < asking->accessor.nr_nodes; i++) {
		const struct expression *function = node(asking, i), *frame = node(asking, function->base);

		if (function->kind == EXPRESSION_LOAD && function->value == asking->layout->frame_function &&
		    frame->kind == EXPRESSION_LOAD && frame->base == asking->current)
			answer_offer(&previous, frame->value);
	}
	return answer_accept(&previous, &asking->layout->frame_previous);
}

/* zend_get_executed_lineno returns the line of the instruction of the current frame; or that of the first one of its function. */
static bool ask_line(struct asking *asking)
{
	struct answer instruction = {}, line = {};

	if (!ask(asking, EXECUTED_LINE))
		return false;
	for (uint16_t i = 0; i < asking->accessor.nr_returns; i++) {
		const struct expression *returned = node(asking, asking->accessor.returns[i]);

		if (returned->kind != EXPRESSION_LOAD || returned->width != 4 ||
		    !accessor_is_load(&asking->accessor, returned->base, asking->current, 8))
			continue;
		answer_offer(&line, returned->value);
		answer_offer(&instruction, node(asking, returned->base)->value);
	}
	return answer_accept(&line, &asking->layout->instruction_line) &&
	       answer_accept(&instruction, &asking->layout->frame_instruction);
}

static bool ask_code(struct asking *asking)
{
	struct answer code = {};

	if (!ask(asking, EXECUTED_LINE))
		return false;
	for (uint16_t i = 0; i < asking->accessor.nr_returns; i++) {
		const struct expression *returned = node(asking, asking->accessor.returns[i]);

		if (returned->kind == EXPRESSION_LOAD && returned->width == 4 &&
		    returned->value == asking->layout->instruction_line &&
		    accessor_is_load(&asking->accessor, returned->base, asking->function, 8))
			answer_offer(&code, node(asking, returned->base)->value);
	}
	return answer_accept(&code, &asking->layout->function_code);
}

/* The function returns a word of the current function. */
static bool ask_member(struct asking *asking, enum symbol function, uint16_t *ret_offset)
{
	struct answer member = {};

	if (!ask(asking, function))
		return false;
	for (uint16_t i = 0; i < asking->accessor.nr_returns; i++)
		if (accessor_is_load(&asking->accessor, asking->accessor.returns[i], asking->function, 8))
			answer_offer(&member, node(asking, asking->accessor.returns[i])->value);
	return answer_accept(&member, ret_offset);
}

static bool ask_file(struct asking *asking)
{
	return ask_member(asking, EXECUTED_FILE, &asking->layout->function_file);
}

static bool ask_scope(struct asking *asking)
{
	return ask_member(asking, EXECUTED_SCOPE, &asking->layout->function_scope);
}

/* The function returns the characters of a string, whose address is a word of what `base` is. */
static bool ask_text(struct asking *asking, uint16_t base, uint16_t *ret_member)
{
	struct answer member = {}, text = {};

	for (uint16_t i = 0; i < asking->accessor.nr_returns; i++) {
		const struct expression *returned = node(asking, asking->accessor.returns[i]);

		if (returned->kind != EXPRESSION_SUM || !accessor_is_load(&asking->accessor, returned->base, base, 8))
			continue;
		answer_offer(&text, returned->value);
		answer_offer(&member, node(asking, returned->base)->value);
	}
	/* before the characters: references and type, hash, length */
	return answer_accept(&member, ret_member) && answer_accept(&text, &asking->layout->text) &&
	       asking->layout->text == 3 * sizeof(uint64_t);
}

static bool ask_name(struct asking *asking)
{
	return ask(asking, FUNCTION_NAME) && ask_text(asking, asking->function, &asking->layout->function_name);
}

static bool ask_class(struct asking *asking)
{
	uint16_t scope;

	if (!ask(asking, CLASS_NAME))
		return false;
	scope = accessor_load(&asking->accessor, asking->function, asking->layout->function_scope, 8);
	return ask_text(asking, scope, &asking->layout->class_name);
}

/* zend_get_this_object compares the type of `this` of its argument, which is a frame. */
static bool ask_call(struct asking *asking)
{
	struct answer type = {};

	if (!ask(asking, THIS_OBJECT))
		return false;
	for (uint16_t i = 0; i < asking->accessor.nr_compares; i++)
		if (asking->accessor.compares[i].with == TYPE_OBJECT &&
		    accessor_is_load(&asking->accessor, asking->accessor.compares[i].node,
				     accessor_argument(&asking->accessor, 0), 1))
			answer_offer(&type, node(asking, asking->accessor.compares[i].node)->value);
	return answer_accept(&type, &asking->layout->frame_call);
}

/* ---- the loop ---- */

/* The function of the unwind table that an address is in, and not at the beginning of. False: there is none. */
static bool function_around(const struct elf_file *elf, const struct frame_header *header, uint64_t address,
			    struct exported *ret_function)
{
	struct frame_header_entry entries[2];
	uint64_t low = 0, high = header->nr - 1; /* the last one has no end */

	while (low < high) {
		uint64_t middle = low + (high - low) / 2, start, end;

		if (elf_file_read(elf, header->table + middle * sizeof(*entries), entries, sizeof(entries)))
			return false;
		start = header->address + (uint64_t)(int64_t)entries[0].function;
		end = header->address + (uint64_t)(int64_t)entries[1].function;
		if (address >= end) {
			low = middle + 1;
		} else if (address <= start) {
			high = middle;
		} else {
			*ret_function = (struct exported){ start, end - start };
			return end - start <= UINT32_MAX;
		}
	}
	return false;
}

/* The loop jumps into the part of it that the compiler has put elsewhere, which has its own entry in the unwind table. */
static bool find_cold(const struct asking *asking, const uint8_t *code, uint64_t nr)
{
	struct php_layout *layout = asking->layout;
	struct frame_header header;
	bool has_header = !frame_header_read(asking->elf, &header) && header.table && header.nr > 1;
	struct x86_instruction is;

	for (uint64_t at = 0; at < nr; at += is.nr_bytes) {
		struct exported part;
		uint64_t target;

		if (!x86_decode(code + at, nr - at, &is))
			return false;
		target = layout->loop + at + is.nr_bytes + (uint64_t)is.value;
		if ((is.kind != X86_JUMP && is.kind != X86_JUMP_IF) || target - layout->loop < nr ||
		    target - layout->cold < layout->cold_bytes)
			continue;
		if (!has_header)
			return false;
		if (!function_around(asking->elf, &header, target, &part))
			continue; /* another function */
		if (layout->cold)
			return false;
		layout->cold = part.at;
		layout->cold_bytes = (uint32_t)part.bytes;
	}
	return true;
}

static bool ask_loop(struct asking *asking)
{
	const struct exported *loop = &asking->symbols[LOOP];
	struct php_layout *layout = asking->layout;
	_cleanup_(freep) uint8_t *code = NULL;
	uint64_t offset;
	int err;

	if (!loop->bytes || loop->bytes > LOOP_MAX_BYTES || elf_file_offset_of_address(asking->elf, loop->at, &offset))
		return false;
	code = elf_file_copy(asking->elf, offset, loop->bytes, LOOP_MAX_BYTES, &err);
	layout->loop = loop->at;
	layout->loop_bytes = (uint32_t)loop->bytes;
	if (ask(asking, MACHINE_KIND) && asking->accessor.nr_returns == 1)
		layout->loop_has_registers = node(asking, asking->accessor.returns[0])->kind == EXPRESSION_NUMBER &&
					     node(asking, asking->accessor.returns[0])->value == KIND_HYBRID;
	return code && find_cold(asking, code, loop->bytes);
}

static const struct {
	bool (*ask)(struct asking *asking);
	const char *text;
} questions[PHP_NR_QUESTIONS] = {
	[PHP_ASK_THREADS] = { ask_threads, "executor_globals: not exported, as in a build with threads (ZTS)" },
	[PHP_ASK_CURRENT] = { ask_current, "zend_get_executed_scope: where the current frame is" },
	[PHP_ASK_PREVIOUS] = { ask_previous, "zend_get_executed_scope: where a frame has its caller" },
	[PHP_ASK_LINE] = { ask_line, "zend_get_executed_lineno: where an instruction has its line" },
	[PHP_ASK_CODE] = { ask_code, "zend_get_executed_lineno: where a function has its instructions" },
	[PHP_ASK_FILE] = { ask_file, "zend_get_executed_filename_ex: where a function has its file" },
	[PHP_ASK_NAME] = { ask_name, "get_active_function_name: where a function has its name" },
	[PHP_ASK_SCOPE] = { ask_scope, "zend_get_executed_scope: where a function has its class" },
	[PHP_ASK_CLASS] = { ask_class, "get_active_class_name: where a class has its name" },
	[PHP_ASK_CALL] = { ask_call, "zend_get_this_object: where a frame has the flags of its call" },
	[PHP_ASK_LOOP] = { ask_loop, "execute_ex: where its code is" },
};

const char *php_question_text(enum php_question question)
{
	return question < PHP_NR_QUESTIONS ? questions[question].text : "";
}

static uint32_t version_of(struct asking *asking)
{
	const struct expression *returned;

	if (!ask(asking, VERSION) || asking->accessor.nr_returns != 1)
		return 0;
	returned = node(asking, asking->accessor.returns[0]);
	return returned->kind == EXPRESSION_NUMBER && returned->value < 1000000 ? (uint32_t)returned->value : 0;
}

void php_layout_read(const struct elf_file *elf, struct interpreter *interpreter)
{
	struct asking asking = { .elf = elf, .layout = &interpreter->php };

	if (!exported_find(elf, symbol_names, NR_SYMBOLS, asking.symbols) || !asking.symbols[LOOP].at)
		return;
	*interpreter = (struct interpreter){ .language = LANGUAGE_PHP, .is_refused = true };
	interpreter->version = version_of(&asking);
	for (unsigned int i = 0; i < PHP_NR_QUESTIONS; i++) {
		interpreter->question = (uint8_t)i;
		if (!questions[i].ask(&asking))
			return;
	}
	interpreter->is_refused = false;
	interpreter->question = 0;
}
