/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a browser on a terminal: draws it, and passes keys and stacks to it. */
#pragma once

#include <stdatomic.h>

#include "core/render/browser.h"
#include "core/run/tui.h"

struct screen_loop {
	struct tui *tui;
	struct browser *browser;
	int bell_fd; /* an eventfd that requests `take`; -1: none */
	void *context;
	bool (*take)(void *context); /* takes new stacks; false: end */
	_Atomic bool *is_paused; /* set to the browser's state; may be NULL */
	_Atomic uint64_t *spent_ns; /* CPU time is added to it, except that for keys; may be NULL */
	bool (*wish)(void *context, enum browser_wish wish); /* handles a wish of the user; false: end */
};

/* Runs until the end. 0, or a negative errno with a recorded cause: the terminal is lost. */
int screen_loop(struct screen_loop *loop);

/* The browser's options for this terminal. */
struct browser_options screen_options(const struct output_options *output);

/* A name for a saved profile, malloc()ed: "top-20261126-174501.stk". */
char *screen_save_name(const char *applet);

/* Whether the user may save to this path: a name in the working directory that ends in .stk. */
bool screen_may_save(const char *path);

/* Removes one wish from a set of bits 1 << wish, saving first. BROWSER_STAY: the set is empty. */
enum browser_wish screen_take_wish(unsigned int *wishes);
