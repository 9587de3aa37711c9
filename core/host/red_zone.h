/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a uprobe overwrites what a program stores below its stack pointer.
 *
 * The System V ABI of x86-64 lets a function use 128 bytes there, its red zone. After the first hit of a uprobe on a five-byte nop, some
 * kernels replace the nop by a call (commit ba2bfc97b462 ("uprobes/x86: Add support to optimize uprobes"), v6.18), which writes the return
 * address and the saved registers to the red zone. At the entry of a function this does no harm: the caller can keep nothing there across
 * its call, and the function has not run yet. In the middle of a function, as at USDT probes, it destroys variables.
 */
#pragma once

enum red_zone {
	RED_ZONE_SPARED,
	RED_ZONE_OVERWRITTEN,
	RED_ZONE_UNKNOWN, /* the test could not be run */
};

/* Tests it once, in a child with a probed nop. To be called only if the answer matters: attaching and detaching take some 10 ms. */
enum red_zone red_zone_try(void);
