/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a uprobe leaves alone what a program keeps below its stack pointer.
 *
 * The System V ABI of x86-64 lets a function use 128 bytes there, its red zone. After the first hit of a uprobe on a nop of five
 * bytes some kernels write a call over it (commit ba2bfc97b462 ("uprobes/x86: Add support to optimize uprobes"), v6.18): its return
 * address and the saved registers go into the red zone. At the entry of a function nothing is lost: the caller cannot keep
 * anything there across its own call, and the function has not run yet. In the middle of one, at USDT probes above all, it
 * destroys variables.
 */
#pragma once

enum red_zone {
	RED_ZONE_SPARED,
	RED_ZONE_OVERWRITTEN,
	RED_ZONE_UNKNOWN, /* it could not be tried */
};

/*
 * Tried with a child of our own that passes a probed nop with a value in its red zone; once in the life of the process. To be
 * called when it matters: the kernel takes some ten milliseconds for the probe to come and go.
 */
enum red_zone red_zone_try(void);
