/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nice value of a process and of its session. With autogroups the kernel shares the CPUs among sessions, by the nice value of each. */
#pragma once

/* Sets both as far as that is permitted. May wait 110 ms. Never sets a real-time class. The session is that of the process. */
void priority_set(int pid, int nice, int session_nice);
