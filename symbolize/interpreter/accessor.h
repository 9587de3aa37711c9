/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loads, comparisons and return values of a small x86-64 function, as expressions of its arguments: "the word at offset 0x20 of the
 * word at offset 0x18 of the first argument". All paths are followed, up to a limit; calls are not. A register that an instruction
 * changes in another way is unknown afterwards, never wrong.
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
	EXPRESSION_NUMBER, /* `value`: a constant or a link-time address */
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

/* Analyses the function at this link-time address. Returns 0, or -ENODATA if no code is there. */
int accessor_read(struct accessor *accessor, const struct elf_file *elf, uint64_t address);

/* Returns whether a node is a load of `width` bytes (0: any width) from an offset to `base`. */
static inline bool accessor_is_load(const struct accessor *accessor, uint16_t node, uint16_t base, uint8_t width)
{
	const struct expression *expression = &accessor->nodes[node];

	return expression->kind == EXPRESSION_LOAD && expression->base == base &&
	       (!width || expression->width == width);
}

/* The node of an argument, of a number, or of a load at an offset to another node. 0 if there are too many nodes. */
uint16_t accessor_argument(struct accessor *accessor, int64_t number);
uint16_t accessor_number(struct accessor *accessor, int64_t value);
uint16_t accessor_load(struct accessor *accessor, uint16_t base, int64_t distance, uint8_t width);
