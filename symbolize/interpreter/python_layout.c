/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/interpreter/python_layout.h"

#include "symbolize/interpreter/accessor.h"

/* The functions and objects to find. */
enum symbol {
	FRAME_GET_CODE,
	FRAME_GET_LASTI,
	FRAME_GET_BACK,
	FRAME_IS_ENTRY,
	THREAD_GET_FRAME,
	THREAD_NEXT,
	INTERPRETER_HEAD,
	INTERPRETER_NEXT,
	INTERPRETER_THREADS,
	BYTES_AS_STRING,
	BYTES_SIZE,
	UNICODE_LENGTH,
	UNICODE_AS_UTF8,
	CODE_TYPE,
	UNICODE_TYPE,
	LOOP,
	VERSION,
	NR_SYMBOLS,
};

static const char *const symbol_names[NR_SYMBOLS] = {
	[FRAME_GET_CODE] = "PyFrame_GetCode",
	[FRAME_GET_LASTI] = "PyFrame_GetLasti",
	[FRAME_GET_BACK] = "PyFrame_GetBack",
	[FRAME_IS_ENTRY] = "_PyFrame_IsEntryFrame",
	[THREAD_GET_FRAME] = "PyThreadState_GetFrame",
	[THREAD_NEXT] = "PyThreadState_Next",
	[INTERPRETER_HEAD] = "PyInterpreterState_Head",
	[INTERPRETER_NEXT] = "PyInterpreterState_Next",
	[INTERPRETER_THREADS] = "PyInterpreterState_ThreadHead",
	[BYTES_AS_STRING] = "PyBytes_AsString",
	[BYTES_SIZE] = "PyBytes_Size",
	[UNICODE_LENGTH] = "PyUnicode_GetLength",
	[UNICODE_AS_UTF8] = "PyUnicode_AsUTF8AndSize",
	[CODE_TYPE] = "PyCode_Type",
	[UNICODE_TYPE] = "PyUnicode_Type",
	[LOOP] = "_PyEval_EvalFrameDefault",
	[VERSION] = "Py_Version",
};

/* The analysis of a file: its symbols, the current function, and the nodes and offsets found so far. */
struct asking {
	const struct elf_file *elf;
	struct exported symbols[NR_SYMBOLS];
	struct accessor accessor; /* of the current function */
	uint16_t argument, frame, code; /* nodes: its argument, the frame of that frame object, and the frame's code */
	uint16_t object_frame; /* offset of the frame in a frame object */
	struct interpreter *interpreter;
	struct python_layout *layout; /* of that */
};

static const struct expression *node(const struct asking *asking, uint16_t number)
{
	return &asking->accessor.nodes[number];
}

/* Analyses a function. Returns false if the file lacks it, or its code is not understood. */
static bool ask(struct asking *asking, enum symbol function)
{
	if (!asking->symbols[function].at ||
	    accessor_read(&asking->accessor, asking->elf, asking->symbols[function].at))
		return false;
	asking->argument = accessor_argument(&asking->accessor, 0);
	return true;
}

/* The same for a function whose argument is a frame object. */
static bool ask_frame(struct asking *asking, enum symbol function)
{
	struct accessor *accessor = &asking->accessor;

	if (!ask(asking, function))
		return false;
	asking->frame = accessor_load(accessor, asking->argument, asking->object_frame, 8);
	asking->code = accessor_load(accessor, asking->frame, asking->layout->frame_code, 8);
	return true;
}

/* The function returns a word at this offset of its argument. */
static bool ask_word(struct asking *asking, enum symbol function, uint16_t *ret_offset)
{
	struct answer answer = {};

	if (!ask(asking, function))
		return false;
	for (uint16_t i = 0; i < asking->accessor.nr_returns; i++)
		if (accessor_is_load(&asking->accessor, asking->accessor.returns[i], asking->argument, 8))
			answer_offer(&answer, node(asking, asking->accessor.returns[i])->value);
	return answer_accept(&answer, ret_offset);
}

