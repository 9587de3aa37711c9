/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For a test program without a main() of its own. */
#include "tests/harness.h"

int main(void)
{
	return run_all_tests();
}
