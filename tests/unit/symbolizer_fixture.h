/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A symbolizer with a real worker, and a file of two functions to give it. */
#pragma once

#include "symbolize/elf/elf_file.h"
#include "symbolize/symbolize.h"
#include "tests/unit/symbol_image.h"

struct fixture {
	struct symbolizer *symbolizer;
	struct elf_writer writer; /* "first" at OFFSET and "second" after it, 16 bytes each; finished at the first add */
	int debug_fd; /* what open_debug gives as last candidate */
	int wrong_debug_fd; /* and before that; -1 nothing */
	int nr_debug_asked;
	char debug_asked[BUILD_ID_HEX_SIZE], link_asked[256];
	uint32_t again_failed; /* a file that cannot be opened again */
};

void symbolizer_set_up(struct fixture *fixture);
void symbolizer_tear_down(struct fixture *fixture);

#define SYMBOLIZER_TEST(name) TEST_WITH(struct fixture, fixture, name, symbolizer_set_up, symbolizer_tear_down)

/* Another symbolizer in place of the first. */
void fixture_start(struct fixture *fixture, const struct symbolizer_options *options);

/* Callbacks for its options. */
int fixture_open_debug(void *context, uint32_t file, struct symbol_debug_request *request);
int fixture_open_again(void *context, uint32_t file);

/* Hands the file over under this number. */
void fixture_add(struct fixture *fixture, uint32_t number);

/* What it says about a place; the other two check it. */
struct symbol_answer fixture_name(struct fixture *fixture, uint32_t file, uint64_t where, bool exact);
void fixture_expect(struct fixture *fixture, uint32_t file, uint64_t where, const char *expected);
void fixture_expect_status(struct fixture *fixture, uint32_t file, enum symbol_status status);