/* The function returns its argument + this offset. */
static bool ask_place(struct asking *asking, enum symbol function, uint16_t *ret_offset)
{
	struct answer answer = {};

	if (!ask(asking, function))
		return false;
	for (uint16_t i = 0; i < asking->accessor.nr_returns; i++) {
		const struct expression *returned = node(asking, asking->accessor.returns[i]);

		if (returned->kind == EXPRESSION_SUM && returned->base == asking->argument)
			answer_offer(&answer, returned->value);
	}
	return answer_accept(&answer, ret_offset);
}

/* ---- frames ---- */

/* PyFrame_GetCode returns the word at frame_code of the frame, without tag bits. */
static bool ask_code(struct asking *asking)
{
	struct answer code = {}, frame = {}, tags = {};

	if (!ask(asking, FRAME_GET_CODE))
		return false;
	for (uint16_t i = 0; i < asking->accessor.nr_returns; i++) {
		const struct expression *returned = node(asking, asking->accessor.returns[i]);

		if (returned->kind == EXPRESSION_MASKED) {
			answer_offer(&tags, ~returned->value);
			returned = node(asking, returned->base);
		}
		if (returned->kind != EXPRESSION_LOAD || returned->width != 8)
			continue;
		answer_offer(&code, returned->value);
		if (returned->base == asking->argument)
			answer_offer(&frame, -1); /* the object itself is the frame */
		else if (accessor_is_load(&asking->accessor, returned->base, asking->argument, 8))
			answer_offer(&frame, node(asking, returned->base)->value);
	}
	if (frame.is_there && frame.value == -1 && !frame.is_doubtful) {
		asking->interpreter->question = PYTHON_ASK_OLD;
		return false;
	}
	if (tags.is_there && (!answer_accept(&tags, &asking->layout->code_tags) || asking->layout->code_tags > 7))
		return false;
	return answer_accept(&code, &asking->layout->frame_code) && answer_accept(&frame, &asking->object_frame);
}

/* PyFrame_GetLasti subtracts the address of the first instruction, in the code object, from another word of the frame. */
static bool ask_instruction(struct asking *asking)
{
	struct answer answer = {};

	if (!ask_frame(asking, FRAME_GET_LASTI))
		return false;
	for (uint16_t i = 0; i < asking->accessor.nr_nodes; i++)
		if (i != asking->code && accessor_is_load(&asking->accessor, i, asking->frame, 8))
			answer_offer(&answer, node(asking, i)->value);
	return answer_accept(&answer, &asking->layout->frame_instruction);
}

static bool ask_instructions(struct asking *asking)
{
	struct answer answer = {};

	if (!ask_frame(asking, FRAME_GET_LASTI))
		return false;
	for (uint16_t i = 0; i < asking->accessor.nr_nodes; i++) {
		const struct expression *place = node(asking, i), *base = node(asking, place->base);

		if (place->kind == EXPRESSION_SUM &&
		    (place->base == asking->code || (base->kind == EXPRESSION_MASKED && base->base == asking->code)))
			answer_offer(&answer, place->value);
	}
	return answer_accept(&answer, &asking->layout->code_instructions);
}

/* PyFrame_GetBack compares a byte of the previous frame, its owner, with a constant. */
static bool ask_previous(struct asking *asking)
{
	struct answer answer = {};

	if (!ask_frame(asking, FRAME_GET_BACK))
		return false;
	for (uint16_t i = 0; i < asking->accessor.nr_compares; i++) {
		const struct expression *byte = node(asking, asking->accessor.compares[i].node);

		if (byte->kind == EXPRESSION_LOAD && byte->width == 1 &&
		    accessor_is_load(&asking->accessor, byte->base, asking->frame, 8))
			answer_offer(&answer, node(asking, byte->base)->value);
	}
	return answer_accept(&answer, &asking->layout->frame_previous);
}

