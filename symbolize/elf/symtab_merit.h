/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What speaks for a symbol among several at one address, the weightier the higher the bit, so that two merits compare
 * as numbers. With equal merits the names decide (name_compare); of exported ones what the names begin with goes before
 * MERIT_GLOBAL (symtab.c).
 */
#pragma once

enum symbol_merit {
	MERIT_GLOBAL = 1,    /* not weak */
	MERIT_DYNAMIC = 2,   /* exported by the file: the name its users know */
	MERIT_NOT_LOCAL = 4,
	MERIT_FUNCTION = 8,  /* typed as a function */
	MERIT_SIZED = 16,
	MERIT_ALL = 31,
};
