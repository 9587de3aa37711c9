/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the names of code objects in records while the objects exist. */
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/host/process.h"
#include "core/session/walked_python_private.h"

enum {
	FRESH_MAX = 128, /* read together: there is room for their pages and those of their names and lines */
	TABLES_MAX = 64 << 20, /* bytes of line tables; beyond this, all are forgotten */
};

/* Reads a code object that is in use: the first word of freed memory is a pointer or 0, not a reference count. */
static bool read_living(struct look_python *python, uint64_t at, struct python_code *ret_code)
{
	return python_read_code(python, at, ret_code) && !(uint16_t)(python_word_at(python, at) >> 32);
}

/* Whether the line table covers exactly the instructions. A freed object may keep its members, but not what they point to. */
static bool has_own_lines(struct look_python *python, const struct python_code *code)
{
	uint64_t nr = python_word_at(python, code->at + python->layout->object_type + sizeof(uint64_t));

	return code->nr_table && python_lines_bytes(code->table, code->nr_table) == 2 * nr;
}

static bool is_unchanged(struct look_python *python, const struct python_code *before)
{
	struct python_code now;

	return read_living(python, before->at, &now) && python_is_same_code(&now, before);
}

static bool is_fresh(const struct walked_python *walked, uint64_t at)
{
	for (size_t i = 0; i < walked->addresses.nr; i++)
		if (walked->addresses.data[i] == at)
			return true;
	return false;
}

/* Copies the pages of these code objects together; with `names`, also the pages of the objects that they point to. */
static void expect(struct walked_python *walked, struct look_python *python, bool names)
{
	VEC(uint64_t) addresses = {};
	struct python_code code;

	look_pages_expect(python->pages, walked->addresses.data, walked->addresses.nr);
	for (size_t i = 0; names && i < walked->addresses.nr; i++) {
		if (!python_read_code(python, walked->addresses.data[i], &code))
			continue;
		vec_push(&addresses, code.name);
		vec_push(&addresses, code.file);
		vec_push(&addresses, code.lines);
	}
	look_pages_expect(python->pages, addresses.data, addresses.nr);
	vec_done(&addresses);
}

/* Keeps the code objects that did not change during the read. Those that are hidden (python_is_helper()) need no line table. */
static void keep_proved(struct walked_python *walked, const struct process *process)
{
	struct look_python *python = process->python;
	uint64_t start_ns;
	bool is_same = !process_start_boot(process->tgid, &start_ns) && start_ns == process->start_ns;

	for (size_t i = 0; i < walked->fresh.nr; i++) {
		struct python_code *code = &walked->fresh.data[i];
		bool is_proved = is_same && !python_find_code(python, code->at, python_cookie(python, code)) &&
				 is_unchanged(python, code);

		if (is_proved && (has_own_lines(python, code) || python_is_helper(code))) {
			python_keep_code(python, code);
			continue;
		}
		python->tables_bytes -= code->nr_table;
		free(code->table);
	}
	walked->fresh.nr = 0;
}

static void find_fresh(struct walked_python *walked, const struct look_python *python, const struct st_stack *stack)
{
	const uint64_t *words = walked_words(stack);

	for (size_t i = 0; i < stack->head.nr_python; i++) {
		uint64_t at = ST_PYTHON_ADDRESS(words[2 * i]);

		if (at && !python_find_code(python, at, walked_cookie(words + 2 * i)) && !is_fresh(walked, at))
			vec_push(&walked->addresses, at);
	}
}

static void read_names(struct walked_python *walked, struct look_python *python)
{
	for (size_t i = 0; i < walked->addresses.nr; i++) {
		struct python_code code;

		if (read_living(python, walked->addresses.data[i], &code) && python_read_names(python, &code))
			vec_push(&walked->fresh, code);
	}
}

/* How many bytes of names may be read of the process now; and what is left of them. */
static void share_names(struct walked_python *walked, struct process *process)
{
	size_t nr = process->names_left < walked->names_left ? process->names_left : walked->names_left;

	process->python->names_left = nr;
	process->names_left -= nr;
	walked->names_left -= nr;
}

static void return_names(struct walked_python *walked, struct process *process)
{
	process->names_left += process->python->names_left;
	walked->names_left += process->python->names_left;
}