static bool ask_owner(struct asking *asking)
{
	struct answer answer = {};
	uint16_t previous;

	if (!ask_frame(asking, FRAME_GET_BACK))
		return false;
	previous = accessor_load(&asking->accessor, asking->frame, asking->layout->frame_previous, 8);
	for (uint16_t i = 0; i < asking->accessor.nr_compares; i++)
		if (accessor_is_load(&asking->accessor, asking->accessor.compares[i].node, previous, 1))
			answer_offer(&answer, node(asking, asking->accessor.compares[i].node)->value);
	return answer_accept(&answer, &asking->layout->frame_owner);
}

/* _PyFrame_IsEntryFrame returns a byte of the frame; later versions compare the owner of the previous one. */
static bool ask_entry(struct asking *asking)
{
	struct answer byte = {}, owner = {};
	uint16_t number = 0;

	if (!ask_frame(asking, FRAME_IS_ENTRY))
		return false;
	for (uint16_t i = 0; i < asking->accessor.nr_returns; i++)
		if (accessor_is_load(&asking->accessor, asking->accessor.returns[i], asking->frame, 1))
			answer_offer(&byte, node(asking, asking->accessor.returns[i])->value);
	for (uint16_t i = 0; i < asking->accessor.nr_compares; i++) {
		const struct expression *compared = node(asking, asking->accessor.compares[i].node);

		if (compared->kind == EXPRESSION_LOAD && compared->width == 1 &&
		    compared->value == asking->layout->frame_owner)
			answer_offer(&owner, asking->accessor.compares[i].with);
	}
	if (byte.is_there && !owner.is_there)
		return answer_accept(&byte, &asking->layout->frame_is_entry);
	if (byte.is_there || !answer_accept(&owner, &number) || !number || number > UINT8_MAX)
		return false;
	asking->layout->entry_owner = (uint8_t)number;
	return true;
}

/* The number of loads between the argument and a node; 0: the node does not come from the argument. */
static unsigned int depth_of(const struct asking *asking, uint16_t number)
{
	unsigned int depth = 0;

	while (node(asking, number)->kind == EXPRESSION_LOAD && node(asking, number)->width == 8) {
		depth++;
		number = node(asking, number)->base;
	}
	return number == asking->argument ? depth : 0;
}

/* PyThreadState_GetFrame first reads the owner of the current frame: of all owners, it needs the fewest loads. */
static bool ask_current(struct asking *asking)
{
	struct answer frame = {}, through = {};
	unsigned int fewest = 3;

	if (!ask(asking, THREAD_GET_FRAME))
		return false;
	for (uint16_t i = 0; i < asking->accessor.nr_compares; i++) {
		const struct expression *owner = node(asking, asking->accessor.compares[i].node);
		unsigned int depth = owner->kind == EXPRESSION_LOAD && owner->width == 1 &&
						     owner->value == asking->layout->frame_owner
					     ? depth_of(asking, owner->base)
					     : 0;

		if (!depth || depth > fewest)
			continue;
		if (depth < fewest)
			frame = through = (struct answer){};
		fewest = depth;
		answer_offer(&frame, node(asking, owner->base)->value);
		if (depth == 2)
			answer_offer(&through, node(asking, node(asking, owner->base)->base)->value);
	}
	return fewest < 3 && answer_accept(&frame, &asking->layout->thread_frame) &&
	       (fewest == 1 || answer_accept(&through, &asking->layout->thread_cframe));
}

/* ---- threads and interpreters ---- */

static bool ask_next_thread(struct asking *asking)
{
	return ask_word(asking, THREAD_NEXT, &asking->layout->thread_next);
}

static bool ask_next_interpreter(struct asking *asking)
{
	return ask_word(asking, INTERPRETER_NEXT, &asking->layout->interpreter_next);
}

static bool ask_threads(struct asking *asking)
{
	return ask_word(asking, INTERPRETER_THREADS, &asking->layout->interpreter_threads);
}

