/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A terminal for a screen: reads keys, shows lines, restores everything, even if killed. Keeps messages on stderr until the end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct tui;

/* 0, or a usage error: there is no terminal, standard output is none, or it has no cursor control. */
int tui_check(void);

/* Whether the terminal may show colours (https://no-color.org/), and UTF-8. */
bool tui_has_colors(void);
bool tui_is_utf8(void);

/* Catches SIGINT, SIGTERM, SIGHUP and SIGQUIT: they now end the screen like a key. 0, or a negative errno with a recorded cause. */
int tui_new(struct tui **ret_tui);

/* Takes over the screen. 0, or a negative errno with a recorded cause. */
int tui_begin(struct tui *tui);

/* A descriptor that is readable if tui_take() has something to do. */
int tui_fd(const struct tui *tui);

/* The size of the screen; false: unknown. */
bool tui_size(const struct tui *tui, size_t *ret_rows, size_t *ret_columns);

/* The next key (enum browser_key or a character); 0: none. KEY_QUIT: a signal or ctrl-c. KEY_REDRAW: new size, or continued. */
int tui_take(struct tui *tui);

/* Whether a signal that ends the screen was caught. */
bool tui_is_signalled(const struct tui *tui);

/*
 * Shows lines, one per row; writes those that have changed. If the terminal blocks, waits until a signal or tui_give_up(). Does nothing in
 * the background. 0, or a negative errno: the terminal is lost.
 */
int tui_show(struct tui *tui, const char *screen);

/* Called by another thread: tui_show() does not wait any more. */
void tui_give_up(struct tui *tui);

/* Restores the screen, if it was taken over. */
void tui_end(struct tui *tui);

/* Also restores the signals. */
void tui_free(struct tui *tui);
