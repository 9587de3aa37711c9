// SPDX-License-Identifier: GPL-2.0-or-later
#include "bpf/scratch.bpf.h"

__attribute__((noinline)) int st_slot_try(__u32 index)
{
	struct st_slot *slot = st_slot_at(index);

	if (!slot)
		return 0;
	if (st_config.alone) {
		if (slot->claims)
			return 0;
		slot->claims = 1;
		return 1;
	}
	__sync_fetch_and_add(&slot->claims, 1);
	if (*(volatile __u32 *)&slot->claims == 1)
		return 1;
	__sync_fetch_and_add(&slot->claims, -1);
	return 0;
}

__attribute__((noinline)) int st_slot_take(void)
{
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < ST_MAX_SLOTS; i++)
		if (st_slot_try(i))
			return (int)i;
	return -1;
}