/* PyInterpreterState_Head returns a word of _PyRuntime, whose address may come from a table that the linker fills. */
static bool ask_interpreters(struct asking *asking)
{
	struct answer head = {}, offset = {}, by_pointer = {};

	if (!ask(asking, INTERPRETER_HEAD))
		return false;
	for (uint16_t i = 0; i < asking->accessor.nr_returns; i++) {
		const struct expression *word = node(asking, asking->accessor.returns[i]),
					*base = node(asking, word->base);

		if (word->kind != EXPRESSION_LOAD || word->width != 8)
			continue;
		answer_offer(&by_pointer, base->kind == EXPRESSION_LOAD);
		answer_offer(&offset, word->value);
		if (base->kind == EXPRESSION_LOAD && base->width == 8 && !base->value)
			base = node(asking, base->base);
		if (base->kind == EXPRESSION_NUMBER)
			answer_offer(&head, base->value);
	}
	if (!head.is_there || head.is_doubtful || offset.is_doubtful || by_pointer.is_doubtful)
		return false;
	asking->layout->head = (uint64_t)head.value;
	asking->layout->head_offset = (uint64_t)offset.value;
	asking->layout->head_by_pointer = by_pointer.value;
	return true;
}

/* ---- objects ---- */

/* PyBytes_Size loads the type of its argument, and flags of that type. */
static bool ask_type(struct asking *asking)
{
	struct answer answer = {};

	if (!ask(asking, BYTES_SIZE))
		return false;
	for (uint16_t i = 0; i < asking->accessor.nr_nodes; i++) {
		const struct expression *flags = node(asking, i);

		if (flags->kind == EXPRESSION_LOAD &&
		    accessor_is_load(&asking->accessor, flags->base, asking->argument, 8))
			answer_offer(&answer, node(asking, flags->base)->value);
	}
	if (!answer_accept(&answer, &asking->layout->object_type))
		return false;
	if (asking->layout->object_type == 8)
		return true;
	if (asking->layout->object_type > 8)
		asking->interpreter->question = PYTHON_ASK_FREE_THREADED;
	return false;
}

static bool ask_bytes(struct asking *asking)
{
	return ask_word(asking, BYTES_SIZE, &asking->layout->bytes_size) &&
	       ask_place(asking, BYTES_AS_STRING, &asking->layout->bytes_data);
}

static bool ask_length(struct asking *asking)
{
	return ask_word(asking, UNICODE_LENGTH, &asking->layout->text_length);
}

/* PyUnicode_AsUTF8AndSize looks at bits of the state of its argument, in a byte or in the whole. */
static bool ask_state(struct asking *asking)
{
	struct answer byte = {}, whole = {};

	if (!ask(asking, UNICODE_AS_UTF8))
		return false;
	for (uint16_t i = 0; i < asking->accessor.nr_nodes; i++) {
		if (accessor_is_load(&asking->accessor, i, asking->argument, 1))
			answer_offer(&byte, node(asking, i)->value);
		if (accessor_is_load(&asking->accessor, i, asking->argument, 4))
			answer_offer(&whole, node(asking, i)->value);
	}
	return answer_accept(byte.is_there ? &byte : &whole, &asking->layout->text_state);
}

static bool ask_text(struct asking *asking)
{
	return ask_place(asking, UNICODE_AS_UTF8, &asking->layout->text_ascii);
}

static bool ask_objects(struct asking *asking)
{
	asking->layout->code_type = asking->symbols[CODE_TYPE].at;
	asking->layout->text_type = asking->symbols[UNICODE_TYPE].at;
	asking->layout->loop = asking->symbols[LOOP].at;
	if (asking->symbols[LOOP].bytes <= UINT32_MAX)
		asking->layout->loop_bytes = (uint32_t)asking->symbols[LOOP].bytes;
	return asking->layout->code_type && asking->layout->text_type;
}

