/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws a browser on a terminal, and gives it keys and stacks, until the end. */
#pragma once

#include <stdatomic.h>

#include "core/render/browser.h"
#include "core/run/tui.h"

struct screen_loop {
	struct tui *tui;
	struct browser *browser;
	int bell_fd; /* an eventfd: there is something for `take`; -1: none */
	void *context;
	bool (*take)(void *context); /* false: the end */
	_Atomic bool *is_paused; /* set as the browser has it; NULL: not wanted */
	_Atomic uint64_t *spent_ns; /* the CPU time is added to it, without what keys cost; NULL: not wanted */
	bool (*wish)(void *context, enum browser_wish wish); /* of the user; false: the end */
};

/* 0, or a negative errno with a recorded cause: the terminal is lost. */
int screen_loop(struct screen_loop *loop);

/* The options of a browser on this terminal. */
struct browser_options screen_options(const struct output_options *output);

/* Allocates the name of a file to save into: "top-20261126-174501.stk". */
char *screen_save_name(const char *applet);

/* Whether a path is one that can be typed for saving: a name in the working directory that ends in .stk. */
bool screen_may_save(const char *path);

/* Removes the first wish from a set (1 << wish), that to save before all others. An empty set: BROWSER_STAY. */
enum browser_wish screen_take_wish(unsigned int *wishes);
