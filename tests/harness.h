/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a test program in C begins with: cmocka, the usual headers, and a word for a test case. Include it last: cmocka
 * makes fail() a macro.
 *
 *   TEST(numbers_are_read)
 *   {
 *           assert_int_equal(...);
 *   }
 *
 * The cases of a program run in the order of the file. A line that begins with a word in _TEST( or TEST( makes a file of
 * tests/unit, golden or bpf a program; its main() is that of harness_main.c unless it has one of its own, which calls
 * run_all_tests().
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"

#include <cmocka.h>

#define TEST(name) TEST_BETWEEN(name, NULL, NULL)

/* Between its own set_up() and tear_down(): functions of cmocka's form, int f(void **state), or NULL. */
#define TEST_BETWEEN(name, set_up, tear_down)                       \
	static void name(void **state);                             \
	__attribute__((constructor)) static void add_##name(void)   \
	{                                                           \
		add_test(__LINE__, #name, name, set_up, tear_down); \
	}                                                           \
	static void name(void **state)

/* A test that is given a `type *variable`, all 0, after set_up(variable) and before tear_down(variable). */
#define TEST_WITH(type, variable, name, set_up, tear_down)                          \
	static void name(type *variable);                                           \
	static int before_##name(void **state)                                      \
	{                                                                           \
		*state = calloc(1, sizeof(type));                                   \
		set_up(*state);                                                     \
		return 0;                                                           \
	}                                                                           \
	static void run_##name(void **state)                                        \
	{                                                                           \
		name(*state);                                                       \
	}                                                                           \
	static int after_##name(void **state)                                       \
	{                                                                           \
		tear_down(*state);                                                  \
		free(*state);                                                       \
		return 0;                                                           \
	}                                                                           \
	__attribute__((constructor)) static void add_##name(void)                   \
	{                                                                           \
		add_test(__LINE__, #name, run_##name, before_##name, after_##name); \
	}                                                                           \
	static void name(type *variable)

/* For a TEST_WITH() that has nothing to do before or after the test. */
static inline void nothing(void *unused)
{
}

/* Before the first case and after the last one of the program. */
#define TEST_GROUP(set_up, tear_down)                            \
	__attribute__((constructor)) static void add_group(void) \
	{                                                        \
		set_group(set_up, tear_down);                    \
	}

void add_test(int line, const char *name, CMUnitTestFunction test, CMFixtureFunction set_up,
	      CMFixtureFunction tear_down);
void set_group(CMFixtureFunction set_up, CMFixtureFunction tear_down);

/* Runs the cases; the number of those that failed. */
int run_all_tests(void);

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