static const struct {
	bool (*ask)(struct asking *asking);
	const char *text;
} questions[PYTHON_NR_QUESTIONS] = {
	[PYTHON_ASK_CODE] = { ask_code, "PyFrame_GetCode does not show where a frame has its code" },
	[PYTHON_ASK_OLD] = { NULL, "versions before 3.11 keep their frames in another way" },
	[PYTHON_ASK_FREE_THREADED] = { NULL, "a build without the global lock" },
	[PYTHON_ASK_INSTRUCTION] = { ask_instruction,
				     "PyFrame_GetLasti does not show where a frame has its instruction" },
	[PYTHON_ASK_INSTRUCTIONS] = { ask_instructions,
				      "PyFrame_GetLasti does not show where code has its instructions" },
	[PYTHON_ASK_PREVIOUS] = { ask_previous, "PyFrame_GetBack does not show where a frame has its caller" },
	[PYTHON_ASK_OWNER] = { ask_owner, "PyFrame_GetBack does not show where a frame has its owner" },
	[PYTHON_ASK_ENTRY] = { ask_entry, "_PyFrame_IsEntryFrame does not show which frames C has called" },
	[PYTHON_ASK_CURRENT] = { ask_current, "PyThreadState_GetFrame does not show where a thread has its frame" },
	[PYTHON_ASK_NEXT_THREAD] = { ask_next_thread, "PyThreadState_Next does not show where the next thread is" },
	[PYTHON_ASK_NEXT_INTERPRETER] = { ask_next_interpreter,
					  "PyInterpreterState_Next does not show where the next interpreter is" },
	[PYTHON_ASK_THREADS] = { ask_threads, "PyInterpreterState_ThreadHead does not show where the threads are" },
	[PYTHON_ASK_INTERPRETERS] = { ask_interpreters,
				      "PyInterpreterState_Head does not show where the interpreters are" },
	[PYTHON_ASK_TYPE] = { ask_type, "PyBytes_Size does not show where an object has its type" },
	[PYTHON_ASK_BYTES] = { ask_bytes, "PyBytes_AsString does not show where the bytes are" },
	[PYTHON_ASK_LENGTH] = { ask_length, "PyUnicode_GetLength does not show where a string has its length" },
	[PYTHON_ASK_STATE] = { ask_state, "PyUnicode_AsUTF8AndSize does not show where a string has its state" },
	[PYTHON_ASK_TEXT] = { ask_text, "PyUnicode_AsUTF8AndSize does not show where a string has its text" },
	[PYTHON_ASK_OBJECTS] = { ask_objects, "PyCode_Type or PyUnicode_Type is not exported" },
};

const char *python_question_text(enum python_question question)
{
	return question < PYTHON_NR_QUESTIONS ? questions[question].text : "";
}

static void read_version(const struct asking *asking, struct interpreter *interpreter)
{
	uint64_t offset;

	if (!asking->symbols[VERSION].at ||
	    elf_file_offset_of_address(asking->elf, asking->symbols[VERSION].at, &offset) ||
	    elf_file_read(asking->elf, offset, &interpreter->version, sizeof(interpreter->version)))
		interpreter->version = 0;
}

void python_layout_read(const struct elf_file *elf, struct interpreter *interpreter)
{
	struct asking asking = { .elf = elf, .interpreter = interpreter, .layout = &interpreter->python };

	if (!exported_find(elf, symbol_names, NR_SYMBOLS, asking.symbols) || !asking.symbols[THREAD_GET_FRAME].at)
		return;
	*interpreter = (struct interpreter){
		.language = LANGUAGE_PYTHON,
		.is_refused = true,
		.python = { .frame_is_entry = PYTHON_NONE, .thread_cframe = PYTHON_NONE },
	};
	read_version(&asking, interpreter);
	for (unsigned int i = 0; i < PYTHON_NR_QUESTIONS; i++) {
		if (!questions[i].ask)
			continue;
		interpreter->question = (uint8_t)i;
		if (!questions[i].ask(&asking))
			return;
	}
	python_loop_read(elf, asking.layout);
	interpreter->is_refused = false;
	interpreter->question = 0;
}
