/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stands for a kernel module: code in several sections, with calls that are inlined, and data that it uses. */
#define NOINLINE __attribute__((noinline, noclone))
#define INLINED static inline __attribute__((always_inline))

volatile long sum;

INLINED void innermost(long by)
{
	sum += by;
	sum ^= 3;
}

INLINED void middle(long by)
{
	innermost(by);
	sum -= 7;
	innermost(by + 1);
}

NOINLINE static void twice(long by)
{
	middle(by);
	sum *= 5;
	middle(-by);
}

NOINLINE long first(long by)
{
	sum = 1;
	twice(by);
	innermost(by);
	return sum;
}

NOINLINE __attribute__((section(".text.unlikely"))) long seldom(long by)
{
	middle(by);
	return sum;
}

__attribute__((section(".init.text"))) int begin(void)
{
	innermost(1);
	return first(2) > seldom(3);
}
