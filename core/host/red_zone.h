/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a uprobe changes what a program stores below its stack pointer.
 *
 * The System V ABI of x86-64 lets a function use 128 bytes there, its red zone. After the first hit of a uprobe on a nop of five
 * bytes some kernels write a call over it (commit ba2bfc97b462 ("uprobes/x86: Add support to optimize uprobes"), v6.18): its return
 * address and the saved registers are written to the red zone. At the entry of a function this does no harm: the caller cannot store
 * anything there across its call, and the function has not run yet. In the middle of a function, as at USDT probes, it destroys
 * variables.
 */
#pragma once

enum red_zone {
	RED_ZONE_SPARED,
	RED_ZONE_OVERWRITTEN,
	RED_ZONE_UNKNOWN, /* it could not be tried */
};

/*
 * Tries it, once for each process: a child executes a probed nop with a value in its red zone. To be called only if it matters,
 * because the kernel takes some ten milliseconds to attach and detach the probe.
 */
enum red_zone red_zone_try(void);
