/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal of --tui: reads keys, shows what core/render/browser.h draws, and leaves everything as it was. What is
 * printed on stderr meanwhile, if that is a terminal, is printed when the terminal is given back.
 */
#pragma once

#include <stdbool.h>

#include "core/render/browser.h"

struct tui;

/* 0, or a usage error: there is no terminal, or the standard output is none. */
int tui_check(void);

/*
 * Takes the signals that would end the program and leave the terminal as it is: from here on SIGINT, SIGTERM, SIGHUP
 * and SIGQUIT are keys that end. 0, or a negative errno with a recorded cause.
 */
int tui_new(struct tui **ret_tui);

/* Takes the screen. 0, or a negative errno with a recorded cause. */
int tui_begin(struct tui *tui);

/* A descriptor that is readable when tui_take() has something to do. */
int tui_fd(const struct tui *tui);

/* Tells the browser the size of the screen. */
void tui_fit(const struct tui *tui, struct browser *browser);

/* Hands what waits to the browser: keys, and the size of the screen. False: the user or a signal wants the end. */
bool tui_take(struct tui *tui, struct browser *browser);

/* Whether a signal that ends was taken. */
bool tui_is_signalled(const struct tui *tui);

/* 0, or a negative errno with a recorded cause: the terminal is lost. */
int tui_draw(const struct tui *tui, const struct browser *browser);

/* Draws and takes until the end; the same errors. */
int tui_serve(struct tui *tui, struct browser *browser);

/* Gives the screen back; nothing when it was not taken. */
void tui_end(struct tui *tui);

/* And the signals. */
void tui_free(struct tui *tui);