/* Reads the code objects at `addresses` twice, before and after their names, because a process may replace them in between. */
static void read_fresh(struct walked_python *walked, struct process *process)
{
	struct look_python *python = process->python;
	const uint64_t begun_ns = clock_monotonic_ns();
	const size_t tables_bytes = python->tables_bytes;
	uint64_t took_ns;

	if (walked->addresses.nr && walked->left_ns) {
		walked->until_ns = begun_ns + walked->left_ns;
		share_names(walked, process);
		walked_begin(process);
		expect(walked, python, true);
		read_names(walked, python);
		walked_begin(process);
		expect(walked, python, false);
		keep_proved(walked, process);
		return_names(walked, process);
		walked->tables_bytes += python->tables_bytes - tables_bytes;
		took_ns = clock_monotonic_ns() - begun_ns;
		walked->left_ns -= took_ns < walked->left_ns ? took_ns : walked->left_ns;
	}
	walked->addresses.nr = 0;
}

/* 0: unknown. */
static bool is_another(uint64_t before, uint64_t now)
{
	return before && now && before != now;
}

/* The process of a record. NULL: it is unknown, or its pid or program has changed. */
static struct process *process_of(struct walked_python *walked, const struct st_stack_head *head)
{
	struct process *process = walked ? *walked_place_of(walked, head->tgid) : NULL;

	return process && !is_another(process->python->is.start_time_ns, head->start_time_ns) &&
			       !is_another(process->python->is.exec_id, head->exec_id)
		       ? process
		       : NULL;
}

static void read_process(struct walked_python *walked, struct process *process, const uint64_t *records,
			 size_t nr_words)
{
	if (python_is_php(process->python))
		return; /* its functions have come before the records */
	for (size_t at = 0; at < nr_words; at += drain_words_of((const struct st_stack *)(records + at))) {
		const struct st_stack *stack = (const struct st_stack *)(records + at);

		if (!stack->head.nr_python || stack->head.nr_python > ST_MAX_FRAMES ||
		    process_of(walked, &stack->head) != process)
			continue;
		find_fresh(walked, process->python, stack);
		if (walked->addresses.nr > FRESH_MAX)
			read_fresh(walked, process);
	}
	read_fresh(walked, process);
}

/* Counts the records of each process. Returns whether any record has Python frames. */
static bool note_records(struct walked_python *walked, const uint64_t *records, size_t nr_words)
{
	bool any = false;

	for (size_t at = 0; at < nr_words; at += drain_words_of((const struct st_stack *)(records + at))) {
		const struct st_stack_head *head = &((const struct st_stack *)(records + at))->head;
		struct process *process = process_of(walked, head);

		walked->nr_records++;
		if (!process)
			continue;
		process->nr_records++;
		process->has_fresh |= head->nr_python > 0;
		any |= head->nr_python > 0;
	}
	return any;
}

void walked_python_add_function(struct walked_python *walked, const struct st_function *function)
{
	struct process *process = walked ? *walked_place_of(walked, function->tgid) : NULL;
	struct python_code code;

	if (walked)
		walked->nr_told++;
	if (!process || !python_is_php(process->python))
		return;
	if (python_find_code(process->python, 0, function->cookie))
		return;
	share_names(walked, process);
	if (php_name_function(process->python, function, &code)) {
		python_keep_code(process->python, &code);
		walked->nr_functions++;
	}
	return_names(walked, process);
}

void walked_python_read(struct walked_python *walked, const uint64_t *records, size_t nr_words)
{
	if (!walked)
		return;
	walked_take_all(walked);
	if (!note_records(walked, records, nr_words))
		return;
	FOR_EACH_PROCESS(walked, process)
	{
		if (!process->has_fresh)
			continue;
		process->has_fresh = false;
		read_process(walked, process, records, nr_words);
		if (walked->tables_bytes > TABLES_MAX)
			walked_forget_codes(walked);
		else if (python_is_php(process->python) || process->python->codes.nr <= PYTHON_CODES_MAX)
			continue;
		walked->tables_bytes -= process->python->tables_bytes;
		python_forget_codes(process->python);
		read_process(walked, process, records, nr_words); /* no code object is known any more */
	}
}

size_t walked_python_inserts(struct walked_python *walked, const struct st_stack *stack,
			     struct drain_insert data[ST_MAX_FRAMES], bool *ret_lacks)
{
	const struct process *process = process_of(walked, &stack->head);

	return walked_frames(process ? process->python : NULL, walked->profile, stack, data, ret_lacks);
}
