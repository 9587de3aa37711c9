/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a small function of x86-64 code loads, compares and returns, as expressions of its arguments: "the word at 0x20 of the word at
 * 0x18 of the first argument". All paths are followed, up to a limit; calls are not. What an instruction does that has no such
 * expression is unknown, never wrong: a register that it may change has no value afterwards.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize/elf/elf_file.h"

#define ACCESSOR_NODES_MAX 256
#define ACCESSOR_FACTS_MAX 64

enum expression_kind {
	EXPRESSION_UNKNOWN, /* only node 0 */
	EXPRESSION_ARGUMENT, /* `value`: its number, 0 or 1 */
	EXPRESSION_NUMBER, /* `value`: a constant, or an address as in the file */
	EXPRESSION_LOAD, /* `width` bytes at `base` + `value` */
	EXPRESSION_SUM, /* `base` + `value` */
	EXPRESSION_MASKED, /* `base` & `value` */
};

struct expression {
	uint8_t kind, width;
	uint16_t base; /* a node */
	int64_t value;
};

struct accessor {
	struct expression nodes[ACCESSOR_NODES_MAX]; /* each expression once */
	uint16_t nr_nodes;
	uint16_t returns[ACCESSOR_FACTS_MAX]; /* nodes, each once */
	uint16_t nr_returns;
	struct {
		uint16_t node;
		int64_t with;
	} compares[ACCESSOR_FACTS_MAX]; /* with a constant, each once */
	uint16_t nr_compares;
};

/* Follows the function at this address as in the file. 0; or -ENODATA: it is no code of the file. */
int accessor_read(struct accessor *accessor, const struct elf_file *elf, uint64_t address);

/* Whether a node is a load of `width` bytes (0: any width) from a place relative to `base`. */
static inline bool accessor_is_load(const struct accessor *accessor, uint16_t node, uint16_t base, uint8_t width)
{
	const struct expression *expression = &accessor->nodes[node];

	return expression->kind == EXPRESSION_LOAD && expression->base == base &&
	       (!width || expression->width == width);
}

/* The node of an argument; and of a load at a distance from what another node is. 0 if there are too many. */
uint16_t accessor_argument(struct accessor *accessor, int64_t number);
uint16_t accessor_load(struct accessor *accessor, uint16_t base, int64_t distance, uint8_t width);
