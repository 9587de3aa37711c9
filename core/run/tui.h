/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A terminal for a screen: reads keys, shows lines of text, and restores everything at the end, also if the program is
 * killed. If stderr is a terminal, messages wait until then.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct tui;

/* 0, or a usage error: there is no terminal, standard output is not one, or it cannot move its cursor. */
int tui_check(void);

/* Whether the terminal may show colours (https://no-color.org/), and characters of UTF-8. */
bool tui_has_colors(void);
bool tui_is_utf8(void);

/*
 * Catches the signals that would end the program without restoring the terminal: from now on SIGINT, SIGTERM, SIGHUP
 * and SIGQUIT end the screen like a key. 0, or a negative errno with a recorded cause.
 */
int tui_new(struct tui **ret_tui);

/* Takes over the screen. 0, or a negative errno with a recorded cause. */
int tui_begin(struct tui *tui);

/* A descriptor that is readable if tui_take() has something to do. */
int tui_fd(const struct tui *tui);

/* The size of the screen; false if it is unknown. */
bool tui_size(const struct tui *tui, size_t *ret_rows, size_t *ret_columns);

/*
 * The next key (enum browser_key, or a character); 0: none. KEY_QUIT: a signal or ctrl-c. KEY_REDRAW: the size is
 * another, or the program was stopped (ctrl-z) and goes on.
 */
int tui_take(struct tui *tui);

/* Whether a signal that ends the screen was caught. */
bool tui_is_signalled(const struct tui *tui);

/*
 * Shows a screen: lines, one for each row. Writes those that have changed. While the terminal takes nothing it waits, until
 * there is a signal or tui_give_up(). In the background it does nothing. 0, or a negative errno: the terminal is lost.
 */
int tui_show(struct tui *tui, const char *screen);

/* From another thread: from now on tui_show() does not wait. */
void tui_give_up(struct tui *tui);

/* Restores the screen; does nothing if it was not taken over. */
void tui_end(struct tui *tui);

/* Restores the signals too. */
void tui_free(struct tui *tui);
