// SPDX-License-Identifier: GPL-2.0-or-later
/* The programs of on_switch.bpf.c for waits for locks. They are others, so that those of the off-CPU applets do not have this code. */
#define ST_WATCHES_LOCKS 1
#define on_switch on_lock_switch
#define on_waking on_lock_waking
#define on_waking_anywhere on_lock_waking_anywhere

#include "bpf/on_switch.bpf.c"
