/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nice value of a process: of the process and of its session, which counts where kernels share the CPUs among sessions. */
#pragma once

/*
 * Does nothing that is not allowed. May wait 110 ms. Never a real-time class. `session_nice` is for the session that the process leads
 * or is in.
 */
void priority_set(int pid, int nice, int session_nice);
