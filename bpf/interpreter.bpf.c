// SPDX-License-Identifier: GPL-2.0-or-later
/* The interpreter of the current process. */
#include "bpf/interpreter.bpf.h"

#if defined(__TARGET_ARCH_x86) && !defined(ST_WITHOUT_UNWINDER)

/* The walk ends with frames that are missing. */
__noinline int st_python_end(__u32 slot_index, __u32 missing)
{
	struct st_python_walk *walk = st_python_walk_at(slot_index);
	struct st_slot *slot = st_unwind_slot(slot_index);

	if (walk && slot)
		st_python_put(walk, slot, 0, missing, 1);
	return -1;
}

__noinline int st_interpreter_find(__u32 slot_index)
{
	struct st_python_walk *walk = st_python_walk_at(slot_index);
	struct st_slot *slot = st_unwind_slot(slot_index);
	struct st_interpreter *is;

	if (!walk || !slot || !slot->unwind.space)
		return 0;
	is = bpf_map_lookup_elem(&st_interpreters, &slot->unwind.tgid);
	if (!is)
		return 0;
	if (!is->exec_id)
		is->exec_id = slot->stack.head.exec_id;
	if (!is->start_time_ns)
		is->start_time_ns = slot->stack.head.start_time_ns;
	if (is->exec_id != slot->stack.head.exec_id || is->start_time_ns != slot->stack.head.start_time_ns)
		return 0;
	if (ST_WALKS_PYTHON && is->language == ST_LANGUAGE_PYTHON)
		walk->python = is->python;
	if (ST_WALKS_PHP && is->language == ST_LANGUAGE_PHP)
		walk->php = is->php;
	return (int)is->language;
}

#else

__noinline int st_interpreter_find(__u32 slot_index)
{
	return 0;
}

#endif
