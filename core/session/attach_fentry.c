/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel functions by fentry. A program can be attached to only one function, so each function needs its own copy.
 *
 * For each copy as a separate object, libbpf would read and index all kernel types again: a thousand system calls instead of a dozen. So
 * libbpf loads only the first program. A copy has the instructions of the loaded first program and the same load options (note_load() in
 * core/session/load.c), but another BTF id and its own map of constants with the number of its place.
 */
#include <errno.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/session/attach_private.h"

/*
 * Makes a map with the constants of the first program and the number of this place. It is frozen, so the verifier treats its values as
 * constants. Returns a descriptor or a negative errno.
 */
static int make_constants(const struct attachment *attachment, size_t index)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_RDONLY_PROG);
	__u32 nr_bytes = bpf_map__value_size(attachment->loaded->skeleton->maps.rodata), zero = 0;
	_cleanup_(freep) typeof(attachment->loaded->skeleton->rodata) constants = xcalloc(1, nr_bytes);
	_cleanup_(closep) int map =
		bpf_map_create(BPF_MAP_TYPE_ARRAY, "st_constants", sizeof(zero), nr_bytes, 1, &options);

	memcpy(constants, attachment->loaded->skeleton->rodata, nr_bytes);
	constants->st_config.probe = (__u32)index;
	if (map < 0 || bpf_map_update_elem(map, &zero, constants, BPF_ANY) || bpf_map_freeze(map))
		return -errno;
	return take_fd(&map);
}

/* Replaces one map by another in the instructions that load an address. Each of these takes two slots. */
static void exchange_map(struct bpf_insn *code, size_t nr, int from, int to)
{
	for (size_t i = 0; i < nr; i++) {
		if (code[i].code != (BPF_LD | BPF_IMM | BPF_DW))
			continue;
		if (code[i].src_reg == BPF_PSEUDO_MAP_VALUE && code[i].imm == from)
			code[i].imm = to;
		i++;
	}
}

/* Loads a copy for the function with this BTF id. Returns a descriptor, which the attachment owns, or a negative errno. */
static int load_copy(struct attachment *attachment, uint32_t function, size_t index)
{
	struct bpf_prog_load_opts options = attachment->loaded->fentry.options;
	size_t nr = bpf_program__insn_cnt(attachment->loaded->program);
	_cleanup_(freep) struct bpf_insn *code = xcalloc(nr, sizeof(*code));
	_cleanup_(closep) int constants = make_constants(attachment, index);
	int program;

	if (constants < 0)
		return constants;
	memcpy(code, bpf_program__insns(attachment->loaded->program), nr * sizeof(*code));
	exchange_map(code, nr, bpf_map__fd(attachment->loaded->skeleton->maps.rodata), constants);
	options.attach_btf_id = function;
	program = bpf_prog_load(BPF_PROG_TYPE_TRACING, bpf_program__name(attachment->loaded->program), "GPL", code, nr,
				&options);
	if (program >= 0)
		vec_push(&attachment->fentry_programs, program);
	return program < 0 ? -errno : program;
}

static int program_of_place(struct attachment *attachment, size_t index)
{
	const struct probe_place *place = &attachment->plan->places.data[index];
	struct bpf_program *program;

	if (index && attachment->loaded->fentry.known && !place->module && place->part == CALL_BEGINS)
		return place->number ? load_copy(attachment, (uint32_t)place->number, index) : -REFUSED_NO_TYPE;
	program = attach_program(attachment, index); /* libbpf finds functions of modules */
	return program ? bpf_program__fd(program) : -errno;
}

/* If several functions have one name, BTF finds only the first. */
static bool has_same_name(const struct attach_plan *plan, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (plan->places.data[i].part == plan->places.data[index].part &&
		    !strcmp(plan->places.data[i].name, plan->places.data[index].name))
			return true;
	return false;
}

static int attach_function(struct attachment *attachment, size_t index)
{
	int program, link;

	if (has_same_name(attachment->plan, index))
		return -REFUSED_SAME_NAME;
	program = program_of_place(attachment, index);
	if (program < 0)
		return program;
	link = bpf_link_create(
		program, 0, attachment->plan->places.data[index].part == CALL_ENDS ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY,
		NULL);
	if (link < 0)
		return -errno;
	attach_keep_fd(attachment, link, -1, index, 1);
	return 0;
}

const struct attach_way way_fentry = { .one = attach_function };
